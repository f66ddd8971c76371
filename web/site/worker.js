// The engine in a worker. The page starts three of them: one for pictures, which are wanted at once, one for charts, and one for what
// takes long. Everything that is shown was computed by the library.

import { Engine } from './engine/temper.js';
import { provedChecker } from './proved_checker.js';
import { engineBytes } from './source.js';
import { lengthen, textOf } from './strings.js';
import { Workshop, blame } from './workshop.js';

const MAP_MOST = 60; // letters of a map; of longer strings it shows the positions around one of them
const NEAR = { before: 9, after: 3 };
const NEAR_MEMORY = 64e6; // bytes of the arrays of all heads, which are kept of the whole string
const COST_MOST = 3e9; // multiply-adds of one run

let begin; // the first message brings the compiled module, or says that this worker compiles it
const loading = new Promise(resolve => {
  begin = resolve;
}).then(async given => {
  if (given) return { module: given, shop: new Workshop(await Engine.open(given)) };
  const module = await WebAssembly.compile(await engineBytes());
  return { module, shop: new Workshop(await Engine.open(module)) };
});

let generation = 0; // of the newest picture
let background = 0; // of the newest charts or proofs; older ones stop
const pause = () => new Promise(resolve => setTimeout(resolve, 0));
const plain = error => ({ message: error.message, line: error.line || 0, column: error.column || 0, hint: error.hint || '', remedy: error.remedy || 0, of: error.of || '', about: error.about ?? null, status: error.status || '' });

// ---- one picture ----

function truthRows(shop, state, about, letters, run, { from, span, attends }) {
  const rows = [];
  for (const part of about.parts) {
    const spec = shop.part(state, part.formula);
    if (!spec || part.formula.endsWith('...')) continue;
    const row = { label: part.formula, layer: part.layer, head: part.head, channel: part.channel, truth: spec.eval(letters).truth };
    if (attends && part.channel >= 0)
      row.values = Float64Array.from({ length: span }, (_, k) => run.channels(part.layer, from + k)[part.channel]);
    rows.push(row);
  }
  return rows;
}

/** The positions that a map shows: all, or those around one of them. `attends`: attention is kept of the string. */
function viewOf(about, n, size, focus) {
  if (n <= MAP_MOST) return { from: 0, span: size, attends: true, cutOff: false, focus };
  const from = Math.max(0, focus - NEAR.before), span = Math.min(size - 1, focus + NEAR.after) - from + 1;
  return { from, span, attends: 24 * size * size * about.heads.length <= NEAR_MEMORY, cutOff: true, focus };
}

/** A square of an array [size][size], and of each of its rows the sum of what is left out. */
function squareOf(array, size, { from, span }) {
  if (span === size) return { square: array, rest: null };
  const square = new Float64Array(span * span), rest = new Float64Array(span);
  for (let i = 0; i < span; i++)
    for (let j = 0, at = (from + i) * size; j < size; j++)
      if (j >= from && j < from + span) square[i * span + j - from] = array[at + j];
      else rest[i] += array[at + j];
  return { square, rest };
}

/** Weights of all heads; hard choices and outputs of the one that is shown in full. */
function headPictures(about, run, hard, size, view, chosen) {
  return about.heads.map(({ layer, head }, k) => {
    if (k !== chosen) return view.cutOff ? null : { weights: run.head(layer, head) };
    const { square, rest } = squareOf(run.head(layer, head), size, view);
    const outputs = Float64Array.from({ length: view.span }, (_, i) => run.row(layer, head, view.from + i).output[0] ?? 0);
    return { weights: square, elsewhere: rest, hard: hard ? squareOf(hard.head(layer, head), size, view).square : null, outputs, scale: run.row(layer, head, size - 1).scale };
  });
}

/** How far a head is from its hard choice, of heads that compute a number: the library has errors of truth values alone. -1: unknown. */
function distanceOf({ layer, head } = {}, run, hard) {
  if (!hard || !layer) return -1;
  let most = 0;
  for (let i = 0; i < run.about().size; i++) {
    const soft = run.row(layer, head, i).output;
    hard.row(layer, head, i).output.forEach((v, k) => {
      most = Math.max(most, Math.abs(soft[k] - v));
    });
  }
  return most;
}

/** The memory of the arrays of a picture, which is handed over instead of being copied. */
function buffersOf(picture) {
  const arrays = [...picture.heads.flatMap(h => (h ? [h.weights, h.elsewhere, h.hard, h.outputs] : [])), ...Object.values(picture.row ?? {}), ...picture.rows.flatMap(r => [r.truth, r.values])];
  return [...new Set(arrays.filter(ArrayBuffer.isView).map(a => a.buffer))];
}

function rowInFull(about, run, hard, state) {
  const info = about.heads[state.h];
  if (!info) return null;
  const { size } = run.about(), i = Math.min(state.i, size - 1), { layer, head } = info;
  const cut = array => (array ? array.slice(i * size, (i + 1) * size) : null);
  const values = Float64Array.from({ length: size }, (_, j) => run.row(layer, head, j).value[0]);
  const { scale, query, output } = run.row(layer, head, i);
  const part = about.parts.find(p => p.layer === layer && p.head === head && p.channel >= 0);
  return {
    i, scale, query, values, output: output[0],
    scores: cut(run.head(layer, head, 'scores')), logits: cut(run.head(layer, head, 'logits')), weights: cut(run.head(layer, head)),
    hard: hard ? cut(hard.head(layer, head)) : null,
    hardOutput: hard ? hard.row(layer, head, i).output[0] : null,
    rounded: part ? run.channels(layer, i)[part.channel] : null,
  };
}

/** How many answers differ from the truth, and the first position that does. */
function wrongOf(answers, truth, n) {
  let wrong = 0, firstWrong = 0;
  for (let k = 1; truth && k <= n; k++)
    if (answers[k] !== truth[k - 1]) {
      wrong++;
      firstWrong ||= k;
    }
  return { wrong, firstWrong };
}

function picture(shop, state) {
  const base = shop.base(state), model = shop.scaled(state), about = model.about();
  const text = lengthen(state, about), letters = blame('string', () => model.encode(text), about);
  const free = [letters];
  try {
    const n = letters.count, capture = n <= MAP_MOST;
    if (!shop.affordable(model, n, state.type, COST_MOST))
      throw new RangeError(`${n} letters are too many for ${state.type} and this transformer in a browser; the program has no such limit`);
    let run = model.run(letters, { type: state.type, capture, unchecked: true });
    free.push(run);
    const chosen = Math.min(state.h, Math.max(0, about.heads.length - 1));
    const told = run.about(), answers = run.output(0), truth = shop.truth(state, letters);
    const { wrong, firstWrong } = wrongOf(answers, truth.truth, n);
    const view = viewOf(about, n, told.size, firstWrong || (about.at === 'first' ? 1 : n));
    if (view.attends && !capture) {
      run = model.run(letters, { type: state.type, capture: true, unchecked: true });
      free.push(run);
    }
    const hard = view.attends ? shop.hardRun(base, letters) : null;
    if (hard) free.push(hard);
    const i = state.i >= view.from && state.i < view.from + view.span ? state.i : view.cutOff ? view.focus : view.span - 1;
    const names = ['^', ...textOf(text, about), ...(about.hasEnd ? ['$'] : [])];
    return {
      about, softenedFor: base.softenedFor ?? 0, text, letters: letters.numbers(), n, size: told.size, capture, ...view, names: names.slice(view.from, view.from + view.span),
      words: shop.words(state), rows: truthRows(shop, state, about, letters, run, view),
      truth: truth.truth, want: truth.accept, accept: Boolean(told.accept), answers: answers.slice(1, n + 1), wrong, firstWrong, errors: told.errors,
      distance: capture && told.errors[chosen] < 0 ? distanceOf(about.heads[chosen], run, hard) : -1,
      proved: Boolean(told.proved), claim: told.claim,
      heads: view.attends ? headPictures(about, run, hard, told.size, view, chosen) : [], row: view.attends ? rowInFull(about, run, hard, { ...state, h: chosen, i }) : null,
    };
  } finally {
    for (const thing of free.reverse()) thing.free();
  }
}

// ---- charts, in the background ----

/** One run: the largest error of the chosen head, and whether every answer is right. */
function sample(shop, state, model, text) {
  const letters = model.encode(text);
  let run, hard = null;
  try {
    if (!shop.affordable(model, letters.count, state.type, COST_MOST / 10)) return null;
    run = model.run(letters, { type: state.type, unchecked: true });
    if (run.about().errors[state.h] < 0 && letters.count <= MAP_MOST) {
      run.free();
      run = model.run(letters, { type: state.type, capture: true, unchecked: true });
      hard = shop.hardRun(shop.base(state), letters);
    }
    const { truth } = shop.truth(state, letters), answers = run.output(0);
    let right = true;
    for (let k = 0; k < letters.count && right && truth; k++) right = answers[k + 1] === truth[k];
    const error = run.about().errors[state.h] ?? 0;
    return { error: error < 0 ? distanceOf(model.about().heads[state.h], run, hard) : error, right };
  } finally {
    if (hard) hard.free();
    if (run) run.free();
    letters.free();
  }
}

/** The charts that are wanted. Reports come now and then, so that the page is not drawn more often than one can see. */
async function charts(shop, state, wants, mine, send) {
  const about = shop.base(state).about(), text = lengthen(state, about), n = textOf(text, about).length;
  let paused = performance.now(), reported = 0;
  const breathe = async report => {
    const now = performance.now();
    if (now - reported > 90) {
      reported = now;
      if (report) send(report());
    }
    if (now - paused > 12) {
      await pause();
      paused = performance.now();
    }
    return mine === background;
  };
  if (wants.factor) {
    // Coarse first, then finer, so that the picture is there at once and gets better.
    const steps = n > 2000 ? 16 : 48, points = [];
    const order = [...Array(steps + 1).keys()].sort((a, b) => (a % 4 ? 1 : 0) - (b % 4 ? 1 : 0) || a - b);
    const report = () => ({ kind: 'chart', key: 'factor', points: [...points].sort((a, b) => a.x - b.x) });
    for (const k of order) {
      const x = k / steps, point = sample(shop, state, shop.withFactor(state, 10 ** (2 * x - 1)), text);
      if (point) points.push({ x, ...point });
      if (!await breathe(report)) return;
    }
    send({ ...report(), done: true });
  }
  if (!wants.length) return;
  const model = shop.scaled(state), lengths = [], report = () => ({ kind: 'chart', key: 'length', points: lengths });
  for (let k = 0, m = 0; k <= 44; k++) {
    m = Math.max(m + 1, Math.round(1e5 ** (k / 44)));
    const point = sample(shop, state, model, lengthen({ ...state, n: m }, about));
    if (!point) break;
    lengths.push({ x: Math.log(m) / Math.log(1e5), ...point, n: m });
    if (!await breathe(report)) return;
  }
  send(report());
  await findBreak(shop, state, model, about, lengths, breathe, send);
}

/** The first length that breaks, one length after another up to where the chart saw a wrong answer. */
async function findBreak(shop, state, model, about, lengths, breathe, send) {
  const first = lengths.find(p => !p.right), reach = first ? first.n : lengths.length ? lengths[lengths.length - 1].n : 0;
  const begun = performance.now();
  for (let m = 1; m <= reach; m++) {
    if (performance.now() - begun > 6000) {
      send({ kind: 'breaks', from: first ? first.n : 0, upTo: reach, swept: m - 1 });
      return;
    }
    if (!sample(shop, state, model, lengthen({ ...state, n: m }, about))?.right) {
      send({ kind: 'breaks', from: m, upTo: m, swept: m });
      return;
    }
    if (!await breathe(null)) return;
  }
  send({ kind: 'breaks', from: 0, upTo: reach, swept: reach });
}

// ---- strings that are hard ----

/** Among many strings of the length one with a wrong answer, or else with the largest error. */
function worstString(shop, state, count) {
  const model = shop.scaled(state), about = shop.base(state).about(), letters = about.letters;
  const length = Math.min(Math.max(textOf(lengthen(state, about), about).length, 4), MAP_MOST);
  let best = null;
  for (let k = 0; k < count; k++) {
    const rare = letters[Math.floor(Math.random() * letters.length)], common = letters[Math.floor(Math.random() * letters.length)];
    const chance = [0.5, 0.9, 0.03][k % 3];
    const string = Array.from({ length }, (_, j) => (k % 7 === 0 ? (j === k % length ? rare : common)
      : Math.random() < chance ? common : letters[Math.floor(Math.random() * letters.length)]));
    const text = string.join(about.tokens ? ' ' : '');
    const point = sample(shop, state, model, text);
    const score = point.right ? point.error : 2 + point.error;
    if (!best || score > best.score) best = { score, text };
  }
  return best.text;
}

// ---- messages ----

onmessage = async ({ data }) => {
  const { id, what, state } = data;
  if (what === 'begin') {
    begin(data.module);
    if (data.module) return;
  }
  if (what === 'picture') generation = id;
  if (what === 'charts' || what === 'prove') background = id;
  let shop, module;
  try {
    ({ shop, module } = await loading);
  } catch (error) {
    postMessage({ id, kind: 'failed', error: plain(error) });
    return;
  }
  const send = (message, transfer = []) => postMessage({ id, ...message }, transfer);
  try {
    if (what === 'begin')
      send({ kind: 'ready', module, version: shop.engine.version, types: shop.engine.types, gallery: shop.engine.gallery() });
    else if (what === 'picture') {
      if (id !== generation) return;
      const made = picture(shop, state);
      send({ kind: 'picture', picture: made }, buffersOf(made));
    } else if (what === 'reach') send({ kind: 'reach', proof: shop.proof(state) });
    else if (what === 'charts') await charts(shop, state, data.wants, id, send);
    else if (what === 'prove') {
      for (const report of shop.prove(state, data.n)) {
        send({ kind: 'proof', ...report });
        await pause();
        if (id !== background) return;
      }
    } else if (what === 'checked')
      send({ kind: 'checked', checked: provedChecker && shop.checked(state, provedChecker, data.milliseconds) });
    else if (what === 'worst') send({ kind: 'string', text: worstString(shop, state, 400) });
    else if (what === 'take') send({ kind: 'taken', ...shop.take(state, data.thing, lengthen(state, shop.base(state).about())) });
    else if (what === 'limits') {
      for (const report of shop.limits(state, data.types)) {
        send({ kind: 'limits', ...report });
        await pause();
      }
    }
  } catch (error) {
    send({ kind: 'error', what, error: plain(error) });
  }
};
