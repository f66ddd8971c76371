// Where the worker and the library come from: files beside the page. The page that is one file has web/inside/source.js instead.

export const newWorker = () => new Worker('worker.js', { type: 'module' });

/** The bytes of the WebAssembly module. */
export async function engineBytes() {
  const response = await fetch('temper.wasm');
  if (!response.ok) throw new Error(`temper.wasm: ${response.status}`);
  return response.arrayBuffer();
}
