// How every element inside the cards of a notebook looks: hosts have styles of their own, which must change none of it.
const boxes = ["display", "float", "position", "table-layout", "background-color", "background-image", "overflow-x",
    "margin-top", "margin-bottom", "margin-left"];
const texts = ["padding", "font-size", "font-family", "font-weight", "font-style", "line-height", "color", "white-space", "word-break", "text-align",
    "vertical-align", "list-style-type"];
const holders = ["TABLE", "THEAD", "TBODY", "TR"]; // what is said of text in them is said again of their cells
const found = [];
document.querySelectorAll(".temper.card").forEach((card, k) => {
    card.querySelectorAll("*:not(style):not(svg *)").forEach((element) => {
        const style = getComputedStyle(element), kind = element.getAttribute("class"), look = {};
        const name = (e) => e.tagName.toLowerCase() + (e.getAttribute("class") ? "." + e.getAttribute("class").replaceAll(" ", ".") : "");
        for (const p of holders.includes(element.tagName) ? boxes : [...boxes, ...texts]) look[p] = style.getPropertyValue(p).replace(/^start$/, "left");
        for (const side of ["top", "right", "bottom", "left"])
            if (style.getPropertyValue(`border-${side}-width`) !== "0px") look[`border-${side}`] = style.getPropertyValue(`border-${side}`);
        if (element.tagName === "TABLE") look["border-collapse"] = style.borderCollapse;
        if (look["border-collapse"] === "separate") look["border-spacing"] = style.borderSpacing;
        found.push([`card ${k + 1}, ${name(element.parentElement)} > ${name(element)}`, look]);
    });
    // Text that runs out of its cell stands over its neighbour.
    card.querySelectorAll(".rows td, .rows th, .facts dt").forEach((cell) => {
        if (cell.scrollWidth > cell.clientWidth + 1) found.push([`card ${k + 1}: too wide`, { text: cell.textContent }]);
    });
});
const out = document.createElement("script");
out.type = "application/json";
out.id = "looks";
out.textContent = JSON.stringify(found);
document.body.append(out);
