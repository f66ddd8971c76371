// The package: compile, and a model with run, attention, certify and next. The module is loaded at the first call.

import { Engine, TemperError } from './engine/temper.js';

export { TemperError };

let loading = null;

async function load() {
  const url = new URL('./temper.wasm', import.meta.url);
  if (url.protocol === 'file:') {
    const files = 'node:fs/promises'; // a name that bundlers do not follow
    const { readFile } = await import(/* webpackIgnore: true */ /* @vite-ignore */ files);
    return Engine.open(await WebAssembly.compile(await readFile(url)));
  }
  const response = await fetch(url);
  if (!response.ok) throw new Error(`temper.wasm: ${response.status}`);
  return Engine.open(await WebAssembly.compile(await response.arrayBuffer()));
}

const engine = () => (loading ||= load());

/** The version and the number formats. */
export async function about() {
  const { version, types } = await engine();
  return { version, types };
}

/** From a specification to a transformer. */
export async function compile(text, options = {}) {
  return new Transformer(await engine(), text, options);
}

class Transformer {
  #engine;
  #spec;
  #model;
  #next = null;
  #options;

  constructor(from, text, options) {
    this.#engine = from;
    this.#options = options;
    this.#spec = from.spec(text, options);
    const made = this.#spec.build(options);
    this.#model = made;
    if (options.scale) {
      this.#model = made.rescale(options.scale);
      made.free();
    }
  }

  /** Its layers, heads, subformulas and channels. */
  get about() {
    return this.#model.about();
  }

  /** The specification as an English sentence; '' for a transducer. */
  get words() {
    return this.#spec.words().words;
  }

  /** The model as text, as the program writes it. */
  print() {
    return this.#model.print();
  }

  /** What is proved in a number format. */
  proof(type = 'f64') {
    return this.#model.proof(type);
  }

  #with(model, string, options, body) {
    const letters = model.encode(string);
    let run;
    try {
      run = model.run(letters, options);
      return body(run, letters);
    } finally {
      run?.free();
      letters.free();
    }
  }

  /** The answer, and the truth at each position. */
  run(string, options = {}) {
    return this.#with(this.#model, string, { ...options, capture: false }, (run, letters) => {
      const told = run.about();
      return {
        accept: Boolean(told.accept), proved: Boolean(told.proved), claim: told.claim, errors: told.errors,
        truth: [...run.output(0).slice(1, letters.count + 1)],
      };
    });
  }

  /** The same with weights, scores and logits of every head, [N][N] in one array each; position 0 is the start sentinel. */
  attention(string, options = {}) {
    return this.#with(this.#model, string, { ...options, capture: true }, (run, letters) => {
      const told = run.about();
      return {
        accept: Boolean(told.accept), proved: Boolean(told.proved), size: told.size, truth: [...run.output(0).slice(1, letters.count + 1)],
        heads: this.about.heads.map((h, k) => ({
          layer: h.layer, head: h.head, label: h.label, error: told.errors[k],
          weights: run.head(h.layer, h.head), scores: run.head(h.layer, h.head, 'scores'), logits: run.head(h.layer, h.head, 'logits'),
        })),
      };
    });
  }

  /** A proof for every string up to a length. */
  certify(length, type = 'f64') {
    return this.#model.certify(length, type);
  }

  /** What may come after a prefix: {letters, end, proved}. */
  next(prefix, options = {}) {
    if (!this.#next) {
      const spec = this.#spec.next();
      this.#next = spec.build({ ...this.#options, whole: false });
      spec.free();
    }
    return this.#with(this.#next, prefix, { ...options, capture: false }, (run, letters) => {
      const names = this.#next.about().outputs, last = letters.count;
      const holds = names.map((_, k) => Boolean(run.output(k)[last]));
      return { letters: names.slice(0, -1).filter((_, k) => holds[k]), end: holds.at(-1), proved: Boolean(run.about().proved) };
    });
  }

  /** Frees what it holds in the module's memory. */
  free() {
    this.#next?.free();
    this.#model.free();
    this.#spec.free();
  }
}
