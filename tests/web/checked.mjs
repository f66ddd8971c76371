// The proved checker in the playground: the verdict names it with the length that it accepts, and the file of a browser accepts what the
// program accepts. Where `make checker` has not made one, the verdict says nothing of it.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

import { check, engine, open, site } from './harness.mjs';

const module = join(site, 'checker.js'), program = join(site, '..', 'temper-checker');
const has = existsSync(module);
const FORMULAS = ['H(b -> O a)', 'O a', 'a S b', 'Y a', 'X b', 'H(a -> Y b)', '(O a) & (b S c)', 'a S (b S c)', 'G(a -> F b)', '#[a] > #[b]', '#[a] >= 3'];

/** The lengths of the file for browsers against those of the program. */
async function lengths() {
  const { provedChecker } = await import(pathToFileURL(resolve(site, 'proved_checker.js')).href);
  const library = await engine(), room = mkdtempSync(join(tmpdir(), 'temper-checked.'));
  let accepted = 0, slowest = 0;
  for (const text of FORMULAS)
    for (const type of ['f32', 'f64']) {
      const model = library.spec(text, { alphabet: 'abc' }).build(), bytes = new TextEncoder().encode(model.print()), path = join(room, 'm.temper');
      writeFileSync(path, bytes);
      const from = performance.now(), here = provedChecker(bytes, type, 60000);
      slowest = Math.max(slowest, performance.now() - from);
      const there = spawnSync(program, [path, '--type', type], { encoding: 'utf8' }), length = Number(/up to length (\d+)/.exec(there.stdout)?.[1] ?? -1);
      check(here.length === length, `${text} in ${type}: ${here.length} here, ${length} by the program: ${here.why} ${there.stderr}`);
      check(there.status === (here.length >= 0 ? 0 : 4), `${text} in ${type}: status ${there.status}`);
      if (here.length >= 0) accepted++;
      const cut = provedChecker(bytes.slice(0, bytes.length >> 1), type, 60000);
      check(cut.length === -1 && cut.why !== '', `${text}: half of a file is accepted`);
    }
  check(accepted >= 12, `${accepted} of ${2 * FORMULAS.length} are accepted`);
  console.log(`checked: ${accepted} of ${2 * FORMULAS.length} models are accepted, within ${slowest.toFixed(0)} ms each; checker.js has ${readFileSync(module).length} bytes`);
}

export async function checkedByProof() {
  if (has) await lengths();
  else console.log('checked: this site has no proved checker (make checker makes it)');
  await open('checked', '', {}, async (page, see) => {
    await see.until('#verdict', 'proved up to 2⁴⁰');
    if (has) {
      await see.until('#verdict', 'Checked by a proved checker up to 2⁴⁰ letters');
    } else {
      await page.waitForTimeout(1500);
      check(!/proved checker/.test(await see.text('#verdict')), 'the verdict names a checker that is not there');
    }
  });
  if (!has) return;
  // A scale that was chosen by hand is another model.
  await open('checked-scale', '#t=2', {}, async (page, see) => {
    await see.until('#verdict', 'right');
    await page.waitForTimeout(1500);
    check(!/proved checker/.test(await see.text('#verdict')), 'the verdict of another scale names the checker');
  });
}
