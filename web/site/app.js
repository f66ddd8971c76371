// The page: what a person does becomes a state, the worker makes a picture of it, and the parts of the page draw that.

import { dragPlot, drawFactor, drawLength, factorAt, factorPlace, lengthAt, lengthPlace } from './charts.js';
import { commandFor } from './command.js';
import { showError } from './errors.js';
import { cellWords, drawFigure, drawHeads, rowAt, showAllRows } from './figure.js';
import { openLessons, lessonSees } from './lessons.js';
import { openLimits } from './limits.js';
import { byId, escape, grouped, isDark, note, num, put, whenResized, widthOf, words } from './paint.js';
import { drawRow } from './row.js';
import { EXAMPLES, SCALES, START, fromFragment, tidy, toFragment } from './state.js';
import { textOf } from './strings.js';
import { openFiles } from './take.js';
import { drawTruthTable } from './truth_table.js';
import { drawNoVerdict, drawVerdict } from './verdict.js';
import { ask, follow, onReport, painter, shareModule, tell } from './workers.js';

const CHECK_MOST = 8000; // milliseconds of the proved checker

const page = { state: fromFragment(location.hash), picture: null, ready: false };
const charts = { factor: { of: '', points: [] }, length: { of: '', points: [] } };
let breaks = null, proof = null, reach = null, checked = null, busy = false, wanted = false, gallery = [];

// ---- the workers ----

/** Something changed: a new picture, as soon as the painter is free. */
function update() {
  tidy(page.state);
  wanted = true;
  if (!busy) request();
}

function request() {
  if (!page.ready || !wanted) return;
  wanted = false;
  busy = true;
  tell(painter, 'picture', page.state);
}

onReport(data => {
  if (data.kind === 'proof' && data.id === page.proofId) {
    proof = { ...data, of: page.proofOf, own: { ...data.own, of: page.ownOf } };
    soon(drawProofs);
  } else if (data.kind === 'chart' && data.id === page.chartId) {
    charts[data.key] = { of: page.chartOf[data.key], points: data.points, done: data.done };
    soon(drawCharts);
  } else if (data.kind === 'breaks' && data.id === page.chartId) {
    breaks = { ...data, of: page.chartOf.length };
    drawBreaks();
  }
});

const later = new Set();

/** Draws at the next frame, once however often it is asked for. */
function soon(draw) {
  if (!later.size)
    requestAnimationFrame(() => {
      const all = [...later];
      later.clear();
      for (const one of all) one();
    });
  later.add(draw);
}

painter.onmessage = ({ data }) => {
  if (data.kind === 'ready') start(data);
  else if (data.kind === 'failed') {
    busy = false;
    byId('notice').hidden = false;
    byId('notice').textContent = `The engine could not be loaded: ${data.error.message}`;
  } else if (data.kind === 'picture') {
    busy = false;
    showError(null, page);
    takePicture(data.picture);
    if (wanted) request();
  } else if (data.kind === 'error' && data.what === 'picture') {
    busy = false;
    showError(data.error, page);
    if (!page.picture) drawNoVerdict();
    if (wanted) request();
  }
};
painter.onerror = event => {
  byId('notice').hidden = false;
  byId('notice').textContent = `The worker stopped: ${event.message || 'it could not be started'}`;
};

// ---- what the worker says ----

/** What things are of: parts of the state, as words. What was computed of another one is not shown, or shown as old. */
function keysOf(state) {
  const model = [state.syntax, state.f, state.a, state.m, state.type], string = [state.w, state.by];
  return {
    model: JSON.stringify(model), factor: JSON.stringify([model, string, state.n, state.h, state.s]),
    length: JSON.stringify([model, string, state.h, state.t, state.s]), own: JSON.stringify([model, state.n, state.t, state.s]),
  };
}

const timers = {};

function after(name, delay, body) {
  clearTimeout(timers[name]);
  timers[name] = setTimeout(body, delay);
}

function takePicture(picture) {
  const { state } = page;
  page.picture = picture;
  state.h = Math.min(state.h, Math.max(0, picture.about.heads.length - 1));
  redraw();
  for (const [id, value] of [['string', state.w], ['formula', state.f]])
    if (document.activeElement !== byId(id) && byId(id).value !== value) byId(id).value = value;
  document.documentElement.dataset.drawn = String((Number(document.documentElement.dataset.drawn) || 0) + 1);
  lessonSees(page);
  after('truth', 250, () => drawTruthTable(page.picture));
  after('address', 120, () => history.replaceState(null, '', toFragment(state, document.documentElement.dataset.theme)));
  const keys = keysOf(state);
  page.keys = keys;
  if (reach?.of !== keys.model) after('reach', 25, () => findReach(keys.model));
  after('charts', 60, () => findCharts(keys));
  if ((keys.own !== page.ownOf || keys.factor !== page.proofOf)) after('proofs', 350, () => findProofs(keys, picture.n));
}

/** The length up to which the model is proved. */
async function findReach(of) {
  const found = await ask('reach', page.state, {}, 'charter').catch(() => null);
  if (!found || keysOf(page.state).model !== of) return;
  reach = { of, ...found.proof };
  if (page.picture) drawProofs();
  if (reach.length >= 0) after('checked', 150, () => findChecked(of));
}

/** The length up to which the proved checker accepts the model's file. A worker of its own is stopped where that takes too long. */
function findChecked(of) {
  page.stopChecking?.();
  if (page.noChecker || checked?.of === of) return;
  const stop = follow('checked', page.state, { milliseconds: CHECK_MOST / 2 }, data => {
    page.stopChecking();
    if (data.kind !== 'checked') return;
    page.noChecker = !data.checked;
    checked = { of, ...data.checked };
    if (page.picture) drawProofs();
  });
  const timer = setTimeout(stop, CHECK_MOST);
  page.stopChecking = () => {
    clearTimeout(timer);
    stop();
  };
}

function findCharts(keys) {
  const asked = page.chartOf ?? {};
  if (keys.factor === asked.factor && keys.length === asked.length) return;
  // A new request stops the one before, so what that has not finished is asked for again.
  const wants = { factor: keys.factor !== asked.factor || !charts.factor.done, length: keys.length !== asked.length || breaks?.of !== keys.length };
  page.chartOf = { factor: keys.factor, length: keys.length };
  page.chartId = tell('charter', 'charts', page.state, { wants });
}

function findProofs(keys, n) {
  page.ownOf = keys.own;
  page.proofOf = keys.factor;
  page.proofId = tell('prover', 'prove', page.state, { n });
}

/** Points of the chart for which a proof was tried, with what came of it; nothing is inferred of others. */
function withProofs(points, of) {
  const known = new Map((proof?.of === of ? proof.known : []).map(p => [p.k, p]));
  return points.filter(p => known.has(Math.round(48 * p.x))).map(p => {
    const { proved, bound } = known.get(Math.round(48 * p.x));
    return { ...p, proved, bound };
  });
}

function drawCharts() {
  const { picture, state } = page;
  if (!picture) return;
  const isTruth = !(picture.errors[state.h] < 0), error = isTruth ? picture.errors[state.h] ?? 0 : picture.distance, keys = keysOf(state), own = proof?.own.of === keys.own ? proof.own : null;
  const proved = isRescaled(state) ? -1 : reach?.of === keys.model ? reach.length : -1;
  const { factor, length } = charts;
  drawFactor(factor.points, withProofs(factor.points, keys.factor), state, error, isTruth);
  drawLength(length.points.map(p => ({ ...p, proved: p.n <= proved || (own?.proved && p.n <= picture.n) })), state, error, isTruth, !isRescaled(state));
  byId('factor-section').classList.toggle('old', factor.of !== keys.factor);
  byId('length-section').classList.toggle('old', length.of !== keys.length);
  drawBreaks();
}

function drawBreaks() {
  const box = byId('breaks');
  if (!breaks || breaks.of !== keysOf(page.state).length) put(box, 'looking for wrong answers …');
  else if (breaks.from && breaks.swept === breaks.from) put(box, `<b class="bad">first wrong at n = ${grouped(breaks.from)}</b>`);
  else if (breaks.from) put(box, `<b class="bad">wrong at n = ${grouped(breaks.from)}</b>, right up to ${grouped(breaks.swept)}`);
  else put(box, `nothing breaks up to ${grouped(breaks.upTo)}${breaks.swept < breaks.upTo ? ', as far as was tried' : ''}`);
}

const isRescaled = state => Boolean(state.s) || state.t !== 1;

/** What is proved and what that changes; of the picture that is shown, or not at all. */
function drawProofs() {
  const { picture, state } = page, keys = keysOf(state), own = proof?.own.of === keys.own ? proof.own : null;
  picture.provedHere = picture.proved && !isRescaled(state);
  picture.provedNow = Boolean(picture.provedHere || own?.proved);
  picture.bound = own?.bound ?? null;
  picture.proof = reach?.of === keys.model ? reach : null;
  picture.checked = checked?.of === keys.model ? checked.length : -1;
  picture.bounding = picture.provedNow && !own; // the bound comes with the certificate, a little later
  picture.proving = !picture.provedNow && isRescaled(state) && !own;
  drawVerdict(picture, state);
  drawCharts();
}

function redraw() {
  const { picture, state } = page;
  if (!picture) return;
  state.i = Math.min(state.i, Math.max(0, picture.size - 1));
  drawProofs();
  drawHeads(picture, state);
  drawFigure(picture, state);
  drawRow(picture, state);
  controls(picture);
}

function press(id, value) {
  for (const button of byId(id).querySelectorAll('button')) note(button, 'aria-pressed', button.dataset.value === String(value));
}

/** The formula in words, what the alphabet makes simpler, and a comma or a blank that somebody may not mean. */
function sayWords(said, alphabet, tokens) {
  if (!said) return '';
  const lines = said.simplified.split('\n').filter(Boolean).map(line => `${line}.`);
  const comma = /.,./.test(alphabet) ? 'The comma is a letter, too.' : '';
  const blank = !tokens && /^[^ ] [^ ]$/u.test(alphabet) ? 'The blank is a letter, too.' : '';
  return [said.words && `In words: ${said.words}.`, ...lines, comma, blank].filter(Boolean).join(' ');
}

function controls(picture) {
  const { state } = page, head = picture.about.heads[state.h];
  press('log', state.log);
  press('by', state.by);
  for (const chip of byId('scales').children) note(chip, 'aria-pressed', chip.dataset.scale === state.s && state.s !== '');
  byId('factor').value = Math.round(1000 * factorPlace(state.t));
  byId('length').value = Math.round(1000 * lengthPlace(state.n));
  const scale = picture.heads[state.h]?.scale;
  const factor = Number(state.t.toPrecision(3)), of = state.s ? 'your scale' : 'the proved scale';
  words(byId('factor-of'), `× ${of}`);
  words(byId('factor-out'), `${factor}×${scale ? ' = ' + num(scale) : head && state.t === 1 ? ' ' + (state.s || head.scale) : ''}`);
  words(byId('length-out'), `n = ${grouped(state.n)}`);
  note(byId('factor'), 'aria-valuetext', `${factor} times ${of}, ${picture.accept === picture.want ? 'right' : 'wrong'}`);
  note(byId('length'), 'aria-valuetext', `${state.n} letters`);
  for (const [id, key] of [['type', 'type'], ['method', 'm'], ['syntax', 'syntax'], ['scale', 's'], ['alphabet', 'a'], ['gallery', 'f']])
    if (document.activeElement !== byId(id) && byId(id).value !== state[key]) byId(id).value = state[key];
  note(byId('alphabet'), 'placeholder', picture.about.letters.join(picture.about.tokens ? ' ' : ''));
  byId('alphabet').disabled = state.syntax === 'gallery';
  note(byId('gallery'), 'title', byId('gallery').selectedOptions[0]?.textContent ?? '');
  words(byId('words'), sayWords(picture.words, state.a, picture.about.tokens));
  words(byId('command'), commandFor(state, picture));
  if (state.syntax === 'gallery') words(byId('formula-note'), `a known hard-attention transformer, softened for ${picture.softenedFor} letters`);
}

// ---- what a person does ----

function setState(changes) {
  Object.assign(page.state, changes);
  byId('formula').value = page.state.f;
  byId('string').value = page.state.w;
  showSyntax();
  update();
}

function letters() {
  return textOf(page.state.w, page.picture?.about ?? { tokens: 0 });
}

function setString(text) {
  const { state } = page, whole = state.n === letters().length, atEnd = state.i >= state.n;
  state.w = text;
  if (whole) state.n = Math.max(1, letters().length);
  if (atEnd || state.i > state.n) state.i = state.n;
  byId('string').value = text;
  update();
}

function setLength(n) {
  const { state } = page, atEnd = state.i >= state.n;
  state.n = n;
  tidy(state);
  if (atEnd || state.i > state.n) state.i = state.n;
  update();
}

function showSyntax() {
  const { syntax, f } = page.state, isGallery = syntax === 'gallery', program = syntax === 'crasp' || syntax === 'brasp';
  // As many lines as the text needs, by the width of a letter: asking the browser for them would lay the page out at every key.
  const isSmall = program || f.includes('\n') || f.length > 36, columns = Math.max(10, Math.floor((widthOf(byId('formula').parentNode) - 116) / 8.9));
  const lines = f.split('\n').reduce((sum, line) => sum + Math.max(1, Math.ceil([...line].length / columns)), 0);
  byId('gallery').hidden = !isGallery;
  byId('formula').hidden = isGallery;
  byId('formula').classList.toggle('program', isSmall);
  byId('formula').style.height = isSmall && lines > 1 ? `${Math.min(9, lines) * 20 + 16}px` : '';
  byId('syntax').value = syntax;
  byId('formula-label').textContent = { spec: 'Formula', regex: 'Regular expression', crasp: 'C-RASP program', brasp: 'B-RASP program', gallery: 'Gallery' }[syntax];
  byId('formula-note').textContent = { spec: 'O once, H always so far, Y yesterday, S since, #[a] count; ! & | ->', regex: 'the whole string must match', crasp: 'a definition a line; the last is the answer',
    brasp: 'a definition a line; the last is the answer', gallery: 'known hard-attention transformers, softened' }[syntax];
}

function cycleLetter(j, step) {
  const own = letters(), { state, picture } = page, alphabet = picture.about.letters;
  const k = state.by === 'l' ? Math.min(j, own.length - 1) : j % own.length;
  own[k] = alphabet[(alphabet.indexOf(own[k]) + step + alphabet.length) % alphabet.length];
  setString(own.join(picture.about.tokens ? ' ' : ''));
}

function wire() {
  const { state } = page;
  byId('formula').addEventListener('input', event => {
    state.f = event.target.value;
    showSyntax();
    update();
  });
  byId('string').addEventListener('input', event => setString(event.target.value));
  byId('alphabet').addEventListener('input', event => {
    state.a = event.target.value; // the blank is a letter, too
    update();
  });
  byId('scale').addEventListener('input', event => {
    Object.assign(state, { s: event.target.value.trim(), t: 1 });
    update();
  });
  byId('scales').addEventListener('click', event => {
    const { scale } = event.target.dataset;
    if (scale !== undefined) setState({ s: scale, t: 1 });
  });
  byId('syntax').addEventListener('change', event => {
    const example = EXAMPLES.find(([, x]) => (x.syntax ?? 'spec') === event.target.value);
    setState(event.target.value === 'gallery' ? { syntax: 'gallery', f: gallery[0].name, w: '', s: '', t: 1, h: 0, ...sampleOf(gallery[0]) } : { ...START, ...example[1] });
  });
  byId('gallery').addEventListener('change', event => setState({ f: event.target.value, s: '', t: 1, h: 0, ...sampleOf(gallery.find(g => g.name === event.target.value)) }));
  byId('examples').addEventListener('change', event => {
    if (event.target.value === '') return;
    setState({ ...START, ...EXAMPLES[Number(event.target.value)][1], log: state.log });
    event.target.value = '';
  });
  byId('strings').addEventListener('change', async event => {
    const kind = event.target.value, alphabet = page.picture?.about.letters ?? ['a', 'b'];
    event.target.value = '';
    const size = Math.max(4, Math.min(letters().length, 60));
    const join = list => list.join(page.picture?.about.tokens ? ' ' : '');
    if (kind === 'random') setString(join(Array.from({ length: size }, () => alphabet[Math.floor(Math.random() * alphabet.length)])));
    else if (kind === 'longest') {
      const first = letters()[0] ?? alphabet[0];
      setString(join([first, ...Array(size - 1).fill(alphabet.find(a => a !== first) ?? first)]));
    } else if (kind === 'worst') setString((await ask('worst', page.state)).text);
  });
  const slider = byId('factor');
  const setFactor = (place, snap = 0.012) => {
    let f = factorAt(Math.min(1, Math.max(0, place)));
    if (Math.abs(place - 0.5) < snap) f = 1; // the pointer finds 1× easily
    state.t = Number(f.toPrecision(4));
    update();
  };
  slider.addEventListener('input', () => setFactor(slider.value / 1000));
  byId('length').addEventListener('input', event => setLength(lengthAt(event.target.value / 1000)));
  const steps = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 };
  slider.addEventListener('keydown', event => {
    if (!steps[event.key]) return;
    event.preventDefault();
    setFactor(Math.round(100 * factorPlace(state.t) + steps[event.key]) / 100, 0.001);
  });
  byId('length').addEventListener('keydown', event => {
    if (!steps[event.key]) return;
    event.preventDefault();
    setLength(state.n + steps[event.key]);
  });
  dragPlot('factor-plot', 'factor');
  dragPlot('length-plot', 'length');
  byId('type').addEventListener('change', event => setState({ type: event.target.value }));
  byId('method').addEventListener('change', event => setState({ m: event.target.value, h: 0 }));
  for (const [id, key] of [['log', 'log'], ['by', 'by'], ['heads', 'h']])
    byId(id).addEventListener('click', event => {
      const button = event.target.closest('button');
      if (!button) return;
      state[key] = key === 'by' ? button.dataset.value : Number(button.dataset.value);
      update();
    });
  byId('tiles').addEventListener('click', event => {
    const { j } = event.target.dataset;
    if (j === undefined) return;
    const own = letters(), join = list => list.join(page.picture.about.tokens ? ' ' : '');
    if (j === '+') setString(join([...own, page.picture.about.letters.at(-1)]));
    else if (j === '-') own.length > 1 && setString(join(own.slice(0, -1)));
    else cycleLetter(Number(j), 1);
  });
  byId('tiles').addEventListener('keydown', event => {
    const j = Number(event.target.dataset.j);
    if (Number.isNaN(j)) return;
    if (page.picture.about.letters.includes(event.key)) {
      const own = letters();
      own[state.by === 'l' ? Math.min(j, own.length - 1) : j % own.length] = event.key;
      setString(own.join(''));
    } else if (event.key === 'ArrowRight' || event.key === 'ArrowLeft')
      byId('tiles').querySelector(`[data-j="${j + (event.key === 'ArrowRight' ? 1 : -1)}"]`)?.focus();
  });
  byId('map').addEventListener('click', event => {
    const i = rowAt(event.clientY - byId('map').getBoundingClientRect().top);
    if (i >= 0) setState({ i });
  });
  byId('map').addEventListener('mousemove', event => {
    const box = byId('map').getBoundingClientRect();
    byId('figure').title = page.picture ? cellWords(page.picture, page.state, event.clientX - box.left, event.clientY - box.top) : '';
  });
  byId('map').addEventListener('keydown', event => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const { from, span, row } = page.picture;
    setState({ i: Math.min(from + span - 1, Math.max(from, (row?.i ?? state.i) + step)) });
  });
  byId('share').addEventListener('click', event => copy(event.target, location.href.replace(/#.*/, '') + toFragment(state, document.documentElement.dataset.theme)));
  byId('copy').addEventListener('click', event => copy(event.target, byId('command').textContent));
  byId('download').addEventListener('click', () => openFiles(page));
  const label = () => {
    byId('theme').textContent = isDark() ? 'Light' : 'Dark';
  };
  byId('theme').addEventListener('click', () => {
    document.documentElement.dataset.theme = isDark() ? 'light' : 'dark';
    label();
    redraw();
    history.replaceState(null, '', toFragment(state, document.documentElement.dataset.theme));
  });
  label();
  matchMedia('(prefers-color-scheme:dark)').addEventListener('change', () => {
    label();
    redraw();
  });
  byId('lessons-open').addEventListener('click', () => openLessons(page, setState));
  byId('limits-open').addEventListener('click', () => openLimits(page));
  let everyRow = false;
  byId('rows').addEventListener('click', () => {
    everyRow = !everyRow;
    showAllRows(everyRow);
    redraw();
  });
  whenResized(() => {
    showSyntax();
    soon(redraw);
  });
  addEventListener('hashchange', event => {
    Object.assign(state, fromFragment(new URL(event.newURL).hash)); // the address itself may have been written again since
    setState({});
  });
}

const sampleOf = entry => {
  const alphabet = [...entry.alphabet];
  const w = /dyck/.test(entry.name) ? '(())' : alphabet.concat(alphabet).slice(0, 6).join('');
  return { a: '', w: [...w].every(c => alphabet.includes(c)) ? w : alphabet.slice(0, 6).join(''), n: Math.min(6, w.length), i: Math.min(6, w.length) };
};

function copy(button, text) {
  const old = button.textContent, done = () => {
    button.textContent = 'Copied';
    byId('live').textContent = 'Copied';
    setTimeout(() => {
      button.textContent = old;
    }, 1200);
  };
  if (navigator.clipboard) navigator.clipboard.writeText(text).then(done, () => prompt('Copy this', text));
  else prompt('Copy this', text);
}

function start(about) {
  page.ready = true;
  shareModule(about.module);
  gallery = about.gallery;
  byId('type').innerHTML = about.types.filter(t => t !== 'exact').map(t => `<option>${t}</option>`).join('');
  byId('gallery').innerHTML = gallery.map(g => `<option value="${escape(g.name)}">${escape(g.title)}: ${escape(g.language)}</option>`).join('');
  document.documentElement.dataset.ready = 'true';
  showSyntax();
  update();
}

byId('examples').innerHTML = '<option value="">choose…</option>' + EXAMPLES.map(([name], k) => `<option value="${k}">${escape(name)}</option>`).join('');
byId('scales').innerHTML = SCALES.map(([name, scale, about]) => `<button type="button" class="link" data-scale="${escape(scale)}" title="${escape(about)}">${escape(name)}</button>`).join('') +
  '<button type="button" class="link" data-scale="" title="back to the scale that is proved">none</button>';
byId('formula').value = page.state.f;
byId('string').value = page.state.w;
wire();
showSyntax();
