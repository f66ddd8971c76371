// What is wrong with what was typed, with a caret below the place.

import { byId } from './paint.js';

export function showError(error, page) {
  const box = byId('error'), { state } = page;
  byId('formula').removeAttribute('aria-invalid');
  byId('string').removeAttribute('aria-invalid');
  byId('scale').removeAttribute('aria-invalid');
  if (!error) {
    box.textContent = '';
    return;
  }
  const still = page.picture ? '  (The picture is of the last state that was right.)' : '';
  if (error.line) {
    const line = state.f.split('\n')[error.line - 1] ?? '', before = [...line].slice(0, error.column - 1).length;
    byId('formula').setAttribute('aria-invalid', 'true');
    box.textContent = `${state.f.includes('\n') ? `line ${error.line}: ` : ''}${line}\n${' '.repeat(before + (state.f.includes('\n') ? `line ${error.line}: `.length : 0))}^ ${error.message}${error.hint ? `; ${error.hint}` : ''}${still}`;
  } else {
    const about = /letter|alphabet/.test(error.message) ? 'string' : state.s && /scale|expression/.test(error.message) ? 'scale' : 'formula';
    byId(about).setAttribute('aria-invalid', 'true');
    box.textContent = `${error.message}${error.hint ? `; ${error.hint}` : ''}${still}`;
  }
}
