// Things to take away: a dialog that says what there is, files made by the engine, and the picture as pixels.

import { byId, escape, grouped } from './paint.js';
import { remedyOf } from './remedies.js';
import { ask } from './workers.js';

const THINGS = [
  ['model', 'Model', 'a text that the program reads: temper run model.temper'],
  ['svg', 'Picture, SVG', 'the attention of every head on this string'],
  ['png', 'Picture, PNG', 'the same in pixels'],
  ['certificate', 'Certificate', 'a proof for every string of this length or less; temper audit checks it'],
  ['gguf-gpt2', 'GGUF, GPT-2', 'an ordinary GPT-2 for llama.cpp, Ollama and LM Studio'],
  ['gguf-llama', 'GGUF, Llama', 'the same as an ordinary Llama'],
  ['specification', 'Specification', 'what you wrote'],
];

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

async function make(thing, state) {
  if (thing === 'specification') {
    const ending = { spec: 'spec', regex: 'regex', crasp: 'crasp', brasp: 'brasp' }[state.syntax] ?? 'txt';
    return { name: `program.${ending}`, type: 'text/plain', text: state.f + '\n' };
  }
  const made = await ask('take', state, { thing });
  return thing === 'png' ? { name: 'attention.png', type: 'image/png', text: await toPng(made.text) } : made;
}

/** Files that not every state has are made when the dialog opens, so that it offers them, or says why there is none. */
const TRIED = new Set(['certificate', 'gguf-gpt2', 'gguf-llama']);

export function openFiles(page) {
  const dialog = byId('files'), made = new Map(), state = { ...page.state };
  dialog.innerHTML = `<button class="close" type="button" autofocus>Close</button><h2 id="files-title">Download</h2><ul class="files">${
    THINGS.map(([thing, name, about]) => `<li><button type="button" data-thing="${thing}" ${TRIED.has(thing) ? 'disabled' : ''}>${escape(name)}</button><span>${TRIED.has(thing) ? 'looking …' : escape(about)}</span></li>`).join('')}</ul>`;
  dialog.querySelector('.close').addEventListener('click', () => dialog.close());
  for (const button of dialog.querySelectorAll('[data-thing]')) {
    const { thing } = button.dataset, say = button.nextElementSibling, about = THINGS.find(([name]) => name === thing)[2];
    button.addEventListener('click', async () => {
      try {
        const { name, type, text, bytes } = made.get(thing) ?? await make(thing, state);
        save(name, type, bytes ?? text);
      } catch (error) {
        say.textContent = `${error.message}${remedyOf(error) ? `; ${remedyOf(error)}` : ''}`;
      }
    });
    if (!TRIED.has(thing)) continue;
    make(thing, state).then(file => {
      made.set(thing, file);
      button.disabled = false;
      say.textContent = `${about}${file.note ? `; ${file.note}` : ''} (${grouped((file.bytes ?? file.text).length)} bytes)`;
    }, error => {
      say.textContent = `There is none: ${error.message}${remedyOf(error) ? `; ${remedyOf(error)}` : ''}`;
    });
  }
  dialog.showModal();
}
