// The panel of limits: how far each number format goes, looked for in the background.

import { byId, escape, grouped } from './paint.js';
import { follow } from './workers.js';

const TYPES = ['f64', 'f32', 'bf16/f32', 'f16/f32'];
let stop = null;

export function openLimits(page) {
  const dialog = byId('limits');
  dialog.innerHTML = `<button class="close" type="button" autofocus>Close</button><h2 id="limits-title">Limits of number formats</h2>
<p>How far the answers to <code>${escape(page.state.f)}</code> are proved right in each format, and where a wrong one was found, on strings of up to 4,096 letters. This takes a minute or so and does not slow the page down.</p>
<p><progress value="0" max="1"></progress> <span class="count" role="status">starting …</span></p><div class="chart" tabindex="0" role="region" aria-label="Chart of limits"></div><div class="table"></div>`;
  dialog.querySelector('.close').addEventListener('click', () => dialog.close());
  dialog.onclose = () => stop?.();
  dialog.showModal();
  const bar = dialog.querySelector('progress'), count = dialog.querySelector('.count');
  stop = follow('limits', page.state, { types: TYPES }, data => {
    if (data.kind === 'error' || data.kind === 'failed') {
      count.textContent = data.error.message;
      return;
    }
    if (data.kind !== 'limits') return;
    if (!data.done) {
      bar.max = data.units;
      bar.value = data.unit;
      count.textContent = `${data.unit} of ${data.units} parts are done`;
      return;
    }
    bar.value = bar.max;
    count.textContent = 'done';
    dialog.querySelector('.chart').innerHTML = `<img alt="Proved and wrong lengths, as in the table below" src="data:image/svg+xml,${encodeURIComponent(data.svg)}">`;
    const rows = data.rows.rows ?? data.rows;
    dialog.querySelector('.table').innerHTML = '<table class="rows"><thead><tr><th>format</th><th>method</th><th>proved up to</th><th>first wrong</th><th>why</th></tr></thead><tbody>' +
      rows.map(r => `<tr><td>${escape(r.type)}</td><td>${escape(r.method)}</td><td>${r.proved_length === null ? 'none' : grouped(r.proved_length)}</td><td>${r.first_wrong === null ? 'none found' : grouped(r.first_wrong)}</td><td>${escape(r.why ?? '')}</td></tr>`).join('') + '</tbody></table>';
  });
}
