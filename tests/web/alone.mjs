// The page that is one file, opened from the disk without a network; and the server of make web-serve.
import { spawn, spawnSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

import { browser, check, pictures, site } from './harness.mjs';

export async function oneFile(isSample) {
  const file = join(site, '../temper-playground.html'), text = readFileSync(file);
  console.log(`browser: the page that is one file has ${statSync(file).size} bytes, ${gzipSync(text, { level: 9 }).length} compressed`);
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, acceptDownloads: true });
  await context.setOffline(true);
  const page = await context.newPage();
  page.setDefaultTimeout(60000);
  page.on('pageerror', error => check(false, `one file: ${error.message}`));
  page.on('console', message => message.type() === 'error' && check(false, `one file: console: ${message.text()}`));
  page.on('request', request => check(/^(blob|data):/.test(request.url()) || request.url() === `file://${file}`, `one file: it asks for ${request.url()}`));
  const until = (selector, pattern) => page.waitForFunction(([s, p]) => new RegExp(p).test(document.querySelector(s).textContent), [selector, pattern]);
  try {
    const start = Date.now();
    await page.goto(`file://${file}`);
    await until('#verdict', '✓ right.*proved up to 2⁴⁰ letters');
    console.log(`browser: the page that is one file says proved after ${Date.now() - start} ms`);
    await page.screenshot({ path: join(pictures, 'one-file.png') });
    check(/GNU LESSER GENERAL PUBLIC LICENSE/.test(await page.evaluate(() => document.getElementById('licences').textContent)), 'it carries the licences of what is inside');
    await page.fill('#formula', 'a S b');
    await until('#words', 'every letter since then is a');
    await page.fill('#formula', 'O');
    await until('#error', '\\^ ');
    await page.fill('#formula', '#[a] % 2 = 1');
    await page.selectOption('#type', 'f32');
    await until('#verdict', 'proved up to 637 letters');
    if (!isSample) {
      await page.click('#download');
      await page.waitForFunction(() => !document.querySelector('#files [data-thing=certificate]').disabled);
      const [download] = await Promise.all([page.waitForEvent('download'), page.click('#files [data-thing=certificate]')]);
      const certificate = JSON.parse(readFileSync(await download.path(), 'utf8'));
      check(certificate.length === 4 || JSON.stringify(certificate).includes('"f32"'), 'it makes certificates');
      await page.click('#files .close');
      await page.click('#lessons-open');
      await page.click('[data-lesson="2"]');
      await until('#lesson small', '^1 of');
    }
  } catch (error) {
    check(false, `one file: ${error.message.split('\n')[0]}: ${await page.textContent('#notice').catch(() => '')}`);
    await page.screenshot({ path: join(pictures, 'one-file-failed.png') }).catch(() => {});
  }
  await context.close();
}

const SERVE = new URL('../../web/serve.py', import.meta.url).pathname;

/** Starts the server and hands its first lines over; it is stopped by its own number. */
async function serving(host, port, body) {
  const child = spawn('python3', [SERVE, site, host, String(port)], { stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  await new Promise(resolve => {
    child.stdout.on('data', data => {
      said += data;
      if (/Ctrl-C/.test(said)) resolve();
    });
    child.on('exit', resolve);
  });
  try {
    await body(said);
  } finally {
    child.kill('SIGINT');
  }
}

export async function server() {
  const taken = createServer();
  await new Promise(resolve => taken.listen(0, '127.0.0.1', resolve));
  const { port } = taken.address();
  await serving('127.0.0.1', port, async said => {
    const found = /^http:\/\/localhost:(\d+)\//.exec(said);
    check(found && Number(found[1]) > port && said.includes(`(port ${port} is taken)`), `a taken port: ${said}`);
    const page = await fetch(`http://127.0.0.1:${found[1]}/`), wasm = await fetch(`http://127.0.0.1:${found[1]}/temper.wasm`);
    check((await page.text()).includes('temper playground') && wasm.headers.get('content-type') === 'application/wasm', 'it serves the page and the module');
  });
  taken.close();
  await serving('0.0.0.0', port, async said => check(/^http:\/\/localhost:\d+\/.*\n(http:\/\/\d+\.\d+\.\d+\.\d+:\d+\/.*\n)?Ctrl-C/.test(said), `HOST=0.0.0.0: ${said}`));
  for (const [host, number, reason] of [['no.such.host.invalid', 8000, /HOST=no\.such\.host\.invalid: \S/], ['127.0.0.1', 'x', /PORT=x is no port/], ['127.0.0.1', 70000, /PORT=70000 is no port/], ['192.0.2.7', 8000, /HOST=192\.0\.2\.7 PORT=8000: \S/]]) {
    const ended = spawnSync('python3', [SERVE, site, host, String(number)], { encoding: 'utf8', timeout: 20000 });
    check(ended.status === 1 && /^web-serve: /.test(ended.stderr) && reason.test(ended.stderr) && !ended.stderr.includes('Traceback'), `HOST=${host} PORT=${number}: ${ended.status} ${ended.stderr}`);
  }
}
