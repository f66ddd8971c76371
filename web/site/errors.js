// What is wrong with what was typed, with a caret below the place and what may help.

import { byId } from './paint.js';
import { remedyOf } from './remedies.js';
import { textOf } from './strings.js';

const FIELDS = ['formula', 'string', 'scale', 'alphabet'];

/** A line with a caret below its column, cut to what is around it where it is long. */
function caretBelow(line, column, before = '') {
  const all = [...line], from = column > 60 ? column - 40 : 0, dots = from ? '…' : '';
  const shown = before + dots + all.slice(from, from + 100).join('') + (all.length > from + 100 ? '…' : '');
  return `${shown}\n${' '.repeat([...before].length + dots.length + column - 1 - from)}^ `;
}

/** Letters that the string has and the alphabet has not, as the field of letters would take them. */
function letterHint(state, about) {
  if (!about) return '';
  const { letters, tokens } = about, join = list => list.join(tokens ? ' ' : ''), strange = [...new Set(textOf(state.w, about))].filter(c => !letters.includes(c));
  const shown = letters.length > 30 ? `${letters.slice(0, 30).join(' ')} … (${letters.length} in all)` : letters.join(' ');
  return `${letters.length === 1 ? 'the only letter is' : 'the letters are'} ${shown}${strange.length && strange.length < 20 && state.syntax !== 'gallery' ? `; write ${join([...letters, ...strange])} into the field "letters" to add ${join(strange)}` : ''}`;
}

function placeOf(error, state, about) {
  if (error.of === 'formula' && error.line) {
    const many = state.f.includes('\n');
    return caretBelow(state.f.split('\n')[error.line - 1] ?? '', error.column, many ? `line ${error.line}: ` : '');
  }
  const found = error.of === 'string' && about && !about.tokens ? /at position (\d+)/.exec(error.message) : null;
  const at = found ? Number(found[1]) : 0, length = [...state.w].length;
  return at ? caretBelow(state.w, (at - 1) % length + 1) : '';
}

/** The error as words. */
export function errorWords(error, state) {
  const { about } = error; // letters of the model, where the string is wrong
  const hint = error.of === 'string' && /unknown/.test(error.message) ? letterHint(state, about) : remedyOf(error);
  return `${placeOf(error, state, about)}${error.message}${hint ? `\nhint: ${hint}` : ''}`;
}

export function showError(error, page) {
  const box = byId('error'), { state, picture } = page;
  for (const id of FIELDS) byId(id).removeAttribute('aria-invalid');
  if (!error) {
    box.textContent = '';
    return;
  }
  const field = error.of === 'formula' && !error.line && /alphabet/.test(error.message) ? 'alphabet' : error.of;
  if (FIELDS.includes(field)) byId(field).setAttribute('aria-invalid', 'true');
  box.textContent = errorWords(error, state) + (picture ? '\n(The picture is of the last state that was right.)' : '');
}
