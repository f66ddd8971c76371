// The truth of every subformula as a table of words, for who hears the page: the picture is a canvas, which says nothing by itself.

import { byId, escape, put } from './paint.js';

const ROWS = 24;

function cellOf(picture, row, p) {
  const holds = row.truth[p - 1] ? 'true' : 'false', value = row.values?.[p - picture.from];
  return value === undefined || value === row.truth[p - 1] ? holds : `${holds}, but the transformer holds ${Number(value.toPrecision(3))}`;
}

function answerOf(picture, p) {
  const said = picture.answers[p - 1] ? 'true' : 'false';
  return !picture.truth || picture.answers[p - 1] === picture.truth[p - 1] ? said : `${said}, which is wrong`;
}

export function drawTruthTable(picture) {
  const { from, span, n, names } = picture, places = [];
  for (let p = Math.max(1, from); p <= Math.min(n, from + span - 1); p++) places.push(p);
  const row = (label, cell) => `<tr><th scope="row">${escape(label)}</th>${places.map(p => `<td>${escape(cell(p))}</td>`).join('')}</tr>`;
  const caption = `Truth of subformulas at ${places.length === n ? 'every position' : `positions ${places[0]} to ${places.at(-1)} of ${n}`}`;
  put(byId('truth'), `<table><caption>${escape(caption)}</caption><thead><tr><th scope="col">formula</th>${places.map(p => `<th scope="col">${p} ${escape(names[p - from])}</th>`).join('')}</tr></thead><tbody>${
    picture.rows.slice(0, ROWS).map(r => row(r.label, p => cellOf(picture, r, p))).join('')}${row('transformer', p => answerOf(picture, p))}</tbody></table>`);
}
