// The command that does what the page shows.

import { digitsOf, scaleWords } from './state.js';
import { textOf } from './strings.js';

export const quote = s => (/^[A-Za-z0-9_.,:/+-]+$/.test(s) ? s : `'${s.replace(/'/g, `'\\''`)}'`);

function stringWords(state, about) {
  const letters = textOf(state.w, about), m = letters.length, n = state.n;
  if (n === m) return quote(state.w);
  if (n < m) return quote(letters.slice(0, n).join(about.tokens ? ' ' : ''));
  if (state.by === 'l') return `"$(printf %s ${quote(state.w)}; printf ${quote(letters[m - 1] + '%.0s')} {1..${n - m}})"`;
  return `"$(printf ${quote(state.w + '%.0s')} {1..${Math.ceil(n / m)}} | head -c ${n})"`;
}

function specificationWords(state) {
  const alphabet = state.a ? ` --alphabet ${quote(state.a)}` : '';
  if (state.syntax === 'regex') return `--regex ${quote(state.f)}${alphabet}`;
  if (state.syntax === 'crasp' || state.syntax === 'brasp') return `-F program.${state.syntax}${alphabet}`;
  return `-f ${quote(state.f)}${alphabet}`;
}

export function commandFor(state, picture) {
  const { about } = picture, head = about.heads[state.h];
  const gallery = state.syntax === 'gallery', method = state.m !== 'temperature' ? ` --method ${state.m}` : '';
  const words = [gallery ? 'soft.temper' : specificationWords(state) + method];
  if (!gallery && digitsOf(state) !== 'f64') words.push(`--digits ${digitsOf(state)}`);
  if (state.type !== 'f64') words.push(`--type ${state.type}`);
  const scale = scaleWords(state.s, state.t);
  if (scale) words.push(`--scale ${quote(scale)}`);
  if (!picture.provedHere) words.push('--unchecked');
  if (gallery) return `temper compile --gallery ${quote(state.f)} -o hard.temper && temper soften hard.temper${method} --length ${picture.softenedFor} -o soft.temper && temper run ${words.join(' ')} --errors ${stringWords(state, about)}`;
  if (picture.capture && head) return `temper show ${words.join(' ')} --row ${head.layer}.${head.head}@${state.i} ${stringWords(state, about)}`;
  return `temper run ${words.join(' ')} --errors ${stringWords(state, about)}`;
}
