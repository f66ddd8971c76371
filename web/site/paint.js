// Colours, numbers and words that all parts of the page share.

export const byId = id => document.getElementById(id);
export const escape = s => String(s).replace(/[&<>"]/g, c => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }[c]));

/** A number with as many digits as the eye can use; a leak next to 1 keeps more. */
export function num(x) {
  if (x === null || x === undefined || Number.isNaN(x)) return '–';
  if (!Number.isFinite(x)) return x > 0 ? '∞' : '−∞';
  if (x === 0) return '0';
  const size = Math.abs(x);
  const text = size >= 0.001 && size < 1e6 ? String(Number(x.toPrecision(size > 0.9 && size < 1 ? 6 : 4))) : x.toExponential(2);
  return text.replace('e-', 'e−').replace('e+', 'e').replace(/^-/, '−');
}

export const grouped = n => n.toLocaleString('en-US').replace(/,/g, ' ');

let dark = null; // asked for once in a drawing, not once a cell

export function isDark() {
  if (dark === null) {
    const theme = document.documentElement.dataset.theme;
    dark = theme ? theme === 'dark' : matchMedia('(prefers-color-scheme:dark)').matches;
    queueMicrotask(() => {
      dark = null;
    });
  }
  return dark;
}

const LIGHT = [[250, 250, 245], [191, 222, 190], [94, 179, 181], [41, 105, 159], [28, 28, 92]];
const DARK = [[30, 34, 42], [35, 66, 104], [36, 122, 150], [110, 190, 170], [243, 240, 190]];

/** The shade of a level between 0 and 1. */
export function shade(level) {
  const stops = isDark() ? DARK : LIGHT, x = Math.max(0, Math.min(1, level)) * 4, k = Math.min(3, Math.floor(x)), t = x - k;
  return stops[k].map((a, c) => Math.round(a + (stops[k + 1][c] - a) * t));
}

/** 256 shades as pixels, for small maps. */
export function palette() {
  const pixels = new Uint32Array(256), bytes = new Uint8Array(pixels.buffer);
  for (let k = 0; k < 256; k++) bytes.set([...shade(k / 255), 255], 4 * k);
  return pixels;
}

export const css = c => `rgb(${c})`;

export function inkOn(c) {
  const [r, g, b] = c.map(u => ((u /= 255) <= 0.03928 ? u / 12.92 : ((u + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b > 0.2 ? '#14161b' : '#fff';
}

/** Where a weight lies on the ramp: itself, or on a logarithmic scale from 10⁻¹². */
export const level = (weight, log) => (!log ? weight : weight <= 0 ? 0 : Math.max(0, 1 + Math.log10(weight) / 12));

/** Patterns for wrong answers and masked cells; names must differ between pictures. */
export const patterns = suffix =>
  `<defs><pattern id="wrong-${suffix}" width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect width="5" height="5" fill="var(--wash)"/><rect width="2.4" height="5" fill="var(--bad)"/></pattern>` +
  `<pattern id="mask-${suffix}" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect width="1" height="6" fill="var(--hatch)"/></pattern></defs>`;
