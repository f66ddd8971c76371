// The charts against the library: errors and bounds of the chosen head at every factor, of the proved scale and of one that was typed;
// and leaks in the map, which must not look like 0.
import { check, engine, open } from './harness.mjs';

const HEIGHT = 126, LEFT = 46, EDGE = 11; // of web/site/charts.js
const heightOf = e => 4 + Math.min(1, Math.max(0, -Math.log10(Math.max(e, 1e-13)) / 8)) * (HEIGHT - 10);

/** The points of a line of the scale's chart: the factor's number of 48, and the height in pixels. */
const line = (page, dashed) => page.evaluate(([dash, left, edge]) => {
  const svg = document.getElementById('factor-plot'), paths = [...svg.querySelectorAll('path')].filter(p => (p.getAttribute('stroke-dasharray') === '5 4') === dash && p.getAttribute('fill') === 'none');
  const room = Number(svg.getAttribute('width')) - left - 2 * edge;
  return paths.flatMap(p => p.getAttribute('d').slice(1).split('L').filter(Boolean)).map(word => {
    const [x, y] = word.split(' ').map(Number);
    return { k: Math.round(48 * (x - left - edge) / room), y };
  });
}, [dashed, LEFT, EDGE]);

/** Waits until a line has all its points. */
async function whole(page, dashed, least) {
  for (let tries = 0; tries < 150; tries++) {
    const points = await line(page, dashed);
    if (points.length >= least) return points;
    await page.waitForTimeout(200);
  }
  return line(page, dashed);
}

const factorOf = k => Number((10 ** (2 * k / 48 - 1)).toPrecision(4));

function compare(name, points, expected) {
  let off = 0, worst = '';
  for (const { k, y } of points) {
    const e = expected(k);
    if (e === null || !(Math.abs(y - heightOf(e)) <= 0.06)) {
      off++;
      worst = `at ${factorOf(k)}: height ${y} instead of ${e === null ? 'nothing' : heightOf(e).toFixed(1)}`;
    }
  }
  check(points.length > 0 && !off, `${name}: ${off} of ${points.length} points are wrong, ${worst}`);
}

export async function charts() {
  const library = await engine();
  for (const [name, formula, string] of [['bounds', 'H(b -> O a)', 'caab'], ['bounds-parity', '#[a] % 2 = 1', 'abaacb']])
    await open(name, `#${new URLSearchParams({ f: formula, w: string, n: string.length, i: 1 })}`, {}, async page => {
      const model = library.spec(formula, { alphabet: 'abc' }).build(), { heads } = model.about();
      for (const [h, { layer, head }] of heads.entries()) {
        await page.click(`#heads [data-value="${h}"]`);
        await page.waitForTimeout(800); // the line of the head before is gone
        compare(`${formula}: the dashed line of head ${layer}.${head}`, await whole(page, true, 30), k => {
          const found = (k === 24 ? model : model.rescale(`${factorOf(k)}x`)).certify(string.length);
          // By facts there is an error for each length; the largest counts.
          return found.verdict === 'proved' ? Math.max(...[JSON.parse(found.certificate).heads.find(x => x.layer === layer && x.head === head).error].flat().map(Number)) : null;
        });
      }
    });

  // What is proved of a format is more than what happens in it: the bound in exact arithmetic would be too small.
  for (const [type, n] of [['f64', 40], ['f32', 40], ['bf16/f32', 40], ['bf16/f32', 84], ['e5m2/f32', 4]])
    await open('bound-of-a-format', `#${new URLSearchParams({ f: 'a S b', w: 'bcac', n, i: 4, type })}`, {}, async (page, see) => {
      const found = library.spec('a S b', { alphabet: 'abc' }).build().certify(n, type), bound = found.verdict === 'proved' ? JSON.parse(found.certificate).heads[0].error : null;
      await see.picture();
      await see.until('#verdict dl dd:nth-of-type(2)', '^[^…]*$');
      const [error, told] = await page.evaluate(() => [...document.querySelectorAll('#verdict dd')].map(d => d.textContent.replace('−', '-')));
      if (bound === null) return check(told === 'none', `${type}, ${n} letters: a bound without a proof: ${told}`);
      const most = Math.max(...[bound].flat().map(Number));
      check(Math.abs(Number(told) - most) <= 1e-3 * most && Number(error) <= most, `${type}, ${n} letters: error ${error}, bound ${told} instead of ${most}`);
    });

  await open('scale', `#${new URLSearchParams({ f: 'a S b', w: 'cbaaca', n: 6, i: 6, s: 'ln(N)' })}`, {}, async (page, see) => {
    const base = library.spec('a S b', { alphabet: 'abc' }).build(), letters = base.encode('cbaaca');
    await see.until('#factor-axis', 'your scale');
    compare('errors at factors of the scale that was typed', await whole(page, false, 49),
      k => base.rescale(k === 24 ? 'ln(N)' : `${factorOf(k)}*(ln(N))`).run(letters, { unchecked: true }).about().errors[0]);
    await page.evaluate(() => {
      const slider = document.getElementById('factor');
      slider.value = 1000;
      slider.dispatchEvent(new Event('input'));
    });
    await see.until('#factor-out', '^10× = 19\\.46');
    await see.until('#command', "--scale '10\\*\\(ln\\(N\\)\\)'");
    check(await page.inputValue('#scale') === 'ln(N)', 'the scale stays when one drags');
    await page.click('#scales [data-scale=""]');
    await see.until('#factor-axis', 'proved scale');
    await see.until('#factor-out', '^1× = 56');
    compare('errors at factors of the proved scale', await (async () => {
      await page.waitForTimeout(1500);
      return whole(page, false, 49);
    })(), k => base.rescale(`${factorOf(k)}x`).run(letters, { unchecked: true }).about().errors[0]);
  });

  // Texts of the canvas, as they are drawn.
  const record = () => {
    globalThis.drawnTexts = [];
    const draw = CanvasRenderingContext2D.prototype.fillText; // eslint-disable-line no-undef
    CanvasRenderingContext2D.prototype.fillText = function (text, ...rest) { // eslint-disable-line no-undef
      globalThis.drawnTexts.push(text);
      return draw.call(this, text, ...rest);
    };
  };
  for (const [name, options] of [['leaks', {}], ['leaks-phone', { viewport: { width: 390, height: 844 }, isMobile: true }]])
    await open(name, '#f=O+a&w=caab', { ...options, init: record }, async (page, see) => {
      await see.picture();
      const spec = library.spec('O a', { alphabet: 'abc' }).build(), letters = spec.encode('caab');
      const weights = [...spec.run(letters, { capture: true, unchecked: true }).head(1, 1)], leaks = weights.filter(w => w > 0 && w < 0.005);
      await page.evaluate(() => {
        globalThis.drawnTexts = [];
        document.querySelector('#log [data-value="0"]').click();
      });
      await page.waitForFunction(() => globalThis.drawnTexts.includes('transformer'));
      const texts = await page.evaluate(() => globalThis.drawnTexts.slice(globalThis.drawnTexts.lastIndexOf('transformer'))); // of one drawing
      for (const word of new Set(leaks.map(w => w.toExponential(0))))
        check(texts.filter(t => t === word).length === leaks.filter(w => w.toExponential(0) === word).length, `${name}: a leak of ${word} is shown as often as it is there`);
      check(leaks.length >= 7, `${name}: there are leaks`);
    });
}
