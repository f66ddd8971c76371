// The verdict: what the transformer says, whether that is right and proved, and one sentence why.

import { byId, counted, escape, grouped, num, put } from './paint.js';

const percent = x => (x >= 0.001 ? `${Number((100 * x).toPrecision(2))} %` : num(x));

/** Weight on keys that the hard head ignores, in the row that is shown. */
function leakOf(row) {
  if (!row || !row.hard) return null;
  let leak = 0;
  for (let j = 0; j < row.weights.length; j++) if (row.hard[j] === 0 && row.scores[j] > -Infinity) leak += row.weights[j];
  return leak;
}

function sentence(picture, state, full) {
  const head = picture.about.heads[state.h], { n, wrong } = picture, right = picture.accept === picture.want;
  if (!head) return 'No subformula looks at other positions, so the transformer needs no head.';
  const name = `Head ${head.layer}.${head.head}`, leak = leakOf(picture.row), error = picture.errors[state.h];
  const leaks = leak === null ? (error >= 0 ? `${name} is off by at most ${num(error)}` : `${name} computes a number, which is not rounded`) : `${name} leaks ${leak === 0 ? 'nothing' : `${percent(leak)} of its weight in row ${picture.row.i}`}`;
  const loudest = picture.errors.indexOf(Math.max(...picture.errors)), other = picture.about.heads[loudest];
  if (!right) return `The formula is ${picture.want ? 'true' : 'false'} here. ${loudest !== state.h && picture.errors[loudest] > 0.25 ? `Head ${other.layer}.${other.head} is off by ${num(picture.errors[loudest])}` : leaks}; rounding forgives ¼.`;
  if (wrong) return `Right at the verdict, but wrong at ${grouped(wrong)} of ${grouped(n)} positions${/bf16|f16|e4m3|e5m2/.test(state.type) && head.role === 'nearest' ? ': neighbouring positions have become one number' : ''}.`;
  const kept = picture.row?.rounded;
  if (!picture.provedNow && kept > 0 && kept < 1) return `${leaks}: ${num(kept)} comes out of rounding, neither 0 nor 1. It happens to lie on the right side of ½.`;
  if (picture.provedNow) return `${leaks}${error < 0 ? '' : ', and rounding forgives ¼'}. All strings of ${counted(n)} are safe.`;
  if (!full) return `${leaks}; this string survives it. Nothing is proved here: this page was built without exact arithmetic.`;
  const why = picture.proof && picture.proof.length < n && state.t === 1 && !state.s ? ` ${picture.proof.length < 0 ? 'No length is proved' : `Proved up to ${counted(picture.proof.length)}`}: ${picture.proof.obstacle}.` : ` Some other string of ${counted(n)} might not.`;
  return `${leaks}; this string survives it.${why}`;
}

const provedUpTo = proof => (!proof ? '…' : proof.length < 0 ? 'none' : proof.length >= 2 ** 40 ? '2<sup>40</sup>' : grouped(proof.length));

export function drawVerdict(picture, state, full) {
  const box = byId('verdict'), right = picture.accept === picture.want;
  box.className = `verdict ${!right ? 'wrong' : picture.wrong ? 'part' : picture.provedNow ? 'proved' : ''}`;
  const error = picture.n <= 60 ? picture.errors[state.h] : Math.max(-1, ...picture.errors), shown = error < 0 ? picture.distance : error, head = picture.about.heads[state.h];
  put(box, `<div class="big"><span>${picture.accept ? '● accept' : '○ reject'}</span><span class="badge ${right ? 'ok' : 'no'}">${right ? '✓ right' : '✗ wrong'}</span>` +
    `<span class="badge ${picture.provedNow ? 'ok' : 'un'}">${picture.provedNow ? 'proved' : !full ? 'not proved here' : picture.proving ? 'looking for a proof …' : 'not proved'}</span></div>` +
    `<p class="say">${escape(sentence(picture, state, full))}</p>` +
    `<dl><dt>largest error${head ? `, head ${head.layer}.${head.head}` : ''}</dt><dd>${shown === undefined ? '–' : shown < 0 ? 'a number' : num(shown)}</dd>` +
    `<dt>bound</dt><dd>${picture.bound ? num(picture.bound) : picture.bounding ? '…' : 'none'}</dd><dt>proved up to</dt><dd>${!full ? '–' : state.s || state.t !== 1 ? (picture.provedNow ? grouped(picture.n) : '–') : provedUpTo(picture.proof)}</dd></dl>`);
}
