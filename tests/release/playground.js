// The playground in headless Chromium: a run in it is proved. Leaves a picture. usage: node playground.js SITE PICTURE, where the site is
// served and its link to the playground followed, or node playground.js --file PAGE PICTURE, without a server.
'use strict';
const { chromium } = require('playwright-core');
const fs = require('fs');
const http = require('http');
const path = require('path');

const alone = process.argv[2] === '--file';
const [site, picture] = process.argv.slice(alone ? 3 : 2).map(name => path.resolve(name));
const kinds = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.svg': 'image/svg+xml', '.wasm': 'application/wasm' };
const server = http.createServer((request, response) => {
    const file = path.join(site, decodeURIComponent(new URL(request.url, 'http://site').pathname));
    if (!file.startsWith(site) || !fs.existsSync(file) || fs.statSync(file).isDirectory()) return response.writeHead(404).end();
    return response.writeHead(200, { 'Content-Type': kinds[path.extname(file)] || 'application/octet-stream' }).end(fs.readFileSync(file));
});

server.listen(0, '127.0.0.1', async () => {
    const places = [process.env.CHROMIUM, '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
    const browser = await chromium.launch({ executablePath: places.find(p => p && fs.existsSync(p)), args: ['--no-sandbox', '--disable-gpu'] });
    const tab = await browser.newPage({ viewport: { width: 1280, height: 900 } });
    const noise = [];
    tab.on('pageerror', error => noise.push(error.message));
    tab.on('console', message => { if (message.type() === 'error') noise.push(message.text()); });
    try {
        await tab.goto(alone ? `file://${site}` : `http://localhost:${server.address().port}/index.html`);
        if (!alone) await tab.click('a[href="playground/index.html"]');
        await tab.waitForFunction(() => /[^t] ?proved/.test((document.querySelector('#verdict') || {}).textContent || ''), null, { timeout: 120000 });
        console.log('playground:', (await tab.textContent('#verdict')).replace(/\s+/g, ' ').trim());
    } catch (error) {
        noise.push(error.message);
    }
    await tab.screenshot({ path: picture });
    await browser.close();
    server.close();
    for (const line of noise) console.log('playground: FAILED:', line);
    process.exitCode = noise.length ? 1 : 0;
});
