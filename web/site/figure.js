// The string as a ruler: its letters, the truth of every subformula at every position, and below it the attention of a head.

import { byId, css, escape, grouped, inkOn, level, num, palette, patterns, shade } from './paint.js';
import { textOf } from './strings.js';

const OUTPUT = 78;

/** Small maps, one a head, to choose from. */
export function drawHeads(picture, state) {
  const { heads } = picture.about, box = byId('heads');
  const wanted = heads.map((h, k) => {
    const error = picture.errors[k];
    return `<button type="button" data-value="${k}" aria-pressed="${k === state.h}" title="${escape(h.label)}">${picture.capture ? '<canvas width="30" height="30"></canvas>' : ''}` +
      `<span class="${error > 0.25 ? 'bad' : ''}">${h.layer}.${h.head}</span><code>${escape(h.label)}</code></button>`;
  });
  const html = heads.length > 1 ? wanted.join('') : '';
  if (box.dataset.html !== html) {
    const focused = box.contains(document.activeElement) ? document.activeElement.dataset.value : null;
    box.innerHTML = html;
    box.dataset.html = html;
    if (focused !== null) box.querySelector(`[data-value="${focused}"]`)?.focus();
  }
  if (!picture.capture) return;
  const colours = palette(), { size } = picture;
  box.querySelectorAll('canvas').forEach((canvas, k) => {
    const image = new ImageData(size, size), pixels = new Uint32Array(image.data.buffer), { weights } = picture.heads[k];
    if (canvas.width !== size) canvas.width = canvas.height = size;
    for (let p = 0; p < pixels.length; p++) pixels[p] = colours[Math.round(255 * Math.max(0, Math.min(1, level(weights[p], state.log))))];
    canvas.getContext('2d').putImageData(image, 0, 0);
  });
}

function drawTiles(picture, state, left, cell, own) {
  const letters = textOf(picture.capture ? picture.text : state.w, picture.about), shown = picture.capture ? letters : letters.slice(0, 24);
  const height = Math.max(12, Math.min(36, cell - 3));
  let html = '';
  if (cell >= 20) {
    html = `<span style="left:${left}px;width:${cell}px;top:6px" title="^, the start sentinel: a position before the first letter">^</span>`;
    shown.forEach((letter, j) => {
      html += `<button type="button" data-j="${j}" class="${j >= own ? 'rep' : ''}" style="left:${left + (j + 1) * cell + 1}px;width:${cell - 3}px;height:${height}px;font-size:${cell < 30 ? 13 : 17}px;line-height:1" aria-label="letter ${j + 1}: ${escape(letter)}; click for the next letter of the alphabet">${escape(letter)}</button>`;
    });
    const end = left + (shown.length + 1) * cell + 6;
    if (!picture.capture || picture.n === own)
      html += `<button type="button" data-j="-" style="left:${end}px;width:26px;height:${height}px" aria-label="remove the last letter">−</button><button type="button" data-j="+" style="left:${end + 30}px;width:26px;height:${height}px" aria-label="add a letter">+</button>`;
  }
  const tiles = byId('tiles'), focused = tiles.contains(document.activeElement) ? document.activeElement.dataset.j : null;
  tiles.innerHTML = html;
  tiles.style.height = (html ? height + 5 : 0) + 'px';
  if (focused !== null) tiles.querySelector(`[data-j="${focused}"]`)?.focus({ preventScroll: true });
}

const cut = (label, most) => escape(label.length > most ? label.slice(0, most - 1) + '…' : label);

/** Many letters: the truth and the answers in blocks, and every head's error. */
function drawSummary(picture, state, left, box) {
  const width = box - left - 8, bins = Math.min(picture.n, 160), size = width / bins;
  let out = patterns('map'), y = 6;
  const strip = (label, get, bold) => {
    out += `<text class="m" x="0" y="${y + 14}" ${bold ? 'font-weight="600" style="font-family:inherit"' : ''}><title>${escape(label)}</title>${cut(label, Math.floor(left / 8.2))}</text>`;
    for (let k = 0; k < bins; k++) {
      const from = Math.floor(k * picture.n / bins), to = Math.max(from + 1, Math.floor((k + 1) * picture.n / bins));
      let sum = 0, bad = false;
      for (let j = from; j < to; j++) {
        sum += get(j);
        bad ||= bold && picture.truth && picture.answers[j] !== picture.truth[j];
      }
      const part = sum / (to - from);
      out += `<rect x="${(left + k * size).toFixed(1)}" y="${y}" width="${Math.max(0.6, size - 0.4).toFixed(1)}" height="19" fill="${bad ? 'url(#wrong-map)' : part === 0 ? 'var(--track)' : 'var(--true)'}" ${part > 0 && part < 1 && !bad ? `opacity="${(0.35 + 0.65 * part).toFixed(2)}"` : ''}/>`;
    }
    y += 22;
  };
  for (const row of picture.rows.slice(0, 12)) strip(row.label, j => row.truth[j]);
  strip('transformer', j => picture.answers[j], true);
  out += `<text class="s" x="${left}" y="${y + 13}">1</text><text class="s" x="${left + width}" y="${y + 13}" text-anchor="end">${grouped(picture.n)}</text>`;
  y += 38;
  out += `<text x="0" y="${y}" font-weight="600" style="font-size:14px">${picture.wrong ? `${grouped(picture.wrong)} of ${grouped(picture.n)} positions are answered wrongly, the first is ${grouped(picture.firstWrong)}` : `All ${grouped(picture.n)} positions are answered rightly`}</text>`;
  y += 24;
  for (const [k, head] of picture.about.heads.entries()) {
    const error = picture.errors[k], x = e => left + (1 - Math.min(1, Math.max(0, -Math.log10(Math.max(e, 1e-12)) / 12))) * (width - 90);
    out += `<text class="m ${k === state.h ? '' : 's'}" x="0" y="${y + 12}">${head.layer}.${head.head} ${cut(head.label, 14)}</text>`;
    out += `<rect x="${left}" y="${y + 2}" width="${width - 90}" height="12" fill="var(--track)"/>`;
    if (error >= 0) out += `<rect x="${left}" y="${y + 2}" width="${Math.max(0, x(error) - left)}" height="12" fill="${error > 0.25 ? 'url(#wrong-map)' : 'var(--true)'}"/>`;
    out += `<line x1="${x(0.25)}" x2="${x(0.25)}" y1="${y}" y2="${y + 16}" stroke="var(--bad)" stroke-width="1.5"/><text class="m" x="${left + width - 82}" y="${y + 12}">${error < 0 ? 'a count' : num(error)}</text>`;
    y += 20;
    if (k === 11) break;
  }
  out += `<text class="s" x="${left}" y="${y + 14}">largest error of each head, from 10⁻¹² to 1; the line is ¼</text>`;
  return { out, height: y + 22, width: box };
}

function drawMap(picture, state, left, cell, row) {
  const { n, size } = picture, letters = ['^', ...textOf(picture.text, picture.about)], X = j => left + j * cell;
  if (picture.about.hasEnd) letters.push('$');
  const thick = n > 30 ? 16 : 22;
  let out = patterns('map'), y = 0;
  if (cell < 20) {
    letters.forEach((letter, j) => {
      out += `<text class="m ${j ? '' : 's'}" x="${X(j) + cell / 2}" y="11" text-anchor="middle" font-weight="600">${escape(letter)}</text>`;
    });
    y = 18;
  }
  const box = (j, value, bad) => {
    const w = cell - 1;
    let s = `<rect x="${X(j)}" y="${y}" width="${w}" height="${thick - 2}" fill="${bad ? 'url(#wrong-map)' : value ? 'var(--true)' : 'var(--track)'}"/>`;
    if (cell >= 14 && (bad || value))
      s += `<text x="${X(j) + w / 2}" y="${y + thick / 2 + 3.5}" text-anchor="middle" style="font-size:11px;font-weight:700;fill:${bad ? 'var(--ink)' : 'var(--true-ink)'}${bad ? ';paint-order:stroke;stroke:var(--page);stroke-width:4px' : ''}">${bad ? '≠' : '1'}</text>`;
    return s;
  };
  for (const r of picture.rows.slice(0, 16)) {
    out += `<text class="m" x="0" y="${y + thick / 2 + 4}"><title>${escape(r.label)}${r.head > 0 ? `: head ${r.layer}.${r.head}` : ''}</title>${cut(r.label, Math.floor(left / 7.6))}</text>`;
    for (let j = 1; j <= n; j++) {
      const kept = r.values ? r.values[j - 1] : null, bad = kept !== null && kept !== r.truth[j - 1];
      out += box(j, r.truth[j - 1], bad);
    }
    y += thick;
  }
  out += `<text x="0" y="${y + thick / 2 + 4}" font-weight="600">transformer</text>`;
  for (let j = 1; j <= n; j++) out += box(j, picture.answers[j - 1], picture.truth && picture.answers[j - 1] !== picture.truth[j - 1]);
  const read = picture.about.at === 'first' ? 1 : n;
  if (n) out += `<rect x="${X(read) - 2}" y="${y - 2}" width="${cell + 3}" height="${thick + 2}" fill="none" stroke="var(--ink)" stroke-width="2"/>`;
  y += thick + 24;
  const head = picture.heads[state.h], info = picture.about.heads[state.h], top = y, mask = info?.mask.replace(/ /g, '');
  if (head) {
    out += `<text class="s" x="${X(size) + 8}" y="${y - 6}">output</text><text class="s" x="0" y="${y - 6}">query i</text>`;
    for (let i = 0; i < size; i++) {
      const weights = head.weights.subarray(i * size, (i + 1) * size), hard = head.hard?.subarray(i * size, (i + 1) * size);
      const seen = j => (mask === 'j<i' ? j < i : mask === 'j<=i' ? j <= i : mask === 'j>i' ? j > i : mask === 'j>=i' ? j >= i : true);
      let open = 0, chosen = 0;
      for (let j = 0; j < size; j++) {
        open += seen(j);
        chosen += seen(j) && hard?.[j] > 0;
      }
      if (i === state.i) out += `<rect x="-3" y="${y - 1}" width="${X(size) + OUTPUT + 2}" height="${row + 1}" fill="none" stroke="var(--sel)" stroke-width="3" rx="3"/>`;
      if (row >= 14 || i % 5 === 0)
        out += `<text class="s" x="${left - 26}" y="${y + row / 2 + 4}" text-anchor="end">${i}</text><text class="m" x="${left - 10}" y="${y + row / 2 + 4}" text-anchor="end" font-weight="600">${escape(letters[i] ?? '')}</text>`;
      for (let j = 0; j < size; j++) {
        const w = cell - 1, h = row - 1;
        if (!seen(j)) {
          let end = j; // masked keys side by side are one rectangle
          while (end + 1 < size && !seen(end + 1)) end++;
          out += `<rect x="${X(j)}" y="${y}" width="${(end - j + 1) * cell - 1}" height="${h}" fill="url(#mask-map)"/>`;
          j = end;
          continue;
        }
        const colour = shade(level(weights[j], state.log)), lg = Math.log10(weights[j]);
        out += `<rect x="${X(j)}" y="${y}" width="${w}" height="${h}" fill="${css(colour)}" stroke="var(--line)" stroke-width=".5"/>`;
        if (cell >= 30)
          out += `<text x="${X(j) + w / 2}" y="${y + h / 2 + 4}" text-anchor="middle" pointer-events="none" style="font-size:11px;fill:${inkOn(colour)}">${state.log
            ? (weights[j] > 1e-99 ? (lg > -0.05 ? '0' : lg.toFixed(Math.abs(lg) < 9.95 ? 1 : 0).replace('-', '−')) : '−∞')
            : weights[j] > 0.995 ? '1' : weights[j] < 0.005 ? '0' : weights[j].toFixed(2).slice(1)}</text>`;
        if (hard?.[j] > 0 && chosen < open && cell < 20)
          out += `<rect x="${X(j)}" y="${y}" width="${w}" height="${h}" fill="none" stroke="var(--ink)"/>`;
        else if (hard?.[j] > 0 && chosen < open)
          out += `<rect x="${X(j) + 1.5}" y="${y + 1.5}" width="${w - 3}" height="${h - 3}" fill="none" stroke="var(--page)" stroke-width="4"/><rect x="${X(j) + 1}" y="${y + 1}" width="${w - 2}" height="${h - 2}" fill="none" stroke="var(--ink)" stroke-width="2"/>`;
      }
      if (row >= 14 || i % 5 === 0) {
        const value = head.outputs[i], off = info.bound > 0 && picture.errors[state.h] >= 0 && Math.min(Math.abs(value), Math.abs(value - 1)) > 0.25;
        out += `<text class="m" x="${X(size) + 8}" y="${y + row / 2 + 4}" style="font-size:11.5px${off ? ';fill:var(--bad);font-weight:700' : ''}">${num(value)}</text>`;
      }
      y += row;
    }
  }
  return { out, height: y + 2, width: X(size) + OUTPUT, top, row };
}

/** What the cell below the pointer is, in words; '' where there is none. */
export function cellWords(picture, state, x, y) {
  const map = byId('map'), { left, cell, top, row } = map.dataset, head = picture.heads[state.h];
  const i = Math.floor((y - Number(top)) / Number(row)), j = Math.floor((x - Number(left)) / Number(cell)), { size } = picture;
  if (!head || !(i >= 0 && j >= 0 && i < size && j < size)) return '';
  const letters = ['^', ...textOf(picture.text, picture.about), '$'], at = i * size + j;
  return `query ${i} (${letters[i]}), key ${j} (${letters[j]}): weight ${head.weights[at]}${head.hard ? `, hard ${Number(head.hard[at].toPrecision(4))}` : ''}`;
}

export function drawFigure(picture, state) {
  const map = byId('map'), box = byId('figure').parentNode.clientWidth - 10, { n, size } = picture;
  const longest = Math.max(8, ...picture.rows.map(r => r.label.length));
  const left = Math.min(box < 500 ? 110 : 168, Math.max(100, 18 + 7.6 * longest));
  const own = textOf(state.w, picture.about).length, columns = picture.capture ? size : Math.min(own, 24) + 1;
  const cell = picture.capture ? Math.max(box < 500 ? 24 : 10, Math.min(50, Math.floor((box - left - OUTPUT) / columns)))
    : Math.min(36, Math.max(24, Math.floor((box - left - 70) / columns)));
  const row = Math.max(10, Math.min(cell, n > 16 ? cell : 32));
  drawTiles(picture, state, left, cell, own);
  const drawn = picture.capture ? drawMap(picture, state, left, cell, row) : drawSummary(picture, state, left, box);
  map.setAttribute('width', drawn.width);
  map.setAttribute('height', drawn.height);
  map.innerHTML = drawn.out;
  map.dataset.top = drawn.top ?? 0;
  map.dataset.row = drawn.row ?? 0;
  map.dataset.left = left;
  map.dataset.cell = cell;
  map.setAttribute('aria-valuenow', state.i);
  map.setAttribute('aria-valuemax', Math.max(0, size - 1));
  map.setAttribute('aria-valuetext', `row ${state.i}`);
  byId('log').style.visibility = picture.capture ? '' : 'hidden';
  const head = picture.about.heads[state.h];
  byId('figure-title').textContent = !picture.capture ? 'Summary' : head ? `Truth, and attention of head ${head.layer}.${head.head}` : 'Truth';
  const stops = Array.from({ length: 9 }, (_, k) => css(shade(k / 8)));
  byId('legend').innerHTML = !picture.capture ? '<span>A summary stands for the map beyond 60 letters. The letters above are what is repeated.</span>'
    : !head ? '' : `<span>${state.log ? 'weight 10⁻¹²' : 'weight 0'}<span class="ramp" style="background:linear-gradient(90deg,${stops})"></span>1${state.log ? ' (numbers: log₁₀)' : ''}</span>` +
    '<span><i style="border:2px solid var(--ink)"></i>hard choice (no outline: all keys)</span>' +
    '<span><i style="background:repeating-linear-gradient(45deg,var(--hatch) 0 2px,transparent 2px 5px);border:1px solid var(--line)"></i>masked</span>' +
    '<span><i style="border:3px solid var(--sel);border-radius:3px"></i>row in full</span>';
}
