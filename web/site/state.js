// The whole state of the page, and its form in the address.

export const START = { syntax: 'spec', f: 'H(b -> O a)', a: 'abc', w: 'caab', t: 1, s: '', n: 4, by: 's', type: 'f64', m: 'temperature', h: 0, i: 4, log: 0 };
const MOST = 1e5;

export const EXAMPLES = [
  ['once: was there an a?', { f: 'O a' }],
  ['two heads: every b after some a', {}],
  ['since: only a after the last b', { f: 'a S b', w: 'cbaaca', n: 6, i: 6 }],
  ['yesterday: the letter before', { f: 'Y a' }],
  ['a majority: more a than b', { f: '#[a] > #[b]', w: 'abaab', n: 5, i: 5 }],
  ['PARITY: an odd number of a', { f: '#[a] % 2 = 1', w: 'abaacb', n: 6, i: 6, h: 1 }],
  ['a regular expression', { syntax: 'regex', f: '(ab|c)*', a: 'abc', w: 'abcab', n: 5, i: 5 }],
  ['a C-RASP program: balanced brackets', { syntax: 'crasp', f: 'C_open = # "("\nC_close = # ")"\nV = C_open < C_close\nC_V = # V\nM = C_V == 0\nD = M && C_open == C_close', a: '', w: '(()())', n: 6, i: 6 }],
  ['a B-RASP program: no two equal letters side by side', { syntax: 'brasp', f: 'Same(i) := rightmost [j<i, 1] Q_a(i) & Q_a(j) | Q_b(i) & Q_b(j) : 0\nBad(i) := leftmost [j<=i, Same(j)] 1 : 0\nGood(i) := !Bad(i)', a: 'ab', w: 'ababba', n: 6, i: 6 }],
  ['too soft: an eighth of the proved scale', { f: 'O a', t: 0.125 }],
  ['one a among thousands', { f: 'O a', w: 'ab', t: 0.5, n: 5000, by: 'l', i: 2 }],
  ['bf16 loses positions at 85 letters', { f: 'a S b', w: 'bcac', n: 85, type: 'bf16/f32', i: 4 }],
  ['a fixed scale: 1', { f: 'O a', w: 'abbbbbbb', n: 8, i: 8, s: '1' }],
];

/** Scales to try instead of a factor; 11.31 is √128, the scale of heads of 128 channels that the schedules multiply. */
export const SCALES = [
  ['1', '1', 'the same at every length'],
  ['ln(N)', 'ln(N)', 'grows with the logarithm of the length'],
  ['SSMax', '11.31*0.43*ln(N)', 'SSMax, on top of √128'],
  ['Llama 4', '11.31*(1 + 0.1*ln(1 + floor((i + 1)/8192)))', 'Llama 4, on top of √128: every row has a scale of its own, which reads its position i'],
  ['8*N', '8*N', 'what since needs'],
];

/** A factor of the proved scales, or of an expression, as the library reads it; '' where nothing changes. */
export function scaleWords(expression, factor) {
  const f = Number(factor.toPrecision(4));
  return expression ? (f === 1 ? expression : `${f}*(${expression})`) : f === 1 ? '' : `${f}x`;
}

/** The format that digits are made for: that in which numbers are stored; 'f64': what the library takes by itself. */
export const digitsOf = ({ m, type }) => (m === 'digits' && /^(f16|e4m3|e5m2)/.test(type) ? type.split('/')[0] : 'f64');

const NUMBERS = new Set(['t', 'n', 'h', 'i', 'log']);

export function toFragment(state, theme) {
  const p = new URLSearchParams();
  for (const key of Object.keys(START)) if (state[key] !== START[key] || key === 'f' || key === 'w') p.set(key, key === 't' ? Number(state.t.toPrecision(4)) : state[key]);
  if (theme) p.set('theme', theme);
  return '#' + p;
}

/** A state of an address; what is missing or nonsense is as at the start. */
export function fromFragment(hash) {
  const p = new URLSearchParams(hash.slice(1)), state = { ...START };
  for (const key of Object.keys(START)) {
    if (!p.has(key)) continue;
    const value = NUMBERS.has(key) ? Number(p.get(key)) : p.get(key);
    if (typeof value === 'string' || Number.isFinite(value)) state[key] = value;
  }
  if (p.has('w') && !p.has('n')) state.n = [...state.w].length;
  return tidy(state);
}

export function tidy(state) {
  const clamp = (x, low, high) => Math.min(high, Math.max(low, x));
  state.t = clamp(state.t || 1, 0.1, 10);
  state.n = clamp(Math.round(state.n) || 1, 1, MOST);
  state.i = clamp(Math.round(state.i) || 0, 0, MOST);
  state.h = clamp(Math.round(state.h) || 0, 0, 10000);
  state.log = state.log ? 1 : 0;
  state.by = state.by === 'l' ? 'l' : 's';
  return state;
}
