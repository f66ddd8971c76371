// The letters of the string as buttons. Where the cells of the map are wide enough they stand above their columns, as its ruler; else
// they stand in lines of their own, so that a finger always finds one.

import { byId, escape, put } from './paint.js';
import { textOf } from './strings.js';

const LEAST = 32, MOST = 60;

/** Whether tiles of a size that a finger finds fit above the columns, with the two that add and remove a letter. */
export function tilesFit(left, cell, columns, box) {
  return cell - 3 >= LEAST && left + columns * cell + 2 * LEAST + 10 <= box;
}

const letterTile = (letter, j, more, style) =>
  `<button type="button" data-j="${j}" ${more} style="${style}" aria-label="letter ${j + 1}: ${escape(letter)}; click for the next letter of the alphabet">${escape(letter)}</button>`;

const others = style => `<button type="button" data-j="-" style="${style(0)}" aria-label="remove the last letter">−</button>` +
  `<button type="button" data-j="+" style="${style(1)}" aria-label="add a letter">+</button>`;

function above(picture, state, left, cell, own) {
  const letters = textOf(picture.text, picture.about), height = Math.min(36, cell - 3), end = left + (letters.length + 1) * cell + 6;
  return `<span style="left:${left}px;width:${cell}px;top:6px" title="^, the start sentinel: a position before the first letter">^</span>` +
    letters.map((letter, j) => letterTile(letter, j, j >= own ? 'class="rep"' : '', `left:${left + (j + 1) * cell + 1}px;width:${cell - 3}px;height:${height}px`)).join('') +
    (picture.n === own ? others(k => `left:${end + k * (LEAST + 4)}px;width:${LEAST}px;height:${height}px`) : '');
}

function inLines(picture, state) {
  const letters = textOf(state.w, picture.about), shown = letters.slice(0, MOST), style = `min-width:${LEAST}px;height:36px`;
  return shown.map((letter, j) => letterTile(letter, j, '', style)).join('') +
    (letters.length > MOST ? `<span>… ${letters.length} letters</span>` : '') + others(() => style);
}

/** `fits`: tilesFit says so. */
export function drawTiles(picture, state, left, cell, fits) {
  const tiles = byId('tiles'), own = textOf(state.w, picture.about).length;
  const focused = tiles.contains(document.activeElement) ? document.activeElement.dataset.j : null;
  tiles.className = fits ? '' : 'lines';
  tiles.style.height = fits ? `${Math.min(36, cell - 3) + 5}px` : '';
  if (!put(tiles, fits ? above(picture, state, left, cell, own) : inLines(picture, state))) return;
  if (focused !== null) tiles.querySelector(`[data-j="${focused}"]`)?.focus({ preventScroll: true });
}
