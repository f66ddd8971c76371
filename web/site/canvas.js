// Drawing on a canvas: thousands of cells at once, where as many elements would take the browser a tenth of a second.

import { inks } from './paint.js';

const SANS = "Inter,system-ui,'Segoe UI',sans-serif", MONO = "ui-monospace,'SF Mono','DejaVu Sans Mono',Menlo,Consolas,monospace";

/** A tile of stripes, for what is wrong or masked; made once for each theme and resolution. */
function stripes(back, front, thick, apart, ratio) {
  const size = Math.round(apart * ratio), tile = new OffscreenCanvas(size, size), c = tile.getContext('2d');
  if (back) {
    c.fillStyle = back;
    c.fillRect(0, 0, size, size);
  }
  c.strokeStyle = front;
  c.lineWidth = thick * ratio;
  c.beginPath();
  for (const shift of [-1, 0, 1]) {
    c.moveTo((shift - 0.5) * size, -0.5 * size);
    c.lineTo((shift + 1.5) * size, 1.5 * size);
  }
  c.stroke();
  return tile;
}

export class Sheet {
  constructor(canvas) {
    this.canvas = canvas;
    this.c = canvas.getContext('2d');
    this.tiles = new Map();
  }

  /** Empties it, with a size in CSS pixels. */
  begin(width, height) {
    const ratio = Math.max(1, devicePixelRatio || 1), { canvas, c } = this, w = Math.ceil(width * ratio), h = Math.ceil(height * ratio);
    this.ratio = ratio;
    this.ink = inks();
    if (canvas.width !== w || canvas.height !== h) {
      canvas.width = w;
      canvas.height = h;
      canvas.style.width = `${width}px`;
      canvas.style.height = `${height}px`;
    } else {
      c.setTransform(1, 0, 0, 1, 0, 0);
      c.clearRect(0, 0, w, h);
    }
    c.setTransform(ratio, 0, 0, ratio, 0, 0);
    c.textBaseline = 'alphabetic';
  }

  pattern(kind) {
    const { ink, ratio } = this, key = `${kind} ${ink.page} ${ratio}`;
    if (!this.tiles.has(key)) {
      const tile = kind === 'wrong' ? stripes(ink.wash, ink.bad, 1.9, 5, ratio) : stripes(null, ink.hatch, 1, 6, ratio);
      this.tiles.set(key, this.c.createPattern(tile, 'repeat'));
    }
    const made = this.tiles.get(key);
    made.setTransform(new DOMMatrix().scale(1 / ratio));
    return made;
  }

  rect(fill, x, y, width, height) {
    this.c.fillStyle = fill;
    this.c.fillRect(x, y, width, height);
  }

  frame(stroke, x, y, width, height, thick = 1) {
    this.c.strokeStyle = stroke;
    this.c.lineWidth = thick;
    this.c.strokeRect(x, y, width, height);
  }

  text(string, x, y, { size = 12, weight = 400, mono = false, fill = this.ink.ink, align = 'left', halo = false } = {}) {
    const { c } = this;
    c.font = `${weight} ${size}px ${mono ? MONO : SANS}`;
    c.textAlign = align;
    if (halo) {
      c.strokeStyle = this.ink.page;
      c.lineWidth = 4;
      c.lineJoin = 'round';
      c.strokeText(string, x, y);
    }
    c.fillStyle = fill;
    c.fillText(string, x, y);
  }
}
