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
export const counted = n => `${grouped(n)} ${n === 1 ? 'letter' : 'letters'}`;

export const cut = (label, most) => (label.length > most ? label.slice(0, most - 1) + '…' : label);

// ---- the document, touched as little as possible ----

const shown = new WeakMap();

/** The markup of an element, set only where it differs from what this function set before. */
export function put(element, html) {
  if (shown.get(element) === html) return false;
  shown.set(element, html);
  element.innerHTML = html;
  return true;
}

/** The same for attributes and properties that are words. */
export function note(element, name, value) {
  if (element.getAttribute(name) !== String(value)) element.setAttribute(name, value);
}

export function words(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

// Widths of elements, as the browser reports them: asking for one while drawing would make it lay the page out again and again.
const widths = new WeakMap();
let onWidth = () => {};
const observer = new ResizeObserver(entries => {
  for (const { target, contentRect } of entries) widths.set(target, contentRect.width);
  onWidth();
});

export function widthOf(element) {
  if (!widths.has(element)) {
    widths.set(element, element.clientWidth);
    observer.observe(element);
  }
  return widths.get(element);
}

/** Calls back when an element whose width was asked for gets another one. */
export function whenResized(callback) {
  onWidth = callback;
}

/** A small screen, as style.css has it. */
export const isPhone = () => matchMedia('(max-width:760px) and (min-height:501px),(max-width:600px)').matches;

// ---- colours ----

let dark = null; // asked for once in a drawing, not once a cell

export function isDark() {
  if (dark === null) {
    const { theme } = document.documentElement.dataset;
    dark = theme ? theme === 'dark' : matchMedia('(prefers-color-scheme:dark)').matches;
    queueMicrotask(() => {
      dark = null;
    });
  }
  return dark;
}

const NAMES = ['page', 'ink', 'soft', 'line', 'edge', 'true', 'true-ink', 'bad', 'wash', 'sel', 'track', 'hatch', 'r0', 'r1', 'r2', 'r3', 'r4'];
const themes = new Map(); // colours of the stylesheet, by theme

/** The colours of the stylesheet as the canvas understands them. */
export function inks() {
  const theme = isDark();
  if (!themes.has(theme)) {
    const probe = document.createElement('i'), found = {};
    probe.hidden = true;
    document.body.append(probe); // inside what the stylesheet is about
    for (const name of NAMES) {
      probe.style.color = `var(--${name})`;
      found[name] = getComputedStyle(probe).color;
    }
    probe.remove();
    found.stops = ['r0', 'r1', 'r2', 'r3', 'r4'].map(name => found[name].match(/\d+/g).slice(0, 3).map(Number));
    found.shades = Array.from({ length: 256 }, (_, k) => mix(found.stops, k / 255));
    found.styles = found.shades.map(css);
    found.onShade = found.shades.map(inkOn);
    found.pixels = new Uint32Array(new Uint8Array(found.shades.flatMap(c => [...c, 255])).buffer);
    themes.set(theme, found);
  }
  return themes.get(theme);
}

function mix(stops, level) {
  const x = Math.max(0, Math.min(1, level)) * 4, k = Math.min(3, Math.floor(x)), t = x - k;
  return stops[k].map((a, c) => Math.round(a + (stops[k + 1][c] - a) * t));
}

const css = c => `rgb(${c})`;

function inkOn(c) {
  const [r, g, b] = c.map(u => ((u /= 255) <= 0.03928 ? u / 12.92 : ((u + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b > 0.18 ? '#000' : '#fff';
}

/** Which of the 256 shades a weight gets: by its square root, as in all pictures of temper, or on a logarithmic scale from 10⁻¹². */
export function shadeOf(weight, log) {
  const level = !log ? Math.sqrt(Math.max(0, weight)) : weight <= 0 ? 0 : 1 + Math.log10(weight) / 12;
  return level > 0 ? (level < 1 ? Math.round(255 * level) : 255) : 0;
}

/** Patterns for wrong answers; names must differ between pictures. */
export const patterns = suffix =>
  `<defs><pattern id="wrong-${suffix}" width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect width="5" height="5" fill="var(--wash)"/><rect width="2.4" height="5" fill="var(--bad)"/></pattern></defs>`;
