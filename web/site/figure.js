// The string as a ruler: its letters, the truth of every subformula at every position, and below it the attention of a head.

import { Sheet } from './canvas.js';
import { byId, escape, grouped, inks, note, num, put, shadeOf, widthOf, words } from './paint.js';
import { textOf } from './strings.js';

const OUTPUT = 78, ROWS = 24;
let sheet = null, layout = null, allRows = false;

/** Small maps, one a head, to choose from. */
export function drawHeads(picture, state) {
  const { heads } = picture.about, box = byId('heads');
  const html = heads.length < 2 ? '' : heads.map((h, k) => `<button type="button" data-value="${k}" title="${escape(h.label)}">` +
    `${picture.capture ? '<canvas width="30" height="30"></canvas>' : ''}<span>${h.layer}.${h.head}</span><code>${escape(h.label)}</code></button>`).join('');
  const focused = box.contains(document.activeElement) ? document.activeElement.dataset.value : null;
  if (put(box, html) && focused !== null) box.querySelector(`[data-value="${focused}"]`)?.focus();
  [...box.children].forEach((button, k) => {
    note(button, 'aria-pressed', k === state.h);
    button.querySelector('span').className = picture.errors[k] > 0.25 ? 'bad' : '';
  });
  if (!picture.capture) return;
  const { pixels } = inks(), { size } = picture;
  box.querySelectorAll('canvas').forEach((canvas, k) => {
    const image = new ImageData(size, size), out = new Uint32Array(image.data.buffer), { weights } = picture.heads[k];
    if (canvas.width !== size) canvas.width = canvas.height = size;
    for (let p = 0; p < out.length; p++) out[p] = pixels[shadeOf(weights[p], state.log)];
    canvas.getContext('2d').putImageData(image, 0, 0);
  });
}

function drawTiles(picture, state, left, cell, own) {
  const letters = textOf(picture.capture ? picture.text : state.w, picture.about), shown = picture.capture ? letters : letters.slice(0, 24);
  const height = Math.max(12, Math.min(36, cell - 3));
  let html = '';
  if (cell >= 20) {
    html = `<span style="left:${left}px;width:${cell}px;top:6px" title="^, the start sentinel: a position before the first letter">^</span>`;
    shown.forEach((letter, j) => {
      html += `<button type="button" data-j="${j}" class="${j >= own ? 'rep' : ''}" style="left:${left + (j + 1) * cell + 1}px;width:${cell - 3}px;height:${height}px;font-size:${cell < 30 ? 13 : 17}px;line-height:1" aria-label="letter ${j + 1}: ${escape(letter)}; click for the next letter of the alphabet">${escape(letter)}</button>`;
    });
    const end = left + (shown.length + 1) * cell + 6;
    if (!picture.capture || picture.n === own)
      html += `<button type="button" data-j="-" style="left:${end}px;width:26px;height:${height}px" aria-label="remove the last letter">−</button><button type="button" data-j="+" style="left:${end + 30}px;width:26px;height:${height}px" aria-label="add a letter">+</button>`;
  }
  const tiles = byId('tiles'), focused = tiles.contains(document.activeElement) ? document.activeElement.dataset.j : null;
  if (!put(tiles, html)) return;
  tiles.style.height = (html ? height + 5 : 0) + 'px';
  if (focused !== null) tiles.querySelector(`[data-j="${focused}"]`)?.focus({ preventScroll: true });
}

const cut = (label, most) => (label.length > most ? label.slice(0, most - 1) + '…' : label);
const rowsShown = picture => (allRows ? picture.rows : picture.rows.slice(0, ROWS));

/** Many letters: the truth and the answers in blocks, and every head's error. */
function drawSummary(s, picture, state, left, box) {
  const width = box - left - 8, bins = Math.min(picture.n, 160), size = width / bins, { ink } = s, rows = rowsShown(picture);
  let y = 6;
  const strip = (label, get, bold) => {
    s.text(cut(label, Math.floor(left / 7.6)), 0, y + 14, { mono: !bold, weight: bold ? 600 : 400 });
    for (let k = 0; k < bins; k++) {
      const from = Math.floor(k * picture.n / bins), to = Math.max(from + 1, Math.floor((k + 1) * picture.n / bins));
      let sum = 0, bad = false;
      for (let j = from; j < to; j++) {
        sum += get(j);
        bad ||= bold && picture.truth && picture.answers[j] !== picture.truth[j];
      }
      const part = sum / (to - from);
      s.c.globalAlpha = part > 0 && part < 1 && !bad ? 0.35 + 0.65 * part : 1;
      s.rect(bad ? s.pattern('wrong') : part === 0 ? ink.track : ink.true, left + k * size, y, Math.max(0.6, size - 0.4), 19);
    }
    s.c.globalAlpha = 1;
    y += 22;
  };
  for (const row of rows) strip(row.label, j => row.truth[j]);
  strip('transformer', j => picture.answers[j], true);
  s.text('1', left, y + 13, { fill: ink.soft });
  s.text(grouped(picture.n), left + width, y + 13, { fill: ink.soft, align: 'right' });
  y += 38;
  for (const [k, head] of picture.about.heads.entries()) {
    const error = picture.errors[k], x = e => left + (1 - Math.min(1, Math.max(0, -Math.log10(Math.max(e, 1e-12)) / 12))) * (width - 90);
    s.text(`${head.layer}.${head.head} ${cut(head.label, 14)}`, 0, y + 12, { mono: true, fill: k === state.h ? ink.ink : ink.soft });
    s.rect(ink.track, left, y + 2, width - 90, 12);
    if (error >= 0) s.rect(error > 0.25 ? s.pattern('wrong') : ink.true, left, y + 2, Math.max(0, x(error) - left), 12);
    s.rect(ink.bad, x(0.25) - 0.75, y, 1.5, 16);
    s.text(error < 0 ? 'a number' : num(error), left + width - 82, y + 12, { mono: true });
    y += 20;
    if (k === 11) break;
  }
  s.text('largest error of each head, from 10⁻¹² to 1; the line is ¼', left, y + 14, { fill: ink.soft });
}

const summaryHeight = picture => 6 + 22 * (rowsShown(picture).length + 1) + 38 + 20 * Math.min(12, picture.about.heads.length) + 22;

/** One row of truth: what is true is filled and has a dot, what the transformer holds otherwise is hatched and has ≠. */
function drawTruth(s, g, y, truth, isBad) {
  const { cell, thick, X, n } = g, { ink, c } = s, w = cell - 1, h = thick - 2;
  c.fillStyle = ink.track;
  for (let j = 1; j <= n; j++) if (!truth[j - 1] && !isBad(j)) c.fillRect(X(j), y, w, h);
  c.fillStyle = ink.true;
  for (let j = 1; j <= n; j++) if (truth[j - 1] && !isBad(j)) c.fillRect(X(j), y, w, h);
  if (cell >= 9) {
    c.beginPath();
    for (let j = 1; j <= n; j++)
      if (truth[j - 1] && !isBad(j)) {
        const x = X(j) + w / 2;
        c.moveTo(x + 3, y + h / 2);
        c.arc(x, y + h / 2, Math.min(3.5, w / 4), 0, 7);
      }
    c.fillStyle = ink['true-ink'];
    c.fill();
  }
  for (let j = 1; j <= n; j++)
    if (isBad(j)) {
      s.rect(s.pattern('wrong'), X(j), y, w, h);
      if (cell >= 9) s.text('≠', X(j) + w / 2, y + h / 2 + 4, { size: 11, weight: 700, align: 'center', halo: true });
    }
}

function drawCells(s, g, picture, state, head, info) {
  const { cell, row, X, size, top } = g, { ink, c } = s, w = cell - 1, h = row - 1, { log } = state;
  const seen = seenBy(info);
  for (let i = 0; i < size; i++) {
    const y = top + i * row, at = i * size;
    let open = 0, chosen = 0;
    for (let j = 0; j < size; j++)
      if (seen(i, j)) {
        open++;
        chosen += head.hard?.[at + j] > 0;
      }
    for (let j = 0; j < size; j++) {
      if (!seen(i, j)) {
        let end = j; // masked keys side by side are one rectangle
        while (end + 1 < size && !seen(i, end + 1)) end++;
        s.rect(s.pattern('mask'), X(j), y, (end - j + 1) * cell - 1, h);
        j = end;
        continue;
      }
      const weight = head.weights[at + j], shade = shadeOf(weight, log);
      c.fillStyle = ink.styles[shade];
      c.fillRect(X(j), y, w, h);
      if (cell < 24) continue;
      const number = cellNumber(weight, log);
      s.text(number, X(j) + w / 2, y + h / 2 + 4, { size: Math.min(11, (w - 2) / (0.6 * number.length)), align: 'center', fill: ink.onShade[shade] });
    }
    if (!head.hard || chosen === open) continue;
    for (let j = 0; j < size; j++) {
      if (!(head.hard[at + j] > 0) || !seen(i, j)) continue;
      if (cell < 20) s.frame(ink.ink, X(j) + 0.5, y + 0.5, w - 1, h - 1);
      else {
        s.frame(ink.page, X(j) + 2.5, y + 2.5, w - 5, h - 5, 2);
        s.frame(ink.ink, X(j) + 1, y + 1, w - 2, h - 2, 2);
      }
    }
  }
}

function seenBy(info) {
  const mask = info.mask.replace(/ /g, '');
  return { 'j<i': (i, j) => j < i, 'j<=i': (i, j) => j <= i, 'j>i': (i, j) => j > i, 'j>=i': (i, j) => j >= i }[mask] ?? (() => true);
}

/** A weight in three characters, a leak by its power of ten; the cell's tooltip has all digits. */
function cellNumber(weight, log) {
  if (!log && weight > 0 && weight < 0.005) return weight.toExponential(0);
  if (!log) return weight > 0.995 ? '1' : weight < 0.005 ? '0' : weight.toFixed(2).slice(1);
  const exponent = Math.log10(weight);
  return !(weight > 1e-99) ? '−∞' : exponent > -0.05 ? '0' : exponent.toFixed(Math.abs(exponent) < 9.95 ? 1 : 0).replace('-', '−');
}

function drawMap(s, g, picture, state) {
  const { n, size } = picture, { left, cell, row, thick, X, top } = g, { ink } = s, letters = g.letters;
  let y = 0;
  if (cell < 20) {
    letters.forEach((letter, j) => s.text(letter, X(j) + cell / 2, 11, { mono: true, weight: 600, align: 'center', fill: j ? ink.ink : ink.soft }));
    y = 18;
  }
  for (const r of rowsShown(picture)) {
    s.text(cut(r.label, Math.floor((left - 8) / 7.3)), 0, y + thick / 2 + 3, { mono: true });
    drawTruth(s, g, y, r.truth, j => r.values && r.values[j - 1] !== r.truth[j - 1]);
    y += thick;
  }
  s.text('transformer', 0, y + thick / 2 + 3, { weight: 600 });
  drawTruth(s, g, y, picture.answers, j => picture.truth && picture.answers[j - 1] !== picture.truth[j - 1]);
  const read = picture.about.at === 'first' ? 1 : n;
  if (n) s.frame(ink.ink, X(read) - 2, y - 2, cell + 3, thick + 2, 2);
  const head = picture.heads[state.h], info = picture.about.heads[state.h];
  if (!head) return;
  s.text('query i', 0, top - 6, { fill: ink.soft });
  s.text('output', X(size) + 8, top - 6, { fill: ink.soft });
  drawCells(s, g, picture, state, head, info);
  for (let i = 0; i < size; i++) {
    const middle = top + i * row + row / 2 + 4;
    if (row < 14 && i % 5) continue;
    s.text(String(i), left - 26, middle, { fill: ink.soft, align: 'right' });
    s.text(letters[i] ?? '', left - 10, middle, { mono: true, weight: 600, align: 'right' });
    const value = head.outputs[i], off = info.bound > 0 && picture.errors[state.h] >= 0 && Math.min(Math.abs(value), Math.abs(value - 1)) > 0.25;
    s.text(num(value), X(size) + 8, middle, { mono: true, size: 11.5, fill: off ? ink.bad : ink.ink, weight: off ? 700 : 400 });
  }
  if (state.i < size) s.frame(ink.sel, 1.5, top + state.i * row - 1, X(size) + OUTPUT - 3, row + 1, 3);
}

/** What is below the pointer, in words; '' where there is nothing. */
export function cellWords(picture, state, x, y) {
  const g = layout, head = picture.heads[state.h];
  if (!g) return '';
  const above = Math.floor((y - g.first) / g.thick), part = rowsShown(picture)[above];
  if (y < g.top || !head) return y >= g.first && part ? part.label + (part.head > 0 ? `: head ${part.layer}.${part.head}` : '') : '';
  const i = Math.floor((y - g.top) / g.row), j = Math.floor((x - g.left) / g.cell), { size } = picture;
  if (!(i >= 0 && j >= 0 && i < size && j < size)) return '';
  const at = i * size + j;
  return `query ${i} (${g.letters[i]}), key ${j} (${g.letters[j]}): weight ${head.weights[at]}${head.hard ? `, hard ${Number(head.hard[at].toPrecision(4))}` : ''}`;
}

/** The query whose row is at a height of the map; -1: none. */
export function rowAt(y) {
  return layout && y >= layout.top ? Math.floor((y - layout.top) / layout.row) : -1;
}

export function showAllRows(all) {
  allRows = all;
}

function geometry(picture, left, cell, row) {
  const thick = picture.n > 30 ? 16 : 22, first = cell < 20 ? 18 : 0, X = j => left + j * cell;
  const letters = ['^', ...textOf(picture.text, picture.about), ...(picture.about.hasEnd ? ['$'] : [])];
  return { left, cell, row, thick, first, X, letters, n: picture.n, size: picture.size, top: first + thick * (rowsShown(picture).length + 1) + 24 };
}

export function drawFigure(picture, state) {
  const map = byId('map'), box = widthOf(byId('figure').parentNode) - 10, { n, size } = picture;
  const longest = Math.max(8, ...picture.rows.map(r => r.label.length));
  const left = Math.min(box < 500 ? 110 : 168, Math.max(100, 18 + 7.6 * longest));
  const own = textOf(state.w, picture.about).length, columns = picture.capture ? size : Math.min(own, 24) + 1;
  const cell = picture.capture ? Math.max(box < 500 ? 24 : 10, Math.min(50, Math.floor((box - left - OUTPUT) / columns)))
    : Math.min(36, Math.max(24, Math.floor((box - left - 70) / columns)));
  const row = Math.max(10, Math.min(cell, n > 16 ? cell : 32));
  drawTiles(picture, state, left, cell, own);
  sheet ||= new Sheet(map);
  if (picture.capture) {
    layout = geometry(picture, left, cell, row);
    sheet.begin(layout.X(size) + OUTPUT, layout.top + (picture.heads.length ? size * row + 2 : -20));
    drawMap(sheet, layout, picture, state);
  } else {
    layout = null;
    sheet.begin(box, summaryHeight(picture));
    drawSummary(sheet, picture, state, left, box);
  }
  words(byId('summary'), picture.capture ? '' : picture.wrong
    ? `${grouped(picture.wrong)} of ${grouped(n)} positions are answered wrongly, the first is ${grouped(picture.firstWrong)}`
    : `All ${grouped(n)} positions are answered rightly`);
  note(map, 'aria-valuenow', state.i);
  note(map, 'aria-valuemax', Math.max(0, size - 1));
  note(map, 'aria-valuetext', `row ${state.i}`);
  byId('log').style.visibility = picture.capture ? '' : 'hidden';
  const head = picture.about.heads[state.h];
  words(byId('figure-title'), !picture.capture ? 'Summary' : head ? `Truth, and attention of head ${head.layer}.${head.head}` : 'Truth');
  const more = byId('rows');
  more.hidden = picture.rows.length <= ROWS;
  words(more, allRows ? `first ${ROWS} subformulas` : `all ${picture.rows.length} subformulas`);
  put(byId('legend'), legend(picture, state, head));
}

function legend(picture, state, head) {
  if (!picture.capture) return '<span>A summary stands for the map beyond 60 letters. The letters above are what is repeated.</span>';
  const truth = '<span><i class="key t"></i>true</span><span><i class="key f"></i>false</span><span><i class="key x"></i>the transformer differs</span>';
  return !head ? truth : truth + `<span>${state.log ? 'weight 10⁻¹²' : 'weight 0'}<span class="ramp"></span>1${state.log ? ' (numbers: log₁₀)' : ''}</span>` +
    '<span><i class="key w"></i>hard choice (no outline: all keys)</span><span><i class="key m"></i>masked</span><span><i class="key r"></i>row in full</span><span><b>^</b>\u00a0a start before the first letter</span>';
}
