// The string as a ruler: its letters, the truth of every subformula at every position, and below it the attention of a head.

import { Sheet } from './canvas.js';
import { drawOverview } from './overview.js';
import { byId, cut, escape, grouped, inks, note, num, put, shadeOf, widthOf, words } from './paint.js';
import { textOf } from './strings.js';
import { drawTiles, tilesFit } from './tiles.js';

const ROWS = 24; // subformulas that are shown unless all are asked for
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

const rowsShown = picture => (allRows ? picture.rows : picture.rows.slice(0, ROWS));

/** One row of truth: what is true is filled and has a dot, what the transformer holds otherwise is hatched and has ≠. */
function drawTruth(s, g, y, truth, isBad) {
  const { cell, thick, X, first, last } = g, { ink, c } = s, w = cell - 1, h = thick - 2;
  c.fillStyle = ink.track;
  for (let j = first; j <= last; j++) if (!truth[j - 1] && !isBad(j)) c.fillRect(X(j), y, w, h);
  c.fillStyle = ink.true;
  for (let j = first; j <= last; j++) if (truth[j - 1] && !isBad(j)) c.fillRect(X(j), y, w, h);
  if (cell >= 9) {
    c.beginPath();
    for (let j = first; j <= last; j++)
      if (truth[j - 1] && !isBad(j)) {
        const x = X(j) + w / 2;
        c.moveTo(x + 3, y + h / 2);
        c.arc(x, y + h / 2, Math.min(3.5, w / 4), 0, 7);
      }
    c.fillStyle = ink['true-ink'];
    c.fill();
  }
  for (let j = first; j <= last; j++)
    if (isBad(j)) {
      s.rect(s.pattern('wrong'), X(j), y, w, h);
      if (cell >= 9) s.text('≠', X(j) + w / 2, y + h / 2 + 4, { size: 11, weight: 700, align: 'center', halo: true });
    }
}

/** The weights of a head among the positions that are shown; those of all others together stand in a column of their own. */
function drawCells(s, g, state, head, info) {
  const { cell, row, X, from, span, top } = g, { ink, c } = s, w = cell - 1, h = row - 1, { log } = state, seen = seenBy(info);
  const shade = (weight, x, y) => {
    const level = shadeOf(weight, log);
    c.fillStyle = ink.styles[level];
    c.fillRect(x, y, w, h);
    if (cell < 24) return;
    const number = cellNumber(weight, log);
    s.text(number, x + w / 2, y + h / 2 + 4, { size: Math.min(11, (w - 2) / (0.6 * number.length)), align: 'center', fill: ink.onShade[level] });
  };
  for (let i = 0; i < span; i++) {
    const y = top + i * row, at = i * span;
    let open = 0, chosen = 0;
    for (let j = 0; j < span; j++)
      if (seen(i, j)) {
        open++;
        chosen += head.hard?.[at + j] > 0;
      }
    for (let j = 0; j < span; j++) {
      if (seen(i, j)) {
        shade(head.weights[at + j], X(from + j), y);
        continue;
      }
      let end = j; // masked keys side by side are one rectangle
      while (end + 1 < span && !seen(i, end + 1)) end++;
      s.rect(s.pattern('mask'), X(from + j), y, (end - j + 1) * cell - 1, h);
      j = end;
    }
    if (head.elsewhere) shade(head.elsewhere[i], X(from + span) + 4, y);
    if (!head.hard || chosen === open) continue;
    for (let j = 0; j < span; j++) {
      if (!(head.hard[at + j] > 0) || !seen(i, j)) continue;
      const x = X(from + j);
      if (cell < 20) s.frame(ink.ink, x + 0.5, y + 0.5, w - 1, h - 1);
      else {
        s.frame(ink.page, x + 2.5, y + 2.5, w - 5, h - 5, 2);
        s.frame(ink.ink, x + 1, y + 1, w - 2, h - 2, 2);
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

function drawLetters(s, g, picture) {
  const { letters, from, cell, X } = g, { ink } = s;
  if (!g.header) return;
  letters.forEach((letter, k) => s.text(cut(letter, Math.max(1, Math.floor(cell / 8))), X(from + k) + cell / 2, g.header - 7, { mono: true, weight: 600, align: 'center', fill: from + k ? ink.ink : ink.soft }));
  if (from)
    for (let p = from; p < from + g.span; p++)
      if (cell >= 7 * String(p).length + 4 || p % 5 === 0) s.text(String(p), X(p) + cell / 2, 10, { size: 11, align: 'center', fill: ink.soft });
}

function drawMap(s, g, picture, state) {
  const { left, cell, row, thick, X, top, from, span, letters, right, output } = g, { ink } = s;
  let y = g.header;
  drawLetters(s, g, picture);
  for (const r of rowsShown(picture)) {
    s.text(cut(r.label, Math.floor((left - 8) / 7.3)), 0, y + thick / 2 + 3, { mono: true });
    drawTruth(s, g, y, r.truth, j => r.values && r.values[j - from] !== r.truth[j - 1]);
    y += thick;
  }
  s.text('transformer', 0, y + thick / 2 + 3, { weight: 600 });
  drawTruth(s, g, y, picture.answers, j => picture.truth && picture.answers[j - 1] !== picture.truth[j - 1]);
  const read = picture.about.at === 'first' ? 1 : picture.n;
  if (picture.n && read >= from && read < from + span) s.frame(ink.ink, X(read) - 2, y - 2, cell + 3, thick + 2, 2);
  const head = picture.heads[state.h], info = picture.about.heads[state.h];
  if (!head) return;
  s.text('query i', 0, top - 6, { fill: ink.soft });
  s.text('output', right + 8, top - 6, { fill: ink.soft });
  if (head.elsewhere) s.text('rest', X(from + span) + 4 + cell / 2, top - 6, { size: cell < 24 ? 9 : 12, fill: ink.soft, align: 'center' });
  drawCells(s, g, state, head, info);
  for (let k = 0; k < span; k++) {
    const middle = top + k * row + row / 2 + 4;
    if (row < 14 && k % 5) continue;
    s.text(String(from + k), left - 26, middle, { fill: ink.soft, align: 'right' });
    s.text(cut(letters[k] ?? '', 2), left - 10, middle, { mono: true, weight: 600, align: 'right' });
    const value = head.outputs[k], off = info.bound > 0 && picture.errors[state.h] >= 0 && Math.min(Math.abs(value), Math.abs(value - 1)) > 0.25;
    s.text(num(value), right + 8, middle, { mono: true, size: 11.5, fill: off ? ink.bad : ink.ink, weight: off ? 700 : 400 });
  }
  const chosen = (picture.row?.i ?? state.i) - from;
  if (chosen >= 0 && chosen < span) s.frame(ink.sel, 1.5, top + chosen * row - 1, right + output - 3, row + 1, 3);
}

/** What is below the pointer, in words; '' where there is nothing. */
export function cellWords(picture, state, x, y) {
  const g = layout, head = picture.heads[state.h];
  if (!g) return '';
  const above = Math.floor((y - g.header) / g.thick), part = rowsShown(picture)[above];
  if (y < g.top || !head) return y >= g.header && part ? part.label + (part.head > 0 ? `: head ${part.layer}.${part.head}` : '') : '';
  const i = Math.floor((y - g.top) / g.row), j = Math.floor((x - g.left) / g.cell), { span, from } = g;
  if (!(i >= 0 && j >= 0 && i < span && j < span)) return '';
  const at = i * span + j;
  return `query ${from + i} (${g.letters[i]}), key ${from + j} (${g.letters[j]}): weight ${head.weights[at]}${head.hard ? `, hard ${Number(head.hard[at].toPrecision(4))}` : ''}`;
}

/** The position whose row is at a height of the map; -1: none. */
export function rowAt(y) {
  const k = layout && y >= layout.top ? Math.floor((y - layout.top) / layout.row) : -1;
  return k >= 0 && k < layout.span ? layout.from + k : -1;
}

export function showAllRows(all) {
  allRows = all;
}

/** Where everything stands. Letters stand above the columns where the tiles do not (header), with their positions unless all are shown. */
function geometry(picture, box) {
  const { from, span, n } = picture, isNarrow = box < 500, output = isNarrow ? 67 : 78, extra = from || picture.cutOff ? 8 : 0;
  const longest = Math.max(8, ...picture.rows.map(r => r.label.length));
  const left = Math.min(isNarrow ? 112 : 168, Math.max(isNarrow ? 82 : 100, 18 + 7.6 * longest)), columns = span + (extra ? 1 : 0);
  const cell = Math.max(isNarrow ? 8 : 10, Math.min(50, Math.floor((box - left - output - extra) / columns)));
  const fits = picture.capture && tilesFit(left, cell, columns, box), row = Math.max(isNarrow ? 14 : 10, Math.min(cell, n > 16 ? cell : 32));
  const thick = span > 30 ? 16 : 22, header = fits ? 0 : from ? 32 : 18, X = j => left + (j - from) * cell;
  return {
    left, cell, row, thick, header, X, fits, from, span, output, letters: picture.names, first: Math.max(1, from), last: Math.min(n, from + span - 1),
    right: X(from + span) + (extra ? cell + 4 : 0), top: header + thick * (rowsShown(picture).length + 1) + 24,
  };
}

function title(picture, state) {
  const head = picture.about.heads[state.h], what = head && picture.heads[state.h] ? `Truth, and attention of head ${head.layer}.${head.head}` : 'Truth';
  return picture.capture ? what : `${what}, around position ${grouped(picture.focus)}`;
}

export function drawFigure(picture, state) {
  const map = byId('map'), box = widthOf(byId('figure').parentNode) - 10, { n, from, span } = picture;
  const g = geometry(picture, box), attends = Boolean(picture.heads[state.h]);
  layout = g;
  drawTiles(picture, state, g.left, g.cell, g.fits);
  byId('overview').hidden = picture.capture;
  if (!picture.capture) drawOverview(picture, state, g.left, box, rowsShown(picture));
  sheet ||= new Sheet(map);
  sheet.begin(g.right + g.output, g.top + (attends ? span * g.row + 2 : -20));
  drawMap(sheet, g, picture, state);
  words(byId('summary'), picture.capture ? '' : picture.wrong
    ? `${grouped(picture.wrong)} of ${grouped(n)} positions are answered wrongly, the first is ${grouped(picture.firstWrong)}`
    : `All ${grouped(n)} positions are answered rightly`);
  const chosen = picture.row?.i ?? state.i;
  note(map, 'aria-valuemin', from);
  note(map, 'aria-valuenow', chosen);
  note(map, 'aria-valuemax', Math.max(0, from + span - 1));
  note(map, 'aria-valuetext', `row ${chosen}`);
  byId('log').style.visibility = attends ? '' : 'hidden';
  words(byId('figure-title'), title(picture, state));
  const more = byId('rows');
  more.hidden = picture.rows.length <= ROWS;
  words(more, allRows ? `first ${ROWS} subformulas` : `all ${picture.rows.length} subformulas`);
  put(byId('legend'), legend(picture, state, attends));
}

function legend(picture, state, attends) {
  const truth = '<span><i class="key t"></i>true</span><span><i class="key f"></i>false</span><span><i class="key x"></i>the transformer differs</span>';
  const attention = `<span>${state.log ? 'weight 10⁻¹²' : 'weight 0'}<span class="ramp"></span>1${state.log ? ' (numbers: log₁₀)' : ''}</span>` +
    '<span><i class="key w"></i>hard choice (no outline: all keys)</span><span><i class="key m"></i>masked</span><span><i class="key r"></i>row in full</span>';
  const start = picture.from ? '' : '<span><b>^</b>\u00a0a start before the first letter</span>';
  const far = picture.capture ? '' : attends || !picture.about.heads.length ? `<span>${attends ? '<b>rest</b>\u00a0all other keys together. ' : ''}Beyond 60 letters the map shows the positions around the first wrong one, or the last.</span>`
    : '<span>The string is too long to keep attention of it.</span>';
  return truth + (attends ? attention : '') + start + far;
}
