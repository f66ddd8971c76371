// The sliders, which are charts: the error of the chosen head against the bound, above a band that says wrong, right or proved.

import { byId, isPhone, note, patterns, put, widthOf } from './paint.js';

const LEFT = 46, EDGE = 11;
const depth = (e, decades = 8) => Math.min(1, Math.max(0, -Math.log10(Math.max(e, 1e-13)) / decades));

/** Where a place from 0 to 1 of a slider is, in the coordinates of its chart. */
function placeIn(svg, left) {
  const room = Math.max(120, widthOf(svg.parentNode)) - left - 2 * EDGE;
  return p => left + EDGE + p * room;
}

/** `isTruth`: the head computes a truth value, which is rounded; else a number, of which ¼ says nothing. */
function plot(svg, height, points, tried, at, error, isTruth, mark) {
  const width = Math.max(120, widthOf(svg.parentNode)), X = placeIn(svg, LEFT), Y = e => 4 + depth(e) * (height - 10), tall = height > 100;
  note(svg, 'width', width);
  note(svg, 'height', height);
  let out = patterns(svg.id) + (isTruth ? `<rect x="${LEFT}" y="0" width="${width - LEFT}" height="${Y(0.25)}" fill="var(--wash)"/>` : '');
  for (const [e, text] of [[1, '1'], [1e-2, tall ? '10⁻²' : ''], [1e-4, '10⁻⁴'], [1e-6, tall ? '10⁻⁶' : ''], [1e-8, '10⁻⁸']])
    out += `<line x1="${LEFT}" x2="${width}" y1="${Y(e)}" y2="${Y(e)}" stroke="var(--line)"/><text class="s" x="${LEFT - 7}" y="${Y(e) + 4}" text-anchor="end">${text}</text>`;
  if (isTruth) out += `<line x1="${LEFT}" x2="${width}" y1="${Y(0.25)}" y2="${Y(0.25)}" stroke="var(--bad)" stroke-width="1.5"/><text x="${width - 4}" y="${Y(0.25) + 14}" text-anchor="end" class="halo" style="fill:var(--bad)">${tall ? 'above ¼ rounding fails' : '¼'}</text>`;
  if (mark !== undefined) out += `<line x1="${X(mark)}" x2="${X(mark)}" y1="0" y2="${height}" stroke="var(--edge)" stroke-dasharray="2 3"/>`;
  const path = (list, get) => (list.length ? 'M' + list.map(p => `${X(p.x).toFixed(1)} ${Y(get(p)).toFixed(1)}`).join('L') : '');
  const bounded = !isTruth && !points.some(p => p.error >= 0) ? [] : tried.filter(p => p.bound !== null && p.bound !== undefined);
  if (bounded.length > 1) out += `<path d="${path(bounded, p => p.bound)}" fill="none" stroke="var(--soft)" stroke-width="1.5" stroke-dasharray="5 4"/>`;
  const known = points.filter(p => p.error >= 0);
  out += `<path d="${path(known, p => p.error)}" fill="none" stroke="var(--true)" stroke-width="2.5"/>`;
  if (tall)
    out += `<g transform="translate(${LEFT + 10},${height - (bounded.length > 1 ? 34 : 17)})"><line x2="22" y1="-4" y2="-4" stroke="var(--true)" stroke-width="2.5"/><text class="halo" x="29">${isTruth ? 'error on this string' : 'from the hard head, on this string'}</text>` +
      (bounded.length > 1 ? '<line x2="22" y1="13" y2="13" stroke="var(--soft)" stroke-width="1.5" stroke-dasharray="5 4"/><text class="s halo" x="29" y="17">bound for all strings</text>' : '') + '</g>';
  if (error >= 0)
    out += `<line x1="${X(at)}" x2="${X(at)}" y1="${Y(error)}" y2="${height}" stroke="var(--ink)"/><circle cx="${X(at)}" cy="${Y(error)}" r="6" fill="${isTruth && error > 0.25 ? 'var(--bad)' : 'var(--true)'}" stroke="var(--page)" stroke-width="2"/>`;
  put(svg, out);
  return X;
}

const kindOf = p => (!p.right ? 'wrong' : p.proved ? 'proved' : 'right');
const FILL = id => ({ wrong: `url(#wrong-${id})`, right: 'var(--mid)', proved: 'var(--true)' });

function band(svg, points, at, sure) {
  const width = Math.max(60, widthOf(svg.parentNode)), room = width - 2 * EDGE;
  let out = patterns(svg.id) + `<rect x="0" y="0" width="${width}" height="18" rx="3" fill="var(--track)"/>`, from = 0;
  for (let k = 1; k <= points.length; k++) {
    const kind = kindOf(points[from]);
    if (k < points.length && kindOf(points[k]) === kind) continue;
    const left = from ? EDGE + room * (points[from - 1].x + points[from].x) / 2 : 0;
    const right = k < points.length ? EDGE + room * (points[k - 1].x + points[k].x) / 2 : points[k - 1].x > 0.995 ? width : EDGE + room * points[k - 1].x;
    const words = kind !== 'right' ? kind : right - left > 118 && sure ? 'right, not proved' : 'right';
    out += `<rect x="${left}" y="0" width="${Math.max(0, right - left)}" height="18" fill="${FILL(svg.id)[kind]}"/>`;
    let middle = kind === 'proved' ? right - 34 : kind === 'wrong' ? (k === points.length ? right - 30 : left + 29) : (left + right) / 2;
    const thumb = EDGE + room * at, half = words.length * 3.4; // beside the thumb of the slider, where there is room
    if (Math.abs(middle - thumb) < half + 14) {
      if (thumb - 16 - left > 2 * half) middle = thumb - 16 - half;
      else if (right - thumb - 16 > 2 * half) middle = thumb + 16 + half;
    }
    if (right - left > { proved: 56, wrong: 52, right: 40 }[kind])
      out += `<text x="${middle}" y="13" text-anchor="middle" class="${kind === 'wrong' ? 'halo' : ''}" style="font-size:11.5px;font-weight:600;fill:${kind === 'proved' ? 'var(--true-ink)' : 'var(--ink)'}">${words}</text>`;
    from = k;
  }
  put(svg, points.length ? out : out + `<text x="${width / 2}" y="13" text-anchor="middle" class="s" style="font-size:11.5px">computing …</text>`);
}

export const factorAt = x => 10 ** (2 * x - 1);
export const factorPlace = f => (Math.log10(f) + 1) / 2;
export const lengthAt = x => Math.round(1e5 ** x);
export const lengthPlace = n => Math.log(Math.max(1, n)) / Math.log(1e5);

/** `tried`: those of the points for which a proof was looked for. */
export function drawFactor(points, tried, state, error, isTruth) {
  const isAlone = isPhone(), left = isAlone ? 0 : LEFT; // a phone has the slider and no chart above it
  const X = isAlone ? placeIn(byId('factor-plot'), 0) : plot(byId('factor-plot'), 126, points, tried, factorPlace(state.t), error, isTruth, 0.5);
  band(byId('factor-band'), tried.length > 3 ? tried : points, factorPlace(state.t), tried.length > 3);
  const width = widthOf(byId('factor-plot').parentNode);
  let out = '';
  for (const f of [0.1, 0.2, 0.5, 1, 2, 5, 10])
    out += `<text class="${f === 1 ? '' : 's'}" x="${X(factorPlace(f))}" y="12" text-anchor="${f === 10 ? 'end' : 'middle'}" ${f === 1 ? 'font-weight="650"' : ''}>${f}×</text>`;
  out += `<text x="${X(0.5)}" y="27" text-anchor="middle">${state.s ? 'your scale' : 'proved scale'}</text><text class="s" x="${left}" y="27">◂ softer</text><text class="s" x="${width}" y="27" text-anchor="end">harder ▸</text>`;
  put(byId('factor-axis'), out);
}

export function drawLength(points, state, error, isTruth, sure) {
  const X = plot(byId('length-plot'), 78, points, [], lengthPlace(state.n), error, isTruth);
  band(byId('length-band'), points, lengthPlace(state.n), sure);
  let out = '';
  for (const [n, text] of [[1, '1'], [10, '10'], [100, '100'], [1000, '1000'], [1e4, '10⁴'], [1e5, '10⁵']])
    out += `<text class="s" x="${X(lengthPlace(n))}" y="12" text-anchor="${n === 1e5 ? 'end' : 'middle'}">${text}</text>`;
  put(byId('length-axis'), out);
}

/** Lets a chart be dragged as its slider. */
export function dragPlot(plotId, sliderId) {
  const svg = byId(plotId), slider = byId(sliderId);
  const move = event => {
    const box = svg.getBoundingClientRect();
    slider.value = Math.max(0, Math.min(1000, 1000 * (event.clientX - box.left - LEFT - EDGE) / (box.width - LEFT - 2 * EDGE)));
    slider.dispatchEvent(new Event('input'));
  };
  svg.addEventListener('pointerdown', event => {
    svg.setPointerCapture(event.pointerId);
    move(event);
  });
  svg.addEventListener('pointermove', event => event.buttons && move(event));
}
