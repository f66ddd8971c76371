// The copy buttons of the site in headless Chromium: every button of every page is clicked, and what is then on the clipboard is compared with
// the page's source: of a block with lines that begin with "$ " the commands alone, else the block. The site's pages open without errors.
// usage: node copy.js SITE SOURCE      (folders: the site, and the Markdown pages it was made of)
'use strict';
const { chromium } = require('playwright-core');
const fs = require('fs');
const http = require('http');
const path = require('path');

const [site, source] = process.argv.slice(2).map(name => path.resolve(name));
let passed = 0, failed = 0;
function same(what, got, expected) {
    if (got === expected) passed++;
    else if (++failed <= 20) console.log('FAILED:', what, '\n  expected', JSON.stringify(expected), '\n  found   ', JSON.stringify(got));
}

const kinds = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.svg': 'image/svg+xml', '.json': 'application/json',
    '.wasm': 'application/wasm' };
const server = http.createServer((request, response) => {
    const file = path.join(site, decodeURIComponent(new URL(request.url, 'http://site').pathname));
    if (!file.startsWith(site) || !fs.existsSync(file) || fs.statSync(file).isDirectory()) {
        response.writeHead(404).end();
        return;
    }
    response.writeHead(200, { 'Content-Type': kinds[path.extname(file)] || 'application/octet-stream' }).end(fs.readFileSync(file));
});

// The commands of a page, read from its source: what stands behind "$ " where a line of a block begins, in a list or not.
function commandsOf(page) {
    const base = path.join(source, page.replace(/\.html$/, ''));
    const file = [base + '.md', base.replace(/index$/, 'README.md')].find(name => fs.existsSync(name));
    const lines = fs.readFileSync(file, 'utf8').split('\n');
    let fenced = false;
    const found = [];
    for (const line of lines) {
        if (/^ *```/.test(line)) fenced = !fenced;
        const match = (fenced ? /^ *\$ (.*)/ : /^ {4,}\$ (.*)/).exec(line);
        if (match) found.push(match[1]);
    }
    return found;
}

function pagesOf(folder) {
    return fs.readdirSync(folder, { withFileTypes: true }).flatMap(entry => {
        const file = path.join(folder, entry.name);
        if (entry.isDirectory()) return ['playground', 'assets', 'search'].includes(entry.name) ? [] : pagesOf(file);
        return entry.name.endsWith('.html') ? [path.relative(site, file)] : [];
    }).sort();
}

async function readPage(tab, page) {
    const noise = [];
    const listen = message => { if (message.type() === 'error') noise.push(message.text()); };
    const fault = error => noise.push(error.message);
    tab.on('console', listen);
    tab.on('pageerror', fault);
    await tab.goto(`${address}/${page}`);
    const blocks = await tab.$$eval('pre > code', all => all.map(code => code.textContent));
    if (blocks.length) await tab.waitForSelector('[data-clipboard-target]', { state: 'attached' });
    const buttons = await tab.$$('[data-clipboard-target]');
    same(`${page}: a button for each block`, buttons.length, blocks.length);
    const commands = [];
    for (let k = 0; k < Math.min(buttons.length, blocks.length); k++) {
        await tab.evaluate(() => navigator.clipboard.writeText('nothing was copied'));
        await buttons[k].click({ force: true });
        const copied = await tab.evaluate(() => navigator.clipboard.readText());
        if (/^\$ /m.test(blocks[k])) commands.push(...copied.trimEnd().split('\n'));
        else same(`${page}: block ${k + 1}`, copied.trim(), blocks[k].trim());
    }
    same(`${page}: commands`, commands.join('\n'), commandsOf(page).join('\n'));
    same(`${page}: complaints`, noise.join('\n'), '');
    tab.off('console', listen);
    tab.off('pageerror', fault);
    return [blocks.length, commands.length];
}

let address;
(async () => {
    await new Promise(done => server.listen(0, '127.0.0.1', done));
    address = `http://localhost:${server.address().port}`;
    const places = [process.env.CHROMIUM, '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
    const browser = await chromium.launch({ executablePath: places.find(p => p && fs.existsSync(p)), args: ['--no-sandbox', '--disable-gpu'] });
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, reducedMotion: 'reduce' });
    await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: address });
    const tab = await context.newPage();
    let blocks = 0, commands = 0;
    for (const page of pagesOf(site)) {
        const [b, c] = await readPage(tab, page);
        blocks += b;
        commands += c;
    }
    await browser.close();
    server.close();
    same('there are blocks and commands', blocks > 100 && commands > 50, true);
    console.log(`site: ${blocks} copy buttons, ${commands} commands behind "$ "`);
    console.log(`site-copy: ${passed} passed, ${failed} failed`);
    process.exitCode = failed ? 1 : 0;
})();
