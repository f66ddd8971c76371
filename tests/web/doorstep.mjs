// What somebody sees first, on every size of screen: that the transformer is proved, the slider beside the map, tiles that a finger
// finds, rows around a wrong answer, words for who hears the page, and messages as good as the command line's.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

import { audit, check, engine, open, site } from './harness.mjs';

const PHONE = { isMobile: true, hasTouch: true };
const SCREENS = [['1280x800', {}], ['1024x768', {}], ['390x844', PHONE], ['360x740', PHONE]], SIDEWAYS = '844x390';
const screen = (size, more) => ({ viewport: { width: Number(size.split('x')[0]), height: Number(size.split('x')[1]) }, ...more });

const boxOf = (page, selector) => page.evaluate(s => {
  const { left, top, right, bottom } = document.querySelector(s).getBoundingClientRect();
  return { left, top, right, bottom };
}, selector);

/** What can be seen: the window without what is stuck to its ends. */
const visible = (page, box, height) => box.top >= 0 && box.bottom <= height;

async function firstScreen(size, more, isPhone) {
  const { viewport: { height, width } } = screen(size, more);
  for (const scheme of ['light', 'dark'])
    await open(`first-${size}-${scheme}`, '', { ...screen(size, more), colorScheme: scheme }, async (page, see) => {
      await see.until('#verdict', 'proved up to 2⁴⁰');
      check(visible(page, await boxOf(page, '#verdict .badge:last-child'), height), `${size}: the first screen says proved`);
      check(await page.evaluate(() => document.documentElement.scrollWidth) <= width, `${size}: nothing is wider than the screen`);
      if (isPhone)
        await page.evaluate(() => {
          const dash = document.querySelector('.dash').getBoundingClientRect(), figure = document.getElementById('figure-section').getBoundingClientRect();
          scrollTo(0, scrollY + figure.top - dash.height);
        });
      await page.screenshot({ path: see.picturePath(`first-${size}-${scheme}-map`) });
      const map = await boxOf(page, '#map'), slider = await boxOf(page, '#factor'), dash = await boxOf(page, '.dash');
      check(visible(page, slider, height) && visible(page, map, height), `${size}: slider and map on one screen: ${JSON.stringify([slider, map])}`);
      check(!isPhone || map.top >= dash.bottom, `${size}: the slider does not hide the map`);
      check(map.right <= width, `${size}: the map is not cut off`);
      if (scheme === 'dark') await audit(page, `first screen, ${size}`);
    });
}

/** A phone that lies on its side is too low for the whole map: slider and map stand side by side. */
async function sideways() {
  await open('sideways', '', screen(SIDEWAYS, PHONE), async page => {
    await page.waitForFunction(() => /proved/.test(document.getElementById('verdict').textContent));
    await page.evaluate(() => scrollTo(0, scrollY + document.getElementById('figure').getBoundingClientRect().top - 8));
    const map = await boxOf(page, '#map'), slider = await boxOf(page, '#factor');
    check(slider.top >= 0 && slider.bottom <= 390 && map.top < slider.top && map.bottom > slider.top && map.right <= slider.left, `${SIDEWAYS}: slider beside the map: ${JSON.stringify([slider, map])}`);
  });
}

/** Every letter of strings of several lengths has a tile of 32 pixels or more, and a tap on the last one changes it. */
async function tiles(size, more) {
  await open(`tiles-${size}`, '', screen(size, more), async (page, see) => {
    await see.picture();
    for (const n of [1, 4, 9, 12, 20, 40, 60]) {
      const string = 'bcaca'.repeat(12).slice(0, n);
      await page.fill('#string', string);
      await page.waitForFunction(k => document.querySelectorAll('#tiles button').length === k + 2, n);
      const sizes = await page.$$eval('#tiles button', all => all.map(b => b.getBoundingClientRect()).map(({ width, height }) => [width, height]));
      check(sizes.every(([w, h]) => w >= 32 && h >= 32), `${size}: tiles of ${n} letters: ${JSON.stringify(sizes.find(([w, h]) => w < 32 || h < 32))}`);
      await page.click(`#tiles [data-j="${n - 1}"]`);
      const last = 'abc'['abc'.indexOf(string[n - 1]) + 1] ?? 'a';
      await page.waitForFunction(s => document.getElementById('string').value === s, string.slice(0, -1) + last);
    }
  });
}

/** The slider is called as what it does: to the right the scale grows. */
async function slider() {
  await open('slider', '#f=O+a&w=caab', {}, async (page, see) => {
    await see.picture();
    check((await see.text('label[for=factor]')) === 'Scale', 'the slider is called scale');
    await page.locator('#factor').focus();
    const scale = async () => Number(/= ([\d.]+)/.exec(await see.text('#factor-out'))[1]), before = await scale();
    await page.keyboard.press('ArrowRight');
    await see.until('#factor-out', '^1\\.05');
    check(await scale() > before, 'to the right the scale grows');
    const ends = await page.$$eval('#factor-axis text', all => Object.fromEntries(all.map(t => [t.textContent, t.getBoundingClientRect().left])));
    check(ends['◂ softer'] < ends['proved scale'] && ends['proved scale'] < ends['harder ▸'], `softer is left and harder right: ${JSON.stringify(ends)}`);
  });
}

/** A string that is too long for the map: what stands around the first wrong answer, against the library. */
async function longStrings(library) {
  const model = library.spec('a S b', { alphabet: 'abc' }).build(), spec = model.spec(), type = 'bf16/f32';
  for (const n of [85, 120, 700]) {
    const string = 'bcac'.repeat(Math.ceil(n / 4)).slice(0, n), letters = model.encode(string);
    const run = model.run(letters, { type, capture: true, unchecked: true }), answers = run.output(0), { truth } = spec.eval(letters), { size } = run.about();
    const first = 1 + truth.findIndex((t, k) => t !== answers[k + 1]), weights = run.head(1, 1);
    check(first > 0, `a S b is wrong at ${n} letters of bf16`);
    await open(`around-${n}`, `#${new URLSearchParams({ f: 'a S b', w: 'bcac', n, type })}`, {}, async (page, see) => {
      await see.until('#figure-title', `around position ${first}$`);
      await page.waitForFunction(() => document.querySelector('#truth table'));
      check(new RegExp(`to \\d+ of ${n}`).test(await see.text('#truth caption')), `${n} letters: the table says which positions`);
      const cells = await page.$$eval('#truth table', ([table]) => {
        const at = [...table.querySelectorAll('thead th')].map(t => parseInt(t.textContent)), last = table.querySelector('tbody tr:last-child');
        return [...last.children].map((cell, k) => [at[k], cell.textContent]).slice(1);
      });
      for (const [p, text] of cells)
        check(text === (answers[p] ? 'true' : 'false') + (answers[p] === truth[p - 1] ? '' : ', which is wrong'), `${n} letters: position ${p} is said to be ${text}`);
      check(cells.some(([p]) => p === first), `${n} letters: the wrong position is among them`);
      const seen = new Set();
      for (const [dx, dy] of [[0, 0], [5, 20], [9, 30], [12, 12]]) {
        const words = await page.evaluate(([x, y]) => {
          const map = document.getElementById('map'), box = map.getBoundingClientRect();
          map.dispatchEvent(new MouseEvent('mousemove', { clientX: box.left + 190 + x * 20, clientY: box.bottom - 12 - y * 8 }));
          return document.getElementById('figure').title;
        }, [dx, dy]);
        const found = /^query (\d+) .*key (\d+) .*weight ([^,]+)/.exec(words);
        if (!found) continue;
        const [i, j, weight] = found.slice(1).map(Number);
        seen.add(`${i},${j}`);
        check(weights[i * size + j] === weight, `${n} letters: weight ${i}, ${j} is ${weights[i * size + j]}, and the page says ${weight}`);
      }
      check(seen.size >= 2, `${n} letters: the map has weights around the position: ${[...seen]}`);
      check(/^Row \d+ of head 1\.1/.test(await see.text('#row-title')), `${n} letters: a row in full`);
    });
  }
}

/** The truth table in words, and the formula, of random formulas. */
async function words(library, program) {
  const formulas = ['H(b -> O a)', 'a S b', 'O (a & Y b)', '#[a] > #[b]', '!O c | a', '#[a] % 2 = 1'];
  await open('words', '', {}, async (page, see) => {
    await see.picture();
    for (const [k, formula] of formulas.entries()) {
      const string = Array.from({ length: 3 + 2 * k }, (_, j) => 'abc'[(7 * j * j + 3 * k + j) % 3]).join('');
      await page.fill('#formula', formula);
      await page.fill('#string', string);
      const spec = library.spec(formula, { alphabet: 'abc' }), { truth } = spec.eval(spec.encode(string));
      await page.waitForFunction(([f, n]) => [...document.querySelectorAll('#truth tbody tr')].some(r => r.children.length === n + 1) && document.getElementById('command').textContent.includes(f), [formula, string.length]);
      await page.waitForTimeout(400);
      const said = await page.$$eval('#truth tbody tr:last-child td', all => all.map(d => d.textContent));
      check(said.join() === [...truth].map(t => (t ? 'true' : 'false')).join(), `${formula} on ${string}: the table says ${said}`);
      const shown = await see.text('#words');
      check(shown.startsWith(`In words: ${spec.words().words}.`), `${formula} in words: ${shown}`);
      if (!program) continue;
      const told = spawnSync(program, ['explain', '-f', formula, '--alphabet', 'abc'], { encoding: 'utf8' }).stdout.replace(/\n {15}/g, ' ');
      check(told.includes(`in words       ${spec.words().words}\n`), `${formula}: the command line says ${told}`);
    }
    await page.fill('#formula', 'a S b');
    await page.fill('#string', 'ab');
    await page.fill('#alphabet', 'a,b');
    await see.until('#words', 'The comma is a letter, too');
    await page.fill('#alphabet', 'a b');
    await see.until('#words', 'The blank is a letter, too');
    await page.fill('#alphabet', 'ab');
    const simpler = library.spec('a S b', { alphabet: 'ab' }).words().simplified.split('\n')[0];
    check(simpler.length > 10, 'something is simpler with two letters');
    await page.waitForFunction(s => document.getElementById('words').textContent.includes(s), simpler);
    await page.fill('#formula', 'O <b>');
    await see.until('#error', '\\^');
    check(await page.locator('#words b, #error b, #truth b').count() === 0, 'no text of a user becomes markup');
  });
}

/** The same mistakes on the page and on the command line: the same message, and a hint wherever that has one. */
async function messages(program) {
  const MISTAKES = [
    ['H(b -> O )', 'abc', 'ca'], ['O (a', 'abc', 'ca'], ['always a', 'abc', 'ca'], ['O x', 'abc', 'ca'], ['Y a & X b', 'ab', 'ab'], ['foo', 'abc', 'ab'],
    ['#[a] % 0 = 1', 'abc', 'ab'], ['a', 'aab', 'ab'], ['O a', 'abc', 'cax'], ['O a', 'a', 'ab'], ['H req', 'abc', 'a'], ['a &', 'ab', 'a'], ['a b', 'ab', 'a'], ['', 'ab', 'a'],
    ['O a', '[a-z]', 'ab'], ['O a', 'abc', 'ab', '8*M'], ['O a', 'abc', 'ab', '1/'],
  ];
  await open('messages', '', {}, async (page, see) => {
    await see.picture();
    for (const [formula, alphabet, string, scale] of MISTAKES) {
      const name = JSON.stringify([formula, alphabet, string, scale]);
      await page.evaluate(hash => { location.hash = hash; }, `#${new URLSearchParams({ f: formula, a: alphabet, w: string, ...(scale ? { s: scale } : {}) })}`);
      await page.waitForFunction(() => document.getElementById('error').textContent !== '');
      const shown = await see.text('#error');
      check(!/--[a-z]/.test(shown.replace(/^.*\n?.*\^ /, '')) || /the command line/.test(shown), `${name}: the page speaks of options: ${shown}`);
      check((await page.locator('[aria-invalid=true]').count()) === 1, `${name}: one field is marked`);
      if (program) {
        const told = spawnSync(program, ['run', '-f', formula, '--alphabet', alphabet, ...(scale ? ['--scale', scale] : []), '--', string], { encoding: 'utf8' }).stderr;
        const message = told.split('\n')[0].replace(/^temper: (formula(:\d+:\d+)?|string 1): /, '').replace(/^temper: (--alphabet )?/, '');
        check(shown.includes(message), `${name}: the command line says "${message}", the page ${JSON.stringify(shown)}`);
        check(!/^hint: /m.test(told) || /\nhint: /.test(shown), `${name}: the command line has a hint, the page none: ${JSON.stringify(shown)}`);
        const caret = /^ {4}( *)\^$/m.exec(told);
        if (caret) check(shown.split('\n')[1].startsWith(`${caret[1]}^ `), `${name}: the caret stands where the command line has it: ${JSON.stringify(shown)}`);
      }
      await page.evaluate(() => { location.hash = '#f=O+a&w=ab&a=abc'; });
      await page.waitForFunction(() => document.getElementById('error').textContent === '');
    }
  });
}

/** The codes of remedies are those of the header, in its order. */
async function remedies() {
  const header = readFileSync(join(import.meta.dirname ?? new URL('.', import.meta.url).pathname, '../../include/temper.h'), 'utf8');
  const codes = /typedef enum temper_remedy \{([^}]*)\}/.exec(header)[1].match(/TEMPER_REMEDY_\w+(?=[, ])/g).map(c => c.replace('TEMPER_REMEDY_', ''));
  const { REMEDIES } = await import(pathToFileURL(`${site}/remedies.js`).href);
  check(codes.length > 20 && REMEDIES.map(([code]) => code).join() === codes.join(), `remedies of the page: ${REMEDIES.map(([code]) => code).join()} instead of ${codes.join()}`);
}

export async function doorstep(isSample) {
  const library = await engine(), program = isSample ? null : resolve(site, '../temper');
  await remedies();
  for (const [size, more] of isSample ? SCREENS.slice(3) : SCREENS) await firstScreen(size, more, more === PHONE);
  if (isSample) return;
  await sideways();
  for (const [size, more] of SCREENS) await tiles(size, more);
  await slider();
  await longStrings(library);
  await words(library, program);
  await messages(program);
}
