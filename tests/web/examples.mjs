// Every example of the menu and every transformer of the gallery: chosen in the page, and compared with the library.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

import { check, engine, open, site } from './harness.mjs';

const drawn = page => page.evaluate(() => Number(document.documentElement.dataset.drawn));

/** Chooses something and waits for its picture. */
async function choose(page, selector, value) {
  const before = await drawn(page);
  await page.selectOption(selector, value);
  await page.waitForFunction(n => Number(document.documentElement.dataset.drawn) > n || document.getElementById('error').textContent !== '', before);
}

/** What the page says: accept, right, the mistake, and whether there is a picture. */
const said = page => page.evaluate(() => ({
  accept: /accept/.test(document.querySelector('#verdict .big').textContent), right: /✓ right/.test(document.querySelector('#verdict').textContent),
  error: document.getElementById('error').textContent, width: document.getElementById('map').width, command: document.getElementById('command').textContent,
}));

/** Runs the command that the page shows, as a person who copied it; the program stands beside the site. */
function runCommand(name, command, accept, files = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'temper-web-'));
  try {
    for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, file), text);
    const ran = spawnSync('bash', ['-c', command], { cwd: folder, encoding: 'utf8', env: { ...process.env, PATH: resolve(site, '..') + delimiter + process.env.PATH } });
    check(ran.status === 0 || (ran.status === 1 && / run /.test(command)), `${name}: the command ends with ${ran.status}: ${command}: ${ran.stderr}`);
    // A row in full is about one head; the answers of `run` are the verdict.
    if (/temper run/.test(command)) check(ran.stdout.match(/^(accept|reject)\b/m)?.[0] === (accept ? 'accept' : 'reject'), `${name}: the command says ${ran.stdout.slice(0, 60)}`);
    else check(/^head \d+\.\d+ /.test(ran.stdout) && /\noutput /.test(ran.stdout), `${name}: the command shows ${ran.stdout.slice(0, 60)}`);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

export async function examples() {
  const { EXAMPLES, START, scaleWords } = await import(pathToFileURL(`${site}/state.js`).href);
  const { lengthen } = await import(pathToFileURL(`${site}/strings.js`).href);
  const library = await engine();
  await open('examples', '', {}, async (page, see) => {
    await see.picture();
    check(await page.locator('#examples option').count() === EXAMPLES.length + 1, 'the menu has all examples');
    for (const [k, [name, changes]] of EXAMPLES.entries()) {
      const state = { ...START, ...changes };
      const spec = library.spec(state.f, { syntax: state.syntax, alphabet: state.a }), base = spec.build({ method: state.m });
      const scale = scaleWords(state.s, state.t), model = scale ? base.rescale(scale) : base;
      const letters = model.encode(lengthen(state, model.about())), run = model.run(letters, { type: state.type, unchecked: true });
      const accept = Boolean(run.about().accept), right = accept === spec.eval(letters).accept;
      await choose(page, '#examples', String(k));
      const found = await said(page);
      check(found.error === '', `example "${name}": ${found.error}`);
      check(found.accept === accept && found.right === right, `example "${name}": ${JSON.stringify(found)} instead of accept ${accept}, right ${right}`);
      check(found.width > 100 && /^temper (show|run) /.test(found.command), `example "${name}" has a picture and a command`);
      runCommand(`example "${name}"`, found.command, accept, { [`program.${state.syntax}`]: state.f });
      await page.screenshot({ path: see.picturePath(`example-${k + 1}`) });
    }
    for (const syntax of ['regex', 'crasp', 'brasp', 'spec']) {
      await choose(page, '#syntax', syntax);
      check((await said(page)).error === '', `${syntax} begins with something that is right`);
    }
  });
}

/** The gallery, softened as the page does it: for 32 letters, or for fewer. */
function softened(library, name) {
  const hard = library.galleryModel(name);
  for (const length of [32, 16, 8])
    try {
      return { length, model: library.soften(hard, 'temperature', length) };
    } catch { /* its scores come too close */ }
  return null;
}

export async function gallery() {
  const library = await engine(), entries = library.gallery();
  await open('gallery', '', {}, async (page, see) => {
    await see.picture();
    await choose(page, '#syntax', 'gallery');
    check(await page.locator('#gallery option').count() === entries.length && entries.length > 3, 'the menu has the whole gallery');
    for (const { name } of [...entries.slice(1), entries[0]]) {
      const made = softened(library, name);
      await choose(page, '#gallery', name);
      const found = await said(page);
      if (!made) {
        check(found.error !== '', `gallery: ${name} is refused with a reason`);
        continue;
      }
      const text = await page.inputValue('#string'), letters = made.model.encode(text);
      const [soft, hard] = [false, true].map(h => Boolean(made.model.run(letters, { hard: h, unchecked: true }).about().accept));
      check(found.error === '' && found.width > 100, `gallery: ${name}: ${found.error}`);
      check(found.accept === soft && found.right === (soft === hard), `gallery: ${name}: ${JSON.stringify(found)} instead of accept ${soft}, hard ${hard}`);
      check(found.command.includes(`--gallery ${name}`) && found.command.includes(`--length ${made.length} `), `gallery: the command of ${name}: ${found.command}`);
      check(!/a number/.test(await page.textContent('#verdict dl')), `gallery: ${name}: the error is measured against the hard head`);
      runCommand(`gallery: ${name}`, found.command, soft);
      if (name === 'first') {
        const before = await drawn(page);
        await page.fill('#scale', '20');
        await page.waitForFunction(n => Number(document.documentElement.dataset.drawn) > n, before);
        const rescaled = await said(page);
        check(/run soft.temper --scale 20 --unchecked --errors/.test(rescaled.command), `gallery: a scale is in the command: ${rescaled.command}`);
        runCommand('gallery: a scale', rescaled.command, rescaled.accept);
      }
      await page.screenshot({ path: see.picturePath(`gallery-${name}`) });
    }
  });
}
