/* Copy buttons of the site copy commands only: of a block with lines that begin with "$ ", those lines without it. */
document.addEventListener("click", event => {
  const button = event.target.closest("[data-clipboard-target]");
  const block = button && document.querySelector(button.getAttribute("data-clipboard-target"));
  if (!block) return;
  const commands = block.textContent.split("\n").filter(line => line.startsWith("$ ")).map(line => line.slice(2) + "\n");
  if (commands.length) button.setAttribute("data-clipboard-text", commands.join(""));
}, true);
