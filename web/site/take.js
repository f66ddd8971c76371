// Things to take away: files made by the engine, and the picture as pixels.

function save(name, type, data) {
  const link = document.createElement('a'), url = URL.createObjectURL(new Blob([data], { type }));
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}

async function toPng(svg) {
  const image = new Image();
  const url = URL.createObjectURL(new Blob([svg], { type: 'image/svg+xml' }));
  try {
    await new Promise((resolve, reject) => {
      image.onload = resolve;
      image.onerror = () => reject(new Error('the picture could not be drawn'));
      image.src = url;
    });
    const canvas = document.createElement('canvas'), context = canvas.getContext('2d');
    canvas.width = 2 * image.width;
    canvas.height = 2 * image.height;
    context.fillStyle = '#fff';
    context.fillRect(0, 0, canvas.width, canvas.height);
    context.drawImage(image, 0, 0, canvas.width, canvas.height);
    return await new Promise(resolve => canvas.toBlob(resolve, 'image/png'));
  } finally {
    URL.revokeObjectURL(url);
  }
}

export async function takeAway(thing, page, ask) {
  if (thing === 'specification') {
    const ending = { spec: 'spec', regex: 'regex', crasp: 'crasp', brasp: 'brasp' }[page.state.syntax] ?? 'txt';
    save(`program.${ending}`, 'text/plain', page.state.f + '\n');
    return;
  }
  const made = await ask('take', { thing });
  if (thing === 'png') save('attention.png', 'image/png', await toPng(made.text));
  else save(made.name, made.type, made.bytes ?? made.text);
}
