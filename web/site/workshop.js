// Specifications and models of the newest states, kept so that a change of the string or a slider does not compile again.

import { digitsOf, scaleWords } from './state.js';

const KEPT = 80;

/** Does something, and says of its errors which field they are about, and of which model. */
export function blame(of, body, about = null) {
  try {
    return body();
  } catch (error) {
    error.of ||= of;
    error.about ??= about;
    throw error;
  }
}

/** Objects by key; the oldest are freed. */
class Shelf {
  constructor(most) {
    this.most = most;
    this.items = new Map();
  }

  get(key, make) {
    const known = this.items.get(key);
    if (known !== undefined) {
      this.items.delete(key);
      this.items.set(key, known);
      return known;
    }
    const made = make();
    this.items.set(key, made);
    if (this.items.size > this.most) {
      const [oldest, thing] = this.items.entries().next().value;
      this.items.delete(oldest);
      if (thing?.free) thing.free();
    }
    return made;
  }
}

export class Workshop {
  constructor(engine) {
    this.engine = engine;
    this.specs = new Shelf(KEPT);
    this.bases = new Shelf(24);
    this.models = new Shelf(KEPT);
    this.sure = new Shelf(4000);
  }

  specKey(state) {
    return JSON.stringify([state.syntax, state.f, state.a]);
  }

  baseKey(state) {
    return `${this.specKey(state)} ${state.m} ${digitsOf(state)}`;
  }

  /** The specification; null for a transformer of the gallery, which has none. */
  spec(state) {
    if (state.syntax === 'gallery') return null;
    if (/^\[.*-.*\]$/.test(state.a)) blame('alphabet', () => {
      throw Object.assign(new RangeError(`'${state.a.slice(0, 40)}' is no class: letters are written out`), { hint: 'such as abc' });
    });
    return this.specs.get(this.specKey(state), () => blame('formula', () => this.engine.spec(state.f, { syntax: state.syntax, alphabet: state.a })));
  }

  /** {words, simplified} of the formula, for people; null for a transformer of the gallery. */
  words(state) {
    return this.spec(state)?.words() ?? null;
  }

  /** A subformula as a specification of its own; null where its text is none. */
  part(state, formula) {
    const { letters, tokens } = this.base(state).about();
    return this.specs.get('part ' + JSON.stringify([letters, formula]), () => {
      try {
        return this.engine.spec(formula, { alphabet: letters.join(tokens ? ' ' : ''), tokens: Boolean(tokens) });
      } catch {
        return null;
      }
    });
  }

  /** The soft model with its proved scales. */
  base(state) {
    return this.bases.get(this.baseKey(state), () => {
      if (state.syntax === 'gallery') return this.softened(state);
      return this.spec(state).build({ method: state.m, digits: digitsOf(state) });
    });
  }

  /** A hard transformer softened for 32 letters, or for fewer where its scores come too close. */
  softened(state) {
    const hard = this.engine.galleryModel(state.f);
    try {
      for (const length of [32, 16, 8])
        try {
          const model = this.engine.soften(hard, state.m, length);
          model.softenedFor = length;
          return model;
        } catch (error) {
          if (length === 8) throw error;
        }
    } finally {
      hard.free();
    }
    return null;
  }

  /** A factor of the model's own scales, or of the expression in their place. */
  withFactor(state, factor) {
    const scale = scaleWords(state.s, factor);
    if (!scale) return this.base(state);
    return this.models.get(`${this.baseKey(state)} ${scale}`, () => blame('scale', () => this.base(state).rescale(scale)));
  }

  /** The model as the state says. */
  scaled(state) {
    return this.withFactor(state, state.t);
  }

  /** The specification's own answers; a transformer of the gallery is compared with its hard choices. */
  truth(state, letters) {
    const spec = this.spec(state);
    if (spec) return spec.eval(letters);
    const run = this.base(state).run(letters, { hard: true, unchecked: true });
    try {
      return { accept: Boolean(run.about().accept), truth: run.output(0).slice(1, letters.count + 1) };
    } finally {
      run.free();
    }
  }

  hardRun(model, letters) {
    try {
      return model.run(letters, { hard: true, capture: true, unchecked: true });
    } catch {
      return null; // rounding hides a tie
    }
  }

  affordable(model, n, type, most) {
    return model.cost(n, type) <= most;
  }

  // ---- proofs ----

  /** What is proved of the model with its own scales. */
  proof(state) {
    return this.sure.get(`${this.baseKey(state)} ${state.type} longest`, () => this.base(state).proof(state.type));
  }

  /** What the proved checker says of the model's file, as far as it comes in so many milliseconds. */
  checked(state, checker, milliseconds) {
    return checker(new TextEncoder().encode(this.base(state).print()), state.type, milliseconds);
  }

  isRescaled(state) {
    return Boolean(state.s) || state.t !== 1;
  }

  certify(state, key, model, n) {
    return this.sure.get(this.baseKey(state) + JSON.stringify([key, n, state.type]), () => {
      try {
        return model.certify(n, state.type);
      } catch {
        return { verdict: 'unable', largestError: '' };
      }
    });
  }

  /** A certificate's word on the chosen head: its error in the number format, not that of the answer, which gates round to 0. By
      facts it has one for each length. The bound that a head tells of itself is in exact arithmetic, and is not shown. */
  judged(state, found) {
    const proved = found.verdict === 'proved', here = this.base(state).about().heads[state.h];
    const head = proved && here ? JSON.parse(found.certificate).heads.find(x => x.layer === here.layer && x.head === here.head) : null;
    const bound = head?.error === undefined ? null : Math.max(...[head.error].flat().map(Number));
    return { proved, bound, reason: found.reason };
  }

  /** What is proved of all strings of n letters: with the scales of the state first, then between which factors. Proofs of scales
      that were chosen by hand take long, so this runs beside the pictures. */
  * prove(state, n) {
    const proof = this.proof(state), at = factor => {
      const scale = scaleWords(state.s, factor);
      if (!scale && proof.length < n) return { proved: false, bound: null };
      const found = this.judged(state, this.certify(state, scale, this.withFactor(state, factor), n));
      return scale ? found : { ...found, proved: true };
    };
    const own = at(state.t);
    const length = this.isRescaled(state) ? null : proof.length, known = [];
    yield { own, known, length };
    if (n > 2000) return;
    // The factors of the chart one by one, coarse ones first; each is proved on its own or not called so.
    const tried = new Set(), start = performance.now();
    for (const step of [12, 6, 3, 1])
      for (let k = 0; k <= 48; k += step) {
        if (tried.has(k)) continue;
        if (performance.now() - start > 60000) return;
        tried.add(k);
        known.push({ k, ...at(k === 24 ? 1 : Number((10 ** (2 * k / 48 - 1)).toPrecision(4))) });
        yield { own, known, length };
      }
  }

  // ---- to take away ----

  take(state, thing, text) {
    const model = this.scaled(state);
    if (thing === 'model') return { name: 'model.temper', type: 'text/plain', text: model.print() };
    if (thing === 'svg' || thing === 'png') {
      const letters = model.encode(text), run = model.run(letters, { type: state.type, capture: true, unchecked: true });
      try {
        return { name: 'attention.svg', type: 'image/svg+xml', text: run.svg() };
      } finally {
        run.free();
        letters.free();
      }
    }
    if (thing.startsWith('gguf-')) {
      const spec = this.spec(state), architecture = thing.slice(5), length = Math.max(64, state.n);
      if (!spec) throw new RangeError('ordinary transformers are made from a specification, and the gallery has none');
      const { bytes, proved, reason, mirrored } = spec.gguf(architecture, length);
      const note = `strings up to ${length} letters, ${proved ? 'proved' : `not proved: ${reason}`}${mirrored ? '; it reads from right to left' : ''}`;
      return { name: `model-${architecture}.gguf`, type: 'application/octet-stream', bytes, note };
    }
    if (thing === 'certificate') {
      const found = model.certify(Math.max(state.n, 1), state.type);
      if (found.verdict !== 'proved') throw new RangeError(`strings of ${state.n} letter${state.n === 1 ? '' : 's'} are not proved in ${state.type}: ${found.reason}`);
      return { name: 'certificate.json', type: 'application/json', text: found.certificate };
    }
    throw new RangeError(`there is no ${thing}`);
  }

  /** The table of limits: reports of progress, then the table. */
  * limits(state, types) {
    const methods = ['temperature', 'positions', 'digits'], cases = [];
    for (const type of types)
      for (const method of methods) {
        const spec = this.spec(state);
        if (!spec) throw new RangeError('Limits are looked for in transformers that come from a specification');
        if (method === 'digits' && type === 'f64') continue; // digits are for shorter formats
        const digits = method === 'digits' ? type : 'f64';
        cases.push([this.bases.get(`limits ${this.specKey(state)} ${method} ${digits}`, () => spec.build({ method, digits, whole: method === 'digits' })), type]);
      }
    const work = this.engine.limits(cases, { length: 4096, effort: 0.15, title: state.f });
    for (;;) {
      const { value, done } = work.next();
      yield done ? { done: true, ...value } : { done: false, ...value };
      if (done) return;
    }
  }
}
