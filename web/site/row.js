// One row in full: query, scores, scale, softmax, output, rounded, beside the hard choice.

import { byId, escape, note, num, put, widthOf, words } from './paint.js';
import { textOf } from './strings.js';

const SHOWN = 9;

/** What heads do, in the words of the lessons. */
const ROLES = {
  once: 'once: is there such a key?', nearest: 'nearest: what the closest such key says', count: 'count: the share of such keys',
  compare: 'compare: which count is larger', balance: 'balance: counts before and after', lookup: 'look-up: what a computed position says', match: 'match: the closest key with the same content',
};

export function drawRow(picture, state) {
  const section = byId('row-section'), head = picture.about.heads[state.h], row = picture.row;
  section.hidden = !row || !head;
  if (!row || !head) return;
  const letters = ['^', ...textOf(picture.text, picture.about), ...(picture.about.hasEnd ? ['$'] : [])];
  words(byId('row-title'), `Row ${row.i} of head ${head.layer}.${head.head} in full`);
  put(byId('row-note'), `<code>${escape(head.label)}</code> · ${escape(ROLES[head.role] ?? head.role)}${head.role ? ' · ' : ''}softmax stands for ${escape(head.hardChoice)} · query ${[...row.query].slice(0, 4).map(num).join(', ')}${row.query.length > 4 ? ', …' : ''}`);
  const open = [...row.scores.keys()].filter(j => row.scores[j] > -Infinity);
  let keys = open, rest = null;
  if (open.length > SHOWN) {
    const most = new Set([...open].sort((a, b) => row.weights[b] - row.weights[a] || b - a).slice(0, SHOWN - 1));
    rest = open.filter(j => !most.has(j));
    keys = open.filter(j => most.has(j));
  }
  const narrow = widthOf(byId('row').parentNode) < 560, wide = narrow ? 26 : 56, top = Math.max(1e-9, ...open.map(j => Math.abs(row.scores[j])));
  const bar = w => (state.log ? wide * Math.max(0, 1 + Math.log10(Math.max(w, 1e-12)) / 12) : wide * w).toFixed(1);
  const all = row.hard && open.every(j => row.hard[j] > 0);
  let html = `<thead><tr><th><b>key</b>j</th><th><b>score</b>query · key</th><th><b>logit</b>× ${num(row.scale)}</th><th><b>softmax weight</b>${state.log ? 'bar: log scale' : 'exp / sum'}</th><th><b>hard</b>weight</th><th class="nar"><b>value</b>vⱼ</th></tr></thead><tbody>`;
  for (const j of keys) {
    const hard = row.hard ? row.hard[j] : null;
    html += `<tr class="${hard > 0 && !all ? 'hard' : hard > 0 ? '' : 'dim'}"><td>${j} <b>${escape(letters[j] ?? '')}</b></td><td><span class="bar"><i style="width:${(Math.abs(row.scores[j]) / top * wide * 0.6).toFixed(1)}px"></i>${num(row.scores[j])}</span></td><td>${num(row.logits ? row.logits[j] : row.scores[j])}</td><td><span class="bar w"><i style="width:${bar(row.weights[j])}px"></i>${num(row.weights[j])}</span></td><td>${hard === null ? '–' : num(hard)}</td><td class="nar">${num(row.values[j])}</td></tr>`;
  }
  if (rest) {
    const sum = rest.reduce((s, j) => s + row.weights[j], 0), hard = row.hard ? rest.reduce((s, j) => s + row.hard[j], 0) : null;
    html += `<tr class="dim"><td colspan="3">${rest.length} other keys, together</td><td><span class="bar w"><i style="width:${bar(sum)}px"></i>${num(sum)}</span></td><td>${num(hard)}</td><td class="nar"></td></tr>`;
  }
  put(byId('row'), html + '</tbody>');
  drawRamp(picture, state, row);
}

/** The output on the ramp that rounds it: two units, 0 below ¼ and 1 above ¾. */
function drawRamp(picture, state, row) {
  const svg = byId('ramp'), value = row.output, want = row.hardOutput, boolean = picture.errors[state.h] >= 0;
  const X = v => 18 + Math.max(-0.1, Math.min(1.1, v)) * 140, Y = v => 150 - v * 88;
  const onRamp = Math.max(0, 2 * value - 0.5) - Math.max(0, 2 * value - 1.5), rounded = row.rounded;
  const ok = boolean ? want === null || onRamp === want : true, colour = ok ? 'var(--true)' : 'var(--bad)';
  const fate = !boolean ? 'a number, not rounded' : rounded !== null ? 'rounded' : 'rounded in the gates';
  note(svg, 'aria-label', `output ${num(value)}${boolean ? `, ${fate}: ${num(rounded ?? onRamp)}` : ''}, hard ${num(want)}`);
  let out = `<text class="s" x="0" y="11">sum of weight × value</text><text class="m" x="0" y="32" style="font-size:17px;font-weight:650">${num(value)}</text>`;
  if (boolean)
    out += `<rect x="${X(0.25)}" y="50" width="70" height="100" fill="var(--wash)"/><line x1="18" x2="158" y1="150" y2="150" stroke="var(--edge)"/>
<path d="M${X(0)} ${Y(0)}L${X(0.25)} ${Y(0)}L${X(0.75)} ${Y(1)}L${X(1)} ${Y(1)}" fill="none" stroke="var(--ink)" stroke-width="2"/>
<line x1="${X(value)}" x2="${X(value)}" y1="150" y2="${Y(onRamp)}" stroke="${colour}" stroke-dasharray="3 2"/><circle cx="${X(value)}" cy="${Y(onRamp)}" r="5.5" fill="${colour}" stroke="var(--page)" stroke-width="2"/>
<text class="s" x="${X(0)}" y="165" text-anchor="middle">0</text><text class="s" x="${X(0.25)}" y="165" text-anchor="middle">¼</text><text class="s" x="${X(0.75)}" y="165" text-anchor="middle">¾</text><text class="s" x="${X(1)}" y="165" text-anchor="middle">1</text><text class="s" x="${X(0.5)}" y="163" text-anchor="middle" style="font-size:11px">ramp</text>`;
  const y = boolean ? 187 : 62;
  out += boolean ? `<text class="s" x="0" y="${y}">${fate === 'rounded' ? 'rounded' : 'in the gates'}</text><text class="m" x="0" y="${y + 20}" style="font-size:17px;font-weight:650;fill:${colour}">${num(rounded ?? onRamp)}</text>` : `<text class="s" x="0" y="${y}">${fate}</text>`;
  out += `<text class="s" x="${boolean ? 92 : 0}" y="${boolean ? y : y + 24}">hard head</text><text class="m" x="${boolean ? 92 : 0}" y="${y + (boolean ? 20 : 44)}" style="font-size:17px">${num(want)}</text>`;
  put(svg, out);
}
