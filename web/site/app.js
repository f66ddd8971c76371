// The page: what a person does becomes a state, the worker makes a picture of it, and the parts of the page draw that.

import { dragPlot, drawLength, drawTemperature, factorAt, factorPlace, lengthAt, lengthPlace } from './charts.js';
import { commandFor } from './command.js';
import { cellWords, drawFigure, drawHeads } from './figure.js';
import { openLessons, lessonSees } from './lessons.js';
import { openLimits } from './limits.js';
import { byId, escape, grouped, isDark, num } from './paint.js';
import { drawRow } from './row.js';
import { EXAMPLES, START, fromFragment, tidy, toFragment } from './state.js';
import { textOf } from './strings.js';
import { takeAway } from './take.js';
import { drawVerdict } from './verdict.js';

export const page = { state: fromFragment(location.hash), picture: null, full: false, ready: false };
const charts = { temperature: [], length: [] };
let breaks = null, proof = null, number = 0, busy = false, wanted = false, drawnAt = 0, chartTimer = 0, proofTimer = 0, gallery = [];

// ---- the worker ----

const worker = new Worker('worker.js', { type: 'module' });
let prover = null; // a second worker, for what takes long
const waiting = new Map(); // answers to single questions, by number

function newProver() {
  const made = new Worker('worker.js', { type: 'module' });
  made.onmessage = ({ data }) => receive(data);
  return made;
}

/** Asks the prover something that has one answer. */
export function ask(what, rest = {}) {
  prover ||= newProver();
  return new Promise((resolve, reject) => {
    waiting.set(++number, { resolve, reject });
    prover.postMessage({ id: number, what, state: { ...page.state }, ...rest });
  });
}

/** The same with reports on the way: calls report until it is done; returns a function that stops it. */
export function follow(what, rest, report) {
  const own = new Worker('worker.js', { type: 'module' });
  own.onmessage = ({ data }) => report(data);
  own.postMessage({ id: 1, what, state: { ...page.state }, ...rest });
  return () => own.terminate();
}

/** Something changed: a new picture, as soon as the worker is free. */
export function update() {
  tidy(page.state);
  wanted = true;
  if (!busy) request();
}

function request() {
  if (!page.ready || !wanted) return;
  wanted = false;
  busy = true;
  drawnAt = performance.now();
  worker.postMessage({ id: ++number, what: 'picture', state: { ...page.state } });
}

function receive(data) {
  const question = waiting.get(data.id);
  if (question) {
    waiting.delete(data.id);
    if (data.kind === 'error' || data.kind === 'failed') question.reject(data.error);
    else question.resolve(data);
  } else if (data.kind === 'proof' && data.id === page.proofId) {
    proof = data;
    redraw();
  }
}

worker.onmessage = ({ data }) => {
  if (data.kind === 'ready') start(data);
  else if (data.kind === 'failed') {
    busy = false;
    byId('notice').hidden = false;
    byId('notice').textContent = `The engine could not be loaded: ${data.error.message}`;
  } else if (data.kind === 'picture') {
    busy = false;
    showError(null);
    takePicture(data.picture);
    if (wanted) request();
  } else if (data.kind === 'error' && data.what === 'picture') {
    busy = false;
    showError(data.error);
    if (wanted) request();
  } else if (data.kind === 'chart' && data.id === page.chartId) {
    charts[data.key] = data.points;
    drawCharts();
  } else if (data.kind === 'breaks' && data.id === page.chartId) {
    breaks = data;
    drawBreaks();
  }
};
worker.onerror = event => {
  byId('notice').hidden = false;
  byId('notice').textContent = `The worker stopped: ${event.message || 'it could not be started'}`;
};

// ---- what the worker says ----

let chartKey = '', proofKey = '';

function takePicture(picture) {
  const { state } = page;
  page.picture = picture;
  state.h = Math.min(state.h, Math.max(0, picture.about.heads.length - 1));
  const rescaled = Boolean(state.s) || state.t !== 1;
  picture.provedHere = picture.proved && !rescaled;
  const of = JSON.stringify([state.syntax, state.f, state.a, state.m, state.type, state.w, state.by, state.n, state.h]);
  if (of !== page.of) {
    page.of = of;
    proof = null;
  }
  redraw();
  for (const [id, value] of [['string', state.w], ['formula', state.f]]) if (document.activeElement !== byId(id)) byId(id).value = value;
  history.replaceState(null, '', toFragment(state, document.documentElement.dataset.theme));
  page.latency = performance.now() - drawnAt;
  document.documentElement.dataset.drawn = String((Number(document.documentElement.dataset.drawn) || 0) + 1);
  lessonSees(page);
  clearTimeout(chartTimer);
  clearTimeout(proofTimer);
  const wantsCharts = JSON.stringify([of, state.t, state.s]);
  if (wantsCharts !== chartKey)
    chartTimer = setTimeout(() => {
      chartKey = wantsCharts;
      breaks = null;
      page.chartId = ++number;
      worker.postMessage({ id: page.chartId, what: 'charts', state: { ...state } });
    }, 60);
  if (page.full && wantsCharts !== proofKey)
    proofTimer = setTimeout(() => {
      proofKey = wantsCharts;
      prover ||= newProver();
      page.proofId = ++number;
      prover.postMessage({ id: page.proofId, what: 'prove', state: { ...state }, n: picture.n });
    }, 350);
}

/** Points of the chart for which a proof was tried, with what came of it; nothing is inferred of others. */
function withProofs(points) {
  const known = new Map((proof?.known ?? []).map(p => [p.k, p]));
  return points.filter(p => known.has(Math.round(48 * p.x))).map(p => {
    const { proved, bound } = known.get(Math.round(48 * p.x));
    return { ...p, proved, bound };
  });
}

function drawCharts() {
  const { picture, state } = page;
  if (!picture) return;
  const error = picture.errors[state.h] ?? 0, rescaled = Boolean(state.s) || state.t !== 1, reach = rescaled ? -1 : picture.proof?.length ?? -1;
  drawTemperature(charts.temperature, withProofs(charts.temperature), state, error, page.full);
  drawLength(charts.length.map(p => ({ ...p, proved: p.n <= reach || (rescaled && proof?.own.proved && p.n <= picture.n) })), state, error, page.full && !rescaled);
}

function drawBreaks() {
  const box = byId('breaks');
  if (!breaks) box.textContent = '';
  else if (breaks.from && breaks.swept === breaks.from) box.innerHTML = `<b style="color:var(--bad)">first wrong at n = ${grouped(breaks.from)}</b>`;
  else if (breaks.from) box.innerHTML = `<b style="color:var(--bad)">wrong at n = ${grouped(breaks.from)}</b>, right up to ${grouped(breaks.swept)}`;
  else box.textContent = `nothing breaks up to ${grouped(breaks.upTo)}${breaks.swept < breaks.upTo ? ', as far as was tried' : ''}`;
}

function redraw() {
  const { picture, state } = page;
  if (!picture) return;
  state.i = Math.min(state.i, Math.max(0, picture.size - 1));
  picture.provedNow = Boolean(picture.provedHere || proof?.own.proved);
  picture.bound = proof?.own.bound ?? (picture.provedHere ? picture.baseHeads[state.h]?.bound : null);
  drawVerdict(picture, state, page.full);
  drawHeads(picture, state);
  drawFigure(picture, state);
  drawRow(picture, state);
  drawCharts();
  drawBreaks();
  controls(picture);
}

function press(id, value) {
  for (const button of byId(id).querySelectorAll('button')) button.setAttribute('aria-pressed', String(button.dataset.value === String(value)));
}

function controls(picture) {
  const { state } = page, head = picture.about.heads[state.h];
  press('log', state.log);
  press('by', state.by);
  byId('temperature').value = Math.round(1000 * factorPlace(state.t));
  byId('length').value = Math.round(1000 * lengthPlace(state.n));
  const scale = picture.heads[state.h]?.scale;
  byId('temperature-out').textContent = state.s ? state.s : `${Number(state.t.toPrecision(3))}×${scale ? ' = ' + num(scale) : head ? ' ' + head.scale : ''}`;
  byId('length-out').textContent = `n = ${grouped(state.n)}`;
  byId('temperature').setAttribute('aria-valuetext', `${Number(state.t.toPrecision(3))} times the proved scale, ${picture.accept === picture.want ? 'right' : 'wrong'}`);
  byId('length').setAttribute('aria-valuetext', `${state.n} letters`);
  for (const [id, key] of [['type', 'type'], ['method', 'm'], ['syntax', 'syntax'], ['scale', 's'], ['alphabet', 'a'], ['gallery', 'f']])
    if (document.activeElement !== byId(id)) byId(id).value = state[key];
  byId('command').textContent = commandFor(state, picture);
}

// ---- errors, with a caret ----

function showError(error) {
  const box = byId('error'), { state } = page;
  byId('formula').removeAttribute('aria-invalid');
  byId('string').removeAttribute('aria-invalid');
  byId('scale').removeAttribute('aria-invalid');
  if (!error) {
    box.textContent = '';
    return;
  }
  const still = page.picture ? '  (The picture is of the last state that was right.)' : '';
  if (error.line) {
    const line = state.f.split('\n')[error.line - 1] ?? '', before = [...line].slice(0, error.column - 1).length;
    byId('formula').setAttribute('aria-invalid', 'true');
    box.textContent = `${state.f.includes('\n') ? `line ${error.line}: ` : ''}${line}\n${' '.repeat(before + (state.f.includes('\n') ? `line ${error.line}: `.length : 0))}^ ${error.message}${error.hint ? `; ${error.hint}` : ''}${still}`;
  } else {
    const about = /letter|alphabet/.test(error.message) ? 'string' : state.s && /scale|expression/.test(error.message) ? 'scale' : 'formula';
    byId(about).setAttribute('aria-invalid', 'true');
    box.textContent = `${error.message}${error.hint ? `; ${error.hint}` : ''}${still}`;
  }
}

// ---- what a person does ----

export function setState(changes) {
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
  const { syntax } = page.state, isGallery = syntax === 'gallery', program = syntax === 'crasp' || syntax === 'brasp';
  byId('gallery').hidden = !isGallery;
  byId('formula').hidden = isGallery;
  byId('formula').classList.toggle('program', program || page.state.f.includes('\n'));
  byId('formula').style.height = page.state.f.includes('\n') ? `${Math.min(9, page.state.f.split('\n').length) * 20 + 16}px` : '';
  byId('syntax').value = syntax;
  byId('formula-label').textContent = { spec: 'Formula', regex: 'Regular expression', crasp: 'C-RASP program', brasp: 'B-RASP program', gallery: 'Gallery' }[syntax];
  byId('formula-note').textContent = { spec: 'O once, H always so far, Y yesterday, S since, #[a] count; ! & | ->', regex: 'the whole string must match', crasp: 'a definition a line; the last is the answer',
    brasp: 'a definition a line; the last is the answer', gallery: 'known hard-attention transformers, softened for 32 letters' }[syntax];
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
    state.a = event.target.value.trim();
    update();
  });
  byId('scale').addEventListener('input', event => {
    state.s = event.target.value.trim();
    update();
  });
  byId('syntax').addEventListener('change', event => {
    const example = EXAMPLES.find(([, x]) => (x.syntax ?? 'spec') === event.target.value);
    const brasp = { f: 'P = ◄ [j<i, 1] Q_a(j) : 0', a: 'abc' };
    setState(event.target.value === 'gallery' ? { syntax: 'gallery', f: gallery[0].name, w: '', s: '', t: 1, h: 0, ...sampleOf(gallery[0]) }
      : event.target.value === 'brasp' ? { ...START, syntax: 'brasp', ...brasp } : { ...START, ...example[1] });
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
    } else if (kind === 'worst') setString((await ask('worst')).text);
  });
  const temperature = byId('temperature');
  const setFactor = (place, snap = 0.012) => {
    let f = factorAt(Math.min(1, Math.max(0, place)));
    if (Math.abs(place - 0.5) < snap) f = 1; // the pointer finds 1× easily
    state.t = Number(f.toPrecision(4));
    state.s = '';
    update();
  };
  temperature.addEventListener('input', () => setFactor(temperature.value / 1000));
  byId('length').addEventListener('input', event => setLength(lengthAt(event.target.value / 1000)));
  const steps = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 };
  temperature.addEventListener('keydown', event => {
    if (!steps[event.key]) return;
    event.preventDefault();
    setFactor(Math.round(100 * factorPlace(state.t) + steps[event.key]) / 100, 0.001);
  });
  byId('length').addEventListener('keydown', event => {
    if (!steps[event.key]) return;
    event.preventDefault();
    setLength(state.n + steps[event.key]);
  });
  dragPlot('temperature-plot', 'temperature');
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
    const map = byId('map'), row = Number(map.dataset.row);
    if (!row) return;
    const i = Math.floor((event.clientY - map.getBoundingClientRect().top - Number(map.dataset.top)) / row);
    if (i >= 0 && i < page.picture.size) setState({ i });
  });
  byId('map').addEventListener('mousemove', event => {
    const box = byId('map').getBoundingClientRect();
    byId('figure').title = page.picture ? cellWords(page.picture, page.state, event.clientX - box.left, event.clientY - box.top) : '';
  });
  byId('map').addEventListener('keydown', event => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    setState({ i: Math.min(page.picture.size - 1, Math.max(0, state.i + step)) });
  });
  byId('share').addEventListener('click', event => copy(event.target, location.href));
  byId('copy').addEventListener('click', event => copy(event.target, byId('command').textContent));
  byId('download').addEventListener('change', async event => {
    const thing = event.target.value;
    event.target.value = '';
    if (thing) await takeAway(thing, page, ask).catch(error => showError(error));
  });
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
  byId('lessons-open').addEventListener('click', () => openLessons());
  byId('limits-open').addEventListener('click', () => openLimits());
  addEventListener('resize', () => requestAnimationFrame(redraw));
  addEventListener('hashchange', () => {
    Object.assign(state, fromFragment(location.hash));
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
  page.full = about.full;
  gallery = about.gallery;
  byId('type').innerHTML = about.types.filter(t => t !== 'exact').map(t => `<option>${t}</option>`).join('');
  byId('gallery').innerHTML = gallery.map(g => `<option value="${escape(g.name)}">${escape(g.title)}: ${escape(g.language)}</option>`).join('');
  if (!about.full) {
    byId('download').querySelector('[value=certificate]').remove();
    byId('syntax').querySelector('[value=gallery]').remove();
    byId('live').textContent = 'This build proves nothing';
  }
  document.documentElement.dataset.ready = 'true';
  showSyntax();
  update();
}

byId('examples').innerHTML = '<option value="">choose…</option>' + EXAMPLES.map(([name], k) => `<option value="${k}">${escape(name)}</option>`).join('');
byId('formula').value = page.state.f;
byId('string').value = page.state.w;
wire();
showSyntax();
worker.postMessage({ id: 0, what: 'hello' });
