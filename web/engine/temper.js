// temper in JavaScript: specifications, transformers and runs as objects over the WebAssembly module. Every number comes from the
// library; nothing is computed here. Objects that are not needed any more are freed with free().

import { instantiate } from './host.js';

const SYNTAXES = ['spec', 'crasp', 'brasp', 'regex', 'dfa'];
const METHODS = ['hard', 'temperature', 'positions', 'digits'];
const AT = ['', 'first', 'last'];
const EMPTY = ['', 'reject', 'accept'];
const KINDS = ['acceptor', 'next', 'transducer'];

/** An error of the library: what is wrong, where, and what may help. Lines and columns count from 1; 0: no place. The remedy is a
    temper_remedy, 0 where there is none. */
export class TemperError extends Error {
  constructor(reply) {
    super(reply.error);
    this.name = 'TemperError';
    this.status = reply.status;
    this.line = reply.line;
    this.column = reply.column;
    this.hint = reply.hint;
    this.remedy = reply.remedy;
  }
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();
const number = x => (typeof x === 'string' ? Number(x) : x);
const choose = (names, name, what) => {
  const index = names.indexOf(name);
  if (index < 0) throw new RangeError(`there is no ${what} '${name}'`);
  return index;
};

/** One instance of the library. It has one thread; several instances share nothing. */
export class Engine {
  static async open(module) {
    return new Engine(await instantiate(module));
  }

  constructor(exports) {
    this.x = exports;
    this.x.tw_about();
    const about = this.reply();
    this.version = about.version;
    this.types = about.types;
  }

  // ---- memory ----

  bytes() {
    return new Uint8Array(this.x.memory.buffer);
  }

  reply() {
    const at = this.x.tw_reply() >>> 0;
    return JSON.parse(decoder.decode(this.bytes().subarray(at, at + this.x.tw_reply_length())));
  }

  check(result) {
    if (!result) throw new TemperError(this.reply());
    return result >>> 0;
  }

  /** Calls body with the addresses and lengths of texts. */
  withTexts(texts, body) {
    const places = texts.map(text => {
      const bytes = encoder.encode(text);
      const at = this.x.tw_alloc(bytes.length + 1) >>> 0;
      if (!at) throw new RangeError('out of memory');
      this.bytes().set(bytes, at);
      this.bytes()[at + bytes.length] = 0;
      return [at, bytes.length];
    });
    try {
      return body(...places.flat());
    } finally {
      for (const [at] of places) this.x.tw_free(at);
    }
  }

  words(at, count) {
    return new Uint32Array(this.x.memory.buffer, at >>> 0, count);
  }

  doubles(at, count) {
    return at ? new Float64Array(this.x.memory.buffer, at >>> 0, count).slice() : null;
  }

  type(name) {
    return choose(this.types, name, 'type');
  }

  // ---- making ----

  spec(text, options = {}) {
    const { syntax = 'spec', alphabet = '', tokens = false, at = '', empty = '', kind = 'acceptor' } = options;
    return new Spec(this, this.check(this.withTexts([text, alphabet], (t, n, a) => this.x.tw_spec(
      t, n, choose(SYNTAXES, syntax, 'syntax'), a, tokens ? 1 : 0, choose(AT, at, 'position'), choose(EMPTY, empty, 'answer'),
      choose(KINDS, kind, 'kind')))));
  }

  model(text) {
    return new Model(this, this.check(this.withTexts([text], (t, n) => this.x.tw_model_read(t, n))));
  }

  gallery() {
    this.x.tw_gallery();
    return this.reply();
  }

  galleryModel(name) {
    return new Model(this, this.check(this.withTexts([name], t => this.x.tw_gallery_model(t))));
  }

  /** A soft model that is right on strings up to a length, of a hard one. */
  soften(hard, method, length) {
    return new Model(this, this.check(this.x.tw_soften(hard.at, choose(METHODS, method, 'method'), length)));
  }

  /** How far answers are proved and where wrong ones were found; cases are pairs [model, type]. A generator: it yields
      {unit, units} and returns {rows, csv, svg}. */
  * limits(cases, { length = 0, effort = 0, title = '' } = {}) {
    const models = this.x.tw_alloc(4 * cases.length), types = this.x.tw_alloc(4 * cases.length);
    this.words(models, cases.length).set(cases.map(([model]) => model.at));
    this.words(types, cases.length).set(cases.map(([, type]) => this.type(type)));
    const work = this.x.tw_limits(models, types, cases.length, length, effort);
    this.x.tw_free(models);
    this.x.tw_free(types);
    this.check(work);
    try {
      for (;;) {
        const state = this.check(this.x.tw_limits_step(work));
        if (state === 1) break;
        yield this.reply();
      }
      const print = what => {
        this.check(this.withTexts([title], t => this.x.tw_limits_print(work, what, t)));
        return this.reply();
      };
      return { rows: JSON.parse(print(0)), csv: print(1), svg: print(2) };
    } finally {
      this.x.tw_limits_free(work);
    }
  }

  /** Whether a certificate is true of the bytes of a model; throws what is wrong with it. */
  audit(certificate, model) {
    this.withTexts([certificate, model], (c, n, m, k) => this.check(this.x.tw_audit(c, n, m, k)));
  }
}

/** Letters of a string, as the library numbers them. */
class Letters {
  constructor(engine, at, count) {
    this.engine = engine;
    this.at = at;
    this.count = count;
  }

  numbers() {
    return this.engine.words(this.at, this.count).slice();
  }

  free() {
    this.engine.x.tw_free(this.at);
  }
}

function encodeWith(engine, call, object, text) {
  const count = engine.x.tw_alloc(4);
  try {
    const at = engine.check(engine.withTexts([text], (t, n) => call(object, t, n, count)));
    return new Letters(engine, at, engine.words(count, 1)[0]);
  } finally {
    engine.x.tw_free(count);
  }
}

export class Spec {
  constructor(engine, at) {
    this.engine = engine;
    this.at = at;
  }

  about() {
    this.engine.x.tw_spec_about(this.at);
    return this.engine.reply();
  }

  /** {words: the formula as a sentence, simplified: what is simpler than it was written, a line each}; '' where there is nothing to say. */
  words() {
    this.engine.check(this.engine.x.tw_spec_words(this.at));
    return this.engine.reply();
  }

  encode(text) {
    return encodeWith(this.engine, this.engine.x.tw_spec_encode, this.at, text);
  }

  /** The formula's own answer, and its truth at each position. */
  eval(letters) {
    const { x } = this.engine, truth = x.tw_alloc(letters.count + 1);
    try {
      const answer = this.engine.check(x.tw_spec_eval(this.at, letters.at, letters.count, truth));
      return { accept: answer === 2, truth: this.engine.bytes().slice(truth >>> 0, (truth >>> 0) + letters.count) };
    } finally {
      x.tw_free(truth);
    }
  }

  /** The specification as a language model: an output for each letter, and one for the end. */
  next() {
    return new Spec(this.engine, this.engine.check(this.engine.x.tw_spec_next(this.at)));
  }

  build({ method = 'temperature', digits = 'f64', whole = false } = {}) {
    const { engine } = this;
    return new Model(engine, engine.check(engine.x.tw_build(this.at, choose(METHODS, method, 'method'), engine.type(digits), whole ? 1 : 0)));
  }

  /** An ordinary transformer for strings up to a length, as the bytes of a GGUF file: {bytes, proved, reason, mirrored, …}. */
  gguf(architecture, length) {
    const { engine } = this;
    engine.check(engine.x.tw_gguf(this.at, choose(['gpt2', 'llama'], architecture, 'architecture'), length));
    const { at, size, ...rest } = engine.reply();
    const bytes = engine.bytes().slice(at, at + size);
    engine.x.tw_free(at);
    return { ...rest, bytes };
  }

  free() {
    this.engine.x.tw_spec_free(this.at);
  }
}

export class Model {
  constructor(engine, at) {
    this.engine = engine;
    this.at = at;
  }

  about() {
    if (!this.told) {
      this.engine.x.tw_model_about(this.at);
      this.told = this.engine.reply();
    }
    return this.told;
  }

  print() {
    this.engine.check(this.engine.x.tw_model_print(this.at));
    return this.engine.reply();
  }

  spec() {
    return new Spec(this.engine, this.engine.check(this.engine.x.tw_model_spec(this.at)));
  }

  /** A copy with another softmax scale: an expression such as '8*N', or a factor such as '0.2x'; of one head, or of all. */
  rescale(scale, layer = 0, head = 0) {
    return new Model(this.engine, this.engine.check(this.engine.withTexts([scale], t => this.engine.x.tw_rescale(this.at, layer, head, t))));
  }

  /** What is proved: {claim, length (-1: none), everyPosition, obstacle}. */
  proof(type = 'f64', hard = false) {
    this.engine.check(this.engine.x.tw_model_proof(this.at, this.engine.type(type), hard ? 1 : 0));
    return this.engine.reply();
  }

  /** About how many multiply-adds a run takes. */
  cost(n, type = 'f64') {
    return this.engine.x.tw_cost(this.at, n, this.engine.type(type));
  }

  encode(text) {
    return encodeWith(this.engine, this.engine.x.tw_model_encode, this.at, text);
  }

  run(letters, { type = 'f64', hard = false, capture = false, unchecked = false } = {}) {
    const { engine } = this;
    return new Run(engine, engine.check(engine.x.tw_run(this.at, letters.at, letters.count, engine.type(type), hard ? 1 : 0,
      capture ? 1 : 0, unchecked ? 1 : 0)), this, letters);
  }

  /** A proof for every string up to a length: {verdict, claim, reason, certificate}. */
  certify(length, type = 'f64') {
    this.engine.check(this.engine.x.tw_certify(this.at, length, this.engine.type(type)));
    return this.engine.reply();
  }

  free() {
    this.engine.x.tw_model_free(this.at);
  }
}

export class Run {
  constructor(engine, at, model, letters) {
    this.engine = engine;
    this.at = at;
    this.model = model;
    this.letters = letters;
  }

  about() {
    if (!this.told) {
      this.engine.x.tw_run_about(this.at, this.model.at);
      this.told = this.engine.reply();
      this.told.errors = this.told.errors.map(number);
    }
    return this.told;
  }

  /** Whether an output holds, at all positions; position 0 is the start sentinel. */
  output(index = 0) {
    if (this.model.about().whole)
      throw new RangeError('the model reads its language from the right: it answers for whole strings only; build without whole makes one that answers for every prefix');
    const at = this.engine.x.tw_run_output(this.at, index) >>> 0;
    return at ? this.engine.bytes().slice(at, at + this.about().size) : null;
  }

  logits(index) {
    return this.engine.doubles(this.engine.x.tw_run_logits(this.at, index), this.about().size);
  }

  /** Scores, logits or weights of a head, [N][N] in one array; masked scores are -Infinity. Needs capture. */
  head(layer, head, what = 'weights') {
    const { size } = this.about();
    return this.engine.doubles(
      this.engine.x.tw_run_head(this.at, layer, head, choose(['scores', 'logits', 'weights'], what, 'array')), size * size);
  }

  /** A head at one position. */
  row(layer, head, position) {
    const { x } = this.engine, info = this.model.about().heads.find(h => h.layer === layer && h.head === head);
    const get = (what, count) => this.engine.doubles(x.tw_run_row(this.at, layer, head, position, what), count);
    return {
      scale: x.tw_run_scale(this.at, layer, head, position),
      query: get(0, info.queries), key: get(1, info.queries), value: get(2, info.values), output: get(3, info.values),
    };
  }

  channels(layer, position) {
    return this.engine.doubles(this.engine.x.tw_run_channels(this.at, layer, position), this.model.about().width);
  }

  svg(layer = 0, head = 0) {
    this.engine.check(this.engine.x.tw_draw_svg(this.model.at, this.at, this.letters.at, layer, head));
    return this.engine.reply();
  }

  free() {
    this.engine.x.tw_run_free(this.at);
  }
}
