// The verdict: what the transformer says, whether that is right and proved, and one sentence why.

import { byId, counted, escape, grouped, num, put } from './paint.js';

const isRescaled = state => Boolean(state.s) || state.t !== 1;
const percent = x => (x >= 0.001 ? `${Number((100 * x).toPrecision(2))} %` : num(x));

/** Weight on keys that the hard head ignores, in the row that is shown. */
function leakOf(row) {
  if (!row || !row.hard) return null;
  let leak = 0;
  for (let j = 0; j < row.weights.length; j++) if (row.hard[j] === 0 && row.scores[j] > -Infinity) leak += row.weights[j];
  return leak;
}

function sentence(picture, state) {
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
  const why = picture.proof && picture.proof.length < n && !isRescaled(state) ? ` ${picture.proof.length < 0 ? 'No length is proved' : `Proved up to ${counted(picture.proof.length)}`}: ${picture.proof.obstacle}.` : ` Some other string of ${counted(n)} might not.`;
  return `${leaks}; this string survives it.${why}`;
}

/** The length up to which answers are proved, as words; of scales that were chosen by hand the length of the string was tried. */
function provedLength(picture, state) {
  if (isRescaled(state)) return picture.provedNow ? grouped(picture.n) : '';
  const { proof } = picture;
  return !proof || proof.length < 0 ? '' : proof.length >= 2 ** 40 ? '2⁴⁰' : grouped(proof.length);
}

/** What the proved checker accepts, as a sentence; of scales that were chosen by hand it was not asked. */
function checkedWords(picture, state) {
  if (isRescaled(state) || !(picture.checked >= 0)) return '';
  const length = picture.checked >= 2 ** 40 ? '2⁴⁰' : grouped(picture.checked);
  return ` <span class="checked">Checked by a <abbr title="Coq has proved that this checker accepts no model file that gives a wrong answer">proved checker</abbr> up to ${length} letters.</span>`;
}

function badgeOf(picture, state) {
  const length = provedLength(picture, state);
  if (picture.provedNow) return `<span class="badge ok">proved${length ? ` up to ${length}<span class="far"> letters</span>` : ''}</span>`;
  return `<span class="badge un">${picture.proving ? 'looking for a proof …' : 'not proved'}</span>`;
}

/** Nothing can be drawn yet, because of what is wrong above. */
export function drawNoVerdict() {
  put(byId('verdict'), '<div class="big"><span>…</span></div><p class="say">The transformer comes as soon as the mistake above is mended.</p>');
}

export function drawVerdict(picture, state) {
  const box = byId('verdict'), right = picture.accept === picture.want;
  box.className = `verdict ${!right ? 'wrong' : picture.wrong ? 'part' : picture.provedNow ? 'proved' : ''}`;
  const error = picture.capture ? picture.errors[state.h] : Math.max(-1, ...picture.errors), shown = error < 0 ? picture.distance : error, head = picture.about.heads[state.h];
  put(box, `<div class="big"><span>${picture.accept ? '● accept' : '○ reject'}</span><span class="badge ${right ? 'ok' : 'no'}">${right ? '✓ right' : '✗ wrong'}</span>${badgeOf(picture, state)}</div>` +
    `<p class="say">${escape(sentence(picture, state))}${checkedWords(picture, state)}</p>` +
    `<dl><dt>largest error${head ? `<span class="far">, head ${head.layer}.${head.head}</span>` : ''}</dt><dd>${shown === undefined ? '–' : shown < 0 ? 'a number' : num(shown)}</dd>` +
    `<dt>bound</dt><dd>${picture.bound ? num(picture.bound) : picture.bounding ? '…' : 'none'}</dd><dt>proved up to</dt><dd>${provedLength(picture, state) || (picture.proof || isRescaled(state) ? 'none' : '…')}</dd></dl>`);
}
