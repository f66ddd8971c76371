// What tests of the playground share: a server of the site, a headless Chromium, pages that are watched, and the count of checks.
// Arguments are those of browser.mjs.
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { mkdirSync, readFileSync } from 'node:fs';
import { extname, join, normalize } from 'node:path';
import { pathToFileURL } from 'node:url';

const require = createRequire(join(process.env.WEB_MODULES, 'x.js'));
const { chromium } = require('playwright-core');
const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
export const [site, pictures, sample] = process.argv.slice(2);
mkdirSync(pictures, { recursive: true });

export const TYPES = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.wasm': 'application/wasm', '.txt': 'text/plain' };
const server = createServer((request, response) => {
  const path = normalize(decodeURIComponent(new URL(request.url, 'http://x').pathname));
  try {
    const bytes = readFileSync(join(site, path === '/' ? 'index.html' : path));
    response.writeHead(200, { 'Content-Type': TYPES[extname(path)] ?? 'text/html' }).end(bytes);
  } catch {
    response.writeHead(404).end();
  }
});
await new Promise(resolve => server.listen(0, '127.0.0.1', resolve));
export const origin = `http://127.0.0.1:${server.address().port}`;

export const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM || '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
});

let passed = 0, failed = 0;
export const check = (condition, what) => {
  if (condition) passed++;
  else {
    failed++;
    console.log(`browser: FAILED: ${what}`);
  }
};

/** Opens the page, waits for its first picture, and hands it to body. Messages of the console and requests elsewhere are failures;
    `init` of the options is run in the page before its own scripts. */
export async function open(name, hash, options, body) {
  const { init, ...rest } = options;
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, acceptDownloads: true, ...rest });
  if (init) await context.addInitScript(init);
  const page = await context.newPage();
  page.setDefaultTimeout(60000);
  page.on('pageerror', error => check(false, `${name}: ${error.message}`));
  page.on('console', message => message.type() === 'error' && check(false, `${name}: console: ${message.text()}`));
  page.on('request', request => check(request.url().startsWith(origin) || /^(data|blob):/.test(request.url()), `${name}: a request leaves the page: ${request.url()}`));
  try {
    await page.goto(`${origin}/${hash}`);
    await page.waitForFunction(() => document.documentElement.dataset.ready);
    await body(page, {
      picture: () => page.waitForFunction(() => Number(document.documentElement.dataset.drawn) > 0),
      /** Waits until a text holds. */
      until: (selector, pattern) => page.waitForFunction(([s, p]) => new RegExp(p).test(document.querySelector(s).textContent), [selector, pattern]),
      text: selector => page.textContent(selector),
      picturePath: of => join(pictures, `${of}.png`),
    });
    await page.screenshot({ path: join(pictures, `${name}.png`), fullPage: Boolean(options.isMobile) });
  } catch (error) {
    check(false, `${name}: ${error.message.split('\n')[0]}`);
    await page.screenshot({ path: join(pictures, `${name}-failed.png`) }).catch(() => {});
  }
  await context.close();
}

export async function audit(page, name) {
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => axe.run(document, { resultTypes: ['violations'] })); // eslint-disable-line no-undef
  for (const v of violations.filter(v => v.impact === 'serious' || v.impact === 'critical'))
    check(false, `${name}: axe: ${v.id}: ${v.nodes.slice(0, 3).map(n => n.target.join(' ')).join(', ')}`);
  passed++;
}

/** The library itself in this process, for a second opinion. */
export async function engine() {
  const { Engine } = await import(pathToFileURL(`${site}/engine/temper.js`).href);
  return Engine.open(new WebAssembly.Module(readFileSync(`${site}/temper.wasm`)));
}

export async function finish() {
  await browser.close();
  server.close();
  console.log(`browser: ${passed} passed, ${failed} failed`);
  process.exit(failed ? 1 : 0);
}
