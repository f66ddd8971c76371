// What stands for the map where the string is long: truth and answers in blocks, and every head's error.

import { Sheet } from './canvas.js';
import { byId, cut, grouped, num } from './paint.js';

let sheet = null;

/** Many letters: the truth and the answers in blocks, and every head's error. */
function drawStrips(s, picture, state, left, box, rows) {
  const width = box - left - 8, bins = Math.min(picture.n, 160), size = width / bins, { ink } = s;
  let y = 6;
  const strip = (label, get, bold) => {
    s.text(bold ? label : cut(label, Math.floor(left / 7.6)), 0, y + 14, { mono: !bold, weight: bold ? 600 : 400 });
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
  s.text('largest error of each head, from 10⁻¹² to 1; the line is ¼', box < 500 ? 0 : left, y + 14, { fill: ink.soft, size: box < 500 ? 11 : 12 });
}

/** `rows`: those of the subformulas that are shown. */
export function drawOverview(picture, state, left, box, rows) {
  sheet ||= new Sheet(byId('overview'));
  sheet.begin(box, 6 + 22 * (rows.length + 1) + 38 + 20 * Math.min(12, picture.about.heads.length) + 22);
  drawStrips(sheet, picture, state, left, box, rows);
}
