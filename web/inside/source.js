// Where the worker and the library come from in the page that is one file: both stand inside, the module as gzip in base64.

const inside = id => document.getElementById(id).textContent;

/** The worker asks for the bytes of the module with its first message, because it cannot read the page. */
export function newWorker() {
  const made = new Worker(URL.createObjectURL(new Blob([inside('worker')], { type: 'text/javascript' })));
  made.addEventListener('message', async ({ data }) => data.kind === 'engine?' && made.postMessage({ what: 'engine', bytes: await unpack() }), { once: true });
  return made;
}

async function unpack() {
  const packed = Uint8Array.from(atob(inside('engine')), c => c.charCodeAt(0));
  return new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'))).arrayBuffer();
}

/** In the worker. */
export const engineBytes = () => new Promise(resolve => {
  addEventListener('message', ({ data }) => data.what === 'engine' && resolve(data.bytes));
  postMessage({ kind: 'engine?' });
});
