// The playground in headless Chromium. usage: node browser.mjs SITE PICTURES [sample]
// Serves SITE, does what a person does, and looks at what the page says. Pictures to look at are left in PICTURES.
import { createServer } from 'node:http';
import { readFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { extname, join, normalize } from 'node:path';

import { TYPES, audit, browser, check, finish, open, origin, sample, site } from './harness.mjs';

await open('start', '', {}, async (page, see) => {
  await see.picture();
  await see.until('#verdict', 'accept');
  await see.until('#verdict', '✓ right.*proved up to 2⁴⁰ letters');
  check((await see.text('#command')).startsWith("temper show -f 'H(b -> O a)' --alphabet abc"), 'the command is shown');
  await audit(page, 'start');
});

await open('typing', '', {}, async (page, see) => {
  await see.picture();
  // From the key to the new picture, for ten heads and forty letters. The median of twenty keys.
  await page.fill('#string', 'caabacbbacaabacbbacaabacbbacaabacbbacaab');
  const formula = 'O a & O b & O c & (a S b) & (b S c) & (c S a) & Y a & Y b & H (a -> O b) & H (b -> O c) & #[a] > #[b]';
  await page.fill('#formula', formula);
  await page.waitForFunction(() => document.querySelectorAll('#heads button').length >= 10);
  await page.waitForTimeout(1500);
  const times = await page.evaluate(async () => {
    const out = [], box = document.getElementById('formula'), base = box.value;
    for (let k = 0; k < 20; k++) {
      const before = document.documentElement.dataset.drawn, start = performance.now();
      box.value = base + (k % 2 ? ' | a' : ' | b') + ' '.repeat(k);
      box.dispatchEvent(new Event('input', { bubbles: true }));
      while (document.documentElement.dataset.drawn === before) await new Promise(resolve => setTimeout(resolve, 0));
      // Painted: after the next frame has been made.
      await new Promise(resolve => requestAnimationFrame(() => {
        const channel = new MessageChannel();
        channel.port1.onmessage = resolve;
        channel.port2.postMessage(0);
      }));
      out.push(performance.now() - start);
      await new Promise(resolve => setTimeout(resolve, 120));
    }
    return out.sort((a, b) => a - b);
  });
  console.log(`browser: from key press to picture, ten heads and forty letters: median ${times[10].toFixed(1)} ms, best ${times[0].toFixed(1)} ms, worst ${times[19].toFixed(1)} ms`);
  // A busy machine says nothing about the page, and continuous integration has just built it.
  const busy = loadavg()[0] / cpus().length;
  if (sample) return;
  if (busy > 1.5) console.log(`browser: the machine is busy (load ${busy.toFixed(1)} a core), so 50 ms are not insisted on`);
  else check(times[10] < 50, `a picture takes ${times[10]} ms`);
});

await open('drag', '#f=O+a&w=caab', {}, async (page, see) => {
  await see.until('#verdict', 'right');
  const box = await page.locator('#factor').boundingBox();
  await page.mouse.move(box.x + box.width / 2, box.y + 16);
  await page.mouse.down();
  await page.mouse.move(box.x + 14, box.y + 16, { steps: 6 });
  await page.mouse.up();
  await see.until('#factor-out', '^0\\.1');
  await see.until('#verdict', 'not proved');
  check(/--scale 0\.1\d*x --unchecked/.test(await see.text('#command')), 'the command has the scale');
  await page.waitForFunction(() => document.querySelectorAll('#factor-band rect').length > 1);
});

await open('format', '#f=a+S+b&w=bcac&n=84', {}, async (page, see) => {
  await see.until('#verdict', 'right');
  await page.selectOption('#type', 'bf16/f32');
  await see.until('#command', '--type bf16/f32');
  await page.locator('#length').focus();
  await page.keyboard.press('ArrowRight');
  await see.until('#length-out', '85');
  await see.until('#summary', '1 of 85 positions');
  await see.until('#breaks', 'first wrong at n = 85');
  await page.selectOption('#method', 'digits');
  await see.until('#summary', 'All 85 positions');
  await page.selectOption('#type', 'f16/f32'); // digits are made for the format
  await see.until('#command', '--method digits --digits f16 --type f16/f32');
  await see.until('#summary', 'All 85 positions');
});

await open('shared', '#f=O+a&w=abbbbbbb&n=8&i=8&s=1&theme=dark', {}, async (page, see) => {
  await see.until('#factor-out', '^1× = 1$');
  check(await page.evaluate(() => document.documentElement.dataset.theme === 'dark'), 'the theme is in the link');
  check((await page.inputValue('#scale')) === '1' && (await page.inputValue('#string')) === 'abbbbbbb', 'the state is in the link');
  await page.fill('#string', 'bbabb');
  await page.waitForFunction(() => location.hash.includes('w=bbabb'));
});

await open('bad', '', {}, async (page, see) => {
  await see.picture();
  await page.fill('#formula', 'H(b -> O )');
  await see.until('#error', 'expected a formula');
  const [line, caret] = (await see.text('#error')).split('\n');
  check(line === 'H(b -> O )' && caret.indexOf('^') === 9, `the caret stands below the mistake: ${caret}`);
  check((await page.getAttribute('#formula', 'aria-invalid')) === 'true', 'the field is marked');
  await page.fill('#formula', 'O <script>alert(1)</script>');
  await see.until('#error', '\\^');
  await page.fill('#formula', 'O a');
  await page.waitForFunction(() => document.getElementById('error').textContent === '');
  await page.fill('#string', 'cax');
  await see.until('#error', "unknown letter 'x'[^]*hint: the letters are a b c; write abcx into the field");
});

if (!sample) {
  await open('keyboard', '', {}, async (page, see) => {
    await see.picture();
    const tab = async id => {
      for (let k = 0; k < 60; k++) {
        if (await page.evaluate(() => document.activeElement.id) === id) return true;
        await page.keyboard.press('Tab');
      }
      return false;
    };
    check(await tab('formula'), 'Tab reaches the formula');
    await page.keyboard.press('Control+A');
    await page.keyboard.type('a S b');
    await see.until('#row-note', 'a S b');
    check(await tab('map'), 'Tab reaches the map');
    await page.keyboard.press('ArrowUp');
    await see.until('#row-title', 'Row 3');
    check(await tab('factor'), 'Tab reaches the scale');
    await page.keyboard.press('ArrowLeft');
    await see.until('#factor-out', '^0\\.95');
    check(await tab('length'), 'Tab reaches the length');
    await page.keyboard.press('ArrowRight');
    await see.until('#length-out', 'n = 5');
    await page.locator('#tiles button').first().focus();
    await page.keyboard.press('b');
    await page.waitForFunction(() => document.getElementById('string').value.startsWith('b'));
  });

  await open('letters', '', {}, async (page, see) => {
    await see.picture();
    await page.locator('#tiles button').first().click();
    await page.waitForFunction(() => document.getElementById('string').value === 'aaab');
    await page.locator('#tiles [data-j="+"]').click();
    await page.waitForFunction(() => document.getElementById('string').value === 'aaabc');
    await page.selectOption('#strings', 'random');
    await page.selectOption('#strings', 'worst');
    await page.waitForFunction(() => document.getElementById('error').textContent === '');
  });

  await open('phone', '', { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true }, async (page, see) => {
    await see.picture();
    await see.until('#verdict', 'accept');
    // A phone makes its window wider where the page is, so the window's own width says nothing.
    check(await page.evaluate(() => document.documentElement.scrollWidth <= 390), 'the page is not wider than the phone');
    await audit(page, 'phone');
    await page.click('#lessons-open');
    await page.click('[data-lesson="0"]');
    check(await page.evaluate(() => document.documentElement.scrollWidth <= 390), 'a lesson is not wider than the phone');
  });

  await open('dark', '#f=O+a&w=caab&t=0.2', { colorScheme: 'dark' }, async (page, see) => {
    await see.until('#verdict', 'accept|reject');
    await audit(page, 'dark');
  });

  await open('long', '#f=a+S+b&w=bcac', {}, async (page, see) => {
    await see.picture();
    const box = await page.locator('#length').boundingBox();
    await page.mouse.click(box.x + box.width - 3, box.y + 16);
    await see.until('#summary', 'All 100.000 positions are answered rightly');
  });

  for (const [syntax, formula, string] of [['regex', '(ab|c)*', 'abcab'], ['brasp', 'P(i) := rightmost [j<i, 1] Q_a(j) : 0', 'caab'], ['crasp', 'C = # "a"\nC >= 2', 'abab']])
    await open(`syntax-${syntax}`, `#${new URLSearchParams({ syntax, f: formula, w: string, a: 'abc' })}`, {}, async (page, see) => {
      await see.until('#verdict', 'accept.*right');
    });

  await open('files', '', {}, async (page, see) => {
    await see.picture();
    await page.click('#download');
    for (const [thing, name, begins] of [['model', 'model.temper', 'temper-model 1'], ['svg', 'attention.svg', '<'], ['png', 'attention.png', '\u0089PNG'],
      ['specification', 'program.spec', 'H(b -> O a)'],
      ['certificate', 'certificate.json', '{'], ['gguf-gpt2', 'model-gpt2.gguf', 'GGUF'], ['gguf-llama', 'model-llama.gguf', 'GGUF']]) {
      await page.waitForFunction(t => !document.querySelector(`#files [data-thing=${t}]`).disabled, thing);
      const [download] = await Promise.all([page.waitForEvent('download'), page.click(`#files [data-thing=${thing}]`)]);
      check(download.suggestedFilename() === name, `the ${thing} is called ${download.suggestedFilename()}`);
      const bytes = readFileSync(await download.path());
      check(bytes.toString('latin1').startsWith(begins), `the ${thing} begins as it should`);
    }
    await audit(page, 'files');
  });

  await open('no-files', '#f=a+S+b&w=bcac&n=90000', {}, async (page, see) => {
    await see.until('#verdict', 'accept|reject');
    await page.click('#download');
    await page.waitForFunction(() => /There is none: .+/.test(document.querySelector('#files [data-thing=gguf-gpt2]').nextElementSibling.textContent));
    check(await page.locator('#files [data-thing=gguf-gpt2]').isDisabled(), 'what is not there cannot be chosen');
  });

  await open('limits', '#f=a+S+b&w=bcac', {}, async (page, see) => {
    await see.picture();
    await page.click('#limits-open');
    await page.waitForFunction(() => document.querySelector('#limits .count').textContent === 'done', null, { timeout: 240000 });
    check(await page.locator('#limits img').count() === 1, 'limits have a chart');
    const rows = await page.$$eval('#limits tbody tr', trs => trs.map(tr => [...tr.children].slice(0, 4).map(td => td.textContent).join()));
    for (const row of ['f32,temperature,1 048 574,none found', 'bf16/f32,temperature,84,85', 'bf16/f32,digits,917 503,none found', 'f16/f32,digits,738 477,none found'])
      check(rows.includes(row), `limits have the row ${row}: ${rows.join('; ')}`);
    check(rows.length === 11, `limits have a table of ${rows.length} rows`);
  });
}

if (!sample) {
  const { lessons } = await import('./lessons.mjs');
  const { examples, gallery } = await import('./examples.mjs');
  const { charts } = await import('./charts.mjs');
  await charts();
  await lessons();
  await examples();
  await gallery();
}

// The npm package in a browser: as it is, with an import map for its name, and bundled by esbuild (run.sh)
if (!sample) {
  const root = join(process.env.WEB_ROOM, 'npm');
  const pages = {
    '/': '<!DOCTYPE html><title>package</title><script type="importmap">{"imports":{"temper-softmax":"/node_modules/temper-softmax/index.js"}}</script><script type="module" src="/package_checks.mjs"></script>',
    '/bundled': '<!DOCTYPE html><title>package</title><script type="module" src="/bundle/checks.js"></script>',
  };
  const files = createServer((request, response) => {
    const path = normalize(new URL(request.url, 'http://x').pathname);
    try {
      const bytes = pages[path] ?? readFileSync(join(root, path));
      response.writeHead(200, { 'Content-Type': pages[path] ? 'text/html' : TYPES[extname(path)] ?? 'text/javascript' }).end(bytes);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise(resolve => files.listen(0, '127.0.0.1', resolve));
  for (const path of Object.keys(pages)) {
    const page = await browser.newPage();
    page.on('pageerror', error => check(false, `package at ${path}: ${error.message}`));
    await page.goto(`http://127.0.0.1:${files.address().port}${path}`);
    const result = await page.waitForFunction(() => globalThis.packageResult, null, { timeout: 60000 }).then(r => r.jsonValue(), () => null);
    check(result?.passed > 10 && result.failed === 0, `package at ${path}: ${result ? result.lines.join('; ') : 'no result'}`);
    await page.close();
  }
  files.close();
}

{
  const { doorstep } = await import('./doorstep.mjs');
  const { checkedByProof } = await import('./checked.mjs');
  const { oneFile, server } = await import('./alone.mjs');
  await oneFile(Boolean(sample));
  await doorstep(Boolean(sample));
  await checkedByProof();
  await server();
}

// First paint must not wait for WebAssembly.
{
  const context = await browser.newContext(), page = await context.newPage();
  let release;
  const held = new Promise(resolve => {
    release = resolve;
  });
  await page.route('**/temper.wasm', async route => {
    await held;
    await route.continue();
  });
  await page.goto(origin);
  check(await page.locator('#formula').isVisible(), 'the page is there before WebAssembly');
  release();
  await context.close();
}

// Opened as a file, the page says why it cannot run.
{
  const page = await browser.newPage();
  await page.goto(`file://${site}/index.html`);
  check(/make web-serve/.test(await page.textContent('#notice')), 'a page that was opened as a file says why it cannot run');
  await page.close();
}

await finish();
