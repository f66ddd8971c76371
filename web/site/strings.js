// Strings and how they are lengthened: by repeating the whole, or the last letter.

/** The letters of a text: characters, or words between ASCII blanks where letters are tokens. */
export function textOf(text, about) {
  return about.tokens ? text.split(/[\t\n\v\f\r ]+/).filter(Boolean) : [...text];
}

/** The string of the state, repeated or cut to its length n. */
export function lengthen(state, about) {
  const letters = textOf(state.w, about), m = letters.length, n = state.n;
  if (!m || n === m) return state.w;
  const out = new Array(n);
  for (let j = 0; j < n; j++) out[j] = state.by === 'l' && j >= m ? letters[m - 1] : letters[j % m];
  return out.join(about.tokens ? ' ' : '');
}
