// Pages of `temper show --html` in headless Chromium: what one sees and hears on hover, by keyboard, without script, in the dark, on
// paper and on a phone, compared with what the other commands say. usage: node pages.js TEMPER FOLDER
'use strict';
const { chromium } = require('playwright-core');
const { execFileSync } = require('child_process');
const fs = require('fs');
const http = require('http');
const path = require('path');

const [temper, folder] = process.argv.slice(2);
let passed = 0, failed = 0;

function check(ok, ...words) {
    if (ok) passed++;
    else if (++failed <= 20) console.log('failed:', ...words);
    return ok;
}
const same = (what, got, expected) =>
    check(JSON.stringify(got) === JSON.stringify(expected), what, '\n  got      ', JSON.stringify(got),
        '\n  expected ', JSON.stringify(expected));

const call = (...words) => execFileSync(temper, words, { encoding: 'utf8', maxBuffer: 1 << 28, stdio: 'pipe',
    env: { ...process.env, NO_COLOR: '1' } });
const lines = (...words) => call('--json', ...words).trim().split('\n').map(l => JSON.parse(l));

// A page and what it is about: words are those of the command line that name the model.
function write(name, words, string) {
    const file = path.join(folder, name + '.html');
    call('show', '--html', '-o', file, ...words, '--', string);
    return { name, file, words, string };
}

let browser;

// Opens a page, runs the body on it, and checks that nothing was fetched or complained of.
async function visit(subject, options, body) {
    const context = await browser.newContext({ viewport: { width: 1200, height: 900 }, ...options });
    const page = await context.newPage(), noise = [];
    page.on('console', m => noise.push(m.type() + ': ' + m.text()));
    page.on('pageerror', e => noise.push('error: ' + e.message));
    page.on('request', r => { if (r.url() !== 'file://' + subject.file && r.url() !== 'data:,') noise.push('request: ' + r.url()); });
    await page.goto('file://' + subject.file);
    await body(page);
    same(subject.name + ': no complaints, no network', noise, []);
    await context.close();
}

// ---- reading the page ----

// "query 3 a, key 2 a\nweight 0.5\n..." as an object
function facts(title) {
    const out = {};
    for (const line of title.split('\n').slice(1)) {
        const at = line.search(/ [-0-9.in]+/);
        out[line.slice(0, at)] = line.slice(at + 1);
    }
    return out;
}

const cellsOf = (page, id) => page.evaluate(i => [...document.querySelectorAll(`#${i} tbody tr`)].map(r =>
    [...r.querySelectorAll('td:not(.o)')].map(c => ({ kind: c.className, title: c.title, text: c.textContent }))), id);

const number = x => x === 'Infinity' ? Infinity : x === '-Infinity' ? -Infinity : x;

// Titles against `show --json` (weights) and `show --row --json` (the rest), every pair of positions.
async function checkHeads(page, s) {
    for (const head of lines('show', ...s.words, '--', s.string)) {
        const cells = await cellsOf(page, `head-${head.layer}-${head.head}`), where = `${s.name} head ${head.layer}.${head.head}`;
        same(where + ' size', cells.map(r => r.length), head.weights.map(r => r.length));
        for (let i = 0; i < cells.length; i++) {
            const row = lines('show', ...s.words, '--row', `${head.layer}.${head.head}@${i}`, '--', s.string)[0];
            for (const key of row.keys) {
                const cell = cells[i][key.position], at = `${where} ${i},${key.position}`;
                if (key.masked) {
                    same(at + ' masked', [cell.kind, cell.title, cell.text], ['m', '', '']);
                    continue;
                }
                const told = facts(cell.title), expected = { weight: head.weights[i][key.position], score: number(key.score) };
                if (row.choice === 'softmax' && !s.words.includes('--hard')) expected.logit = number(key.logit);
                const got = { weight: Number(told.weight), score: Number(told.score) };
                if ('logit' in expected) got.logit = Number(told.logit);
                if ('hard weight' in told) {
                    got.hard = Number(told['hard weight']);
                    expected.hard = key.hard_weight;
                }
                got.value = (told.value || '').split(' ').filter(Boolean).map(Number);
                expected.value = key.value;
                same(at, got, expected);
            }
        }
    }
}

// The formula of every row, evaluated by itself; and the answers by run.
async function checkTruth(page, s, evalWords) {
    const rows = await page.evaluate(() => [...document.querySelectorAll('#string tbody tr')].map(r => ({
        label: r.querySelector('code') ? r.querySelector('code').title : null,
        cells: [...r.querySelectorAll('td')].map(c => c.textContent) })));
    const n = lines('run', ...s.words, '--per-position', '--', s.string)[0].positions.length;
    const bits = cells => cells.slice(1, n + 1).map(c => ({ '●': 1, '○': 0 })[c]);
    for (const row of rows.filter(r => r.label && !r.label.endsWith('...'))) // a label that is cut is no formula
        same(`${s.name}: ${row.label}`, bits(row.cells),
            lines('eval', '-f', row.label, ...evalWords, '--at', 'last', '--per-position', '--', s.string)[0].positions);
    same(s.name + ': answers', bits(rows[rows.length - 1].cells), lines('run', ...s.words, '--per-position', '--', s.string)[0].positions);
    check(rows.length > 2, s.name + ': there are rows');
}

// What is marked after a cell of a head was pointed at.
const marks = (page, id) => page.evaluate(i => {
    const names = [], table = document.querySelector(`#${i} table`);
    const list = (where, cells) => [...cells].forEach((c, k) => {
        for (const m of ['hq', 'hk']) if (c.classList.contains(m)) names.push(`${where} ${k - 1} ${m}`);
    });
    list('string', document.querySelector('#string').rows[0].cells);
    list('column', table.rows[0].cells);
    list('row', [...table.rows].map(r => r.cells[0]));
    return names.sort();
}, id);

// ---- what is tried ----

async function hovering(s) {
    await visit(s, {}, async page => {
        const tip = page.locator('#tip');
        for (const id of ['head-1-1', 'head-1-2', 'head-2-1']) {
            const cells = await cellsOf(page, id);
            for (let i = 0; i < cells.length; i++)
                for (let j = 0; j < cells.length; j++) {
                    await page.locator(`#${id} tbody tr:nth-child(${i + 1}) td:nth-child(${j + 2})`).hover();
                    if (cells[i][j].kind === 'm') {
                        check(await tip.isHidden(), `${id} ${i},${j}: masked cells have no tooltip`);
                        continue;
                    }
                    same(`${id} ${i},${j} tooltip`, await tip.textContent(), cells[i][j].title);
                    same(`${id} ${i},${j} marks`, await marks(page, id), [`column ${j} hk`, `row ${i} hq`, `string ${i} hq`,
                        `string ${j} hk`].sort());
                }
        }
        const box = await tip.boundingBox(), size = page.viewportSize();
        check(box.x >= 0 && box.y >= 0 && box.x + box.width <= size.width && box.y + box.height <= size.height, 'tooltip on screen', box);
        await page.locator('h1').hover();
        check(await tip.isHidden(), 'tooltip gone');
        same('marks gone', await marks(page, 'head-1-1'), []);
        same('titles are back', (await cellsOf(page, 'head-1-1'))[3][2].title.split('\n')[0], 'query 3 a, key 2 a');
    });
}

async function keys(s) {
    await visit(s, {}, async page => {
        const focused = () => page.evaluate(() => { const c = document.activeElement;
            return c.tagName === 'TD' ? [c.parentNode.rowIndex, c.cellIndex, c.dataset.tip || ''] : [c.tagName]; });
        const titles = await cellsOf(page, 'head-1-1');
        await page.locator('#head-1-1 td').first().focus();
        same('focus shows', (await focused()), [1, 1, titles[0][0].title]);
        for (const [key, row, column] of [['ArrowDown', 2, 1], ['ArrowRight', 2, 2], ['ArrowUp', 1, 2], ['ArrowLeft', 1, 1],
            ['ArrowLeft', 1, 1], ['ArrowUp', 1, 1], ['PageDown', 8, 1], ['End', 8, 9], ['ArrowLeft', 8, 8], ['Home', 8, 1]]) {
            await page.keyboard.press(key);
            same('key ' + key, (await focused()).slice(0, 2), [row, column]);
        }
        same('tooltip', await page.locator('#tip').textContent(), titles[7][0].title);
        await page.keyboard.press('Escape');
        check(await page.locator('#tip').isHidden(), 'Escape hides the tooltip');
        await page.keyboard.press('Tab');
        same('Tab leaves the table', (await focused())[0] === 'TD', false);
        await page.keyboard.press('Shift+Tab');
        same('and comes back to the same cell', (await focused()).slice(0, 2), [8, 1]);
        same('roles', await page.evaluate(() => [...document.querySelectorAll('table')].every(t => t.getAttribute('role') === 'grid' &&
            t.querySelectorAll('td[tabindex="0"]').length === 1)), true);
    });
}

async function withoutScript(s) {
    await visit(s, { javaScriptEnabled: false }, async page => {
        check(await page.locator('#head-2-1 table').isVisible(), 'tables without script');
        same('no tooltip of ours', await page.locator('#tip').count(), 0);
        const cell = page.locator('#head-1-1 tbody tr:nth-child(4) td:nth-child(4)');
        check((await cell.getAttribute('title')).startsWith('query 3 a, key 2 a\nweight 0.4999'), 'title without script');
        same('scroll boxes take the focus', await page.locator('.scroll:not([tabindex="0"])').count(), 0);
    });
}

// The least contrast of any text on the page with what is behind it (WCAG 2).
const contrast = page => page.evaluate(() => {
    document.querySelectorAll('details').forEach(d => { d.open = true; });
    const read = text => { const all = (text.match(/[\d.]+/g) || []).map(Number); // a mixed colour has numbers up to 1
        return text.startsWith('color') ? all.map((x, k) => k > 2 ? x : 255 * x) : all; };
    const light = rgb => { const [r, g, b] = rgb.map(c => (c /= 255) <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
        return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
    let worst = [99, ''];
    const walker = document.createTreeWalker(document.querySelector('main'), NodeFilter.SHOW_TEXT);
    for (let node; (node = walker.nextNode());) {
        if (!node.textContent.trim() || !node.parentElement.getClientRects().length) continue;
        const ink = read(getComputedStyle(node.parentElement).color).slice(0, 3);
        let back = null;
        for (let e = node.parentElement; e && !back; e = e.parentElement) {
            const c = read(getComputedStyle(e).backgroundColor);
            if (c.length === 3 || c[3] === 1) back = c.slice(0, 3);
        }
        const a = light(ink), b = light(back || [255, 255, 255]), ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
        if (ratio < worst[0]) worst = [ratio, `${node.parentElement.tagName} ${node.parentElement.className} '${node.textContent}'`];
    }
    return worst;
});

async function looks(s, long) {
    for (const colorScheme of ['light', 'dark'])
        await visit(s, { colorScheme }, async page => {
            await page.locator('#head-1-1 tbody tr:nth-child(4) td:nth-child(4)').hover();
            await page.screenshot({ path: path.join(folder, colorScheme + '.png'), fullPage: true });
            await page.locator('h1').hover();
            const [ratio, where] = await contrast(page);
            check(ratio >= 4.5, colorScheme + ': contrast', ratio, where);
        });
    await visit(s, { viewport: { width: 360, height: 740 } }, async page => {
        await page.screenshot({ path: path.join(folder, 'narrow.png'), fullPage: true });
        check(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'a phone scrolls tables, not the page');
    });
    await visit(s, { colorScheme: 'dark' }, async page => {
        await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
        same('paper is white', await page.evaluate(() => getComputedStyle(document.body).backgroundColor), 'rgb(255, 255, 255)');
        same('nothing is cut off on paper', await page.evaluate(() => getComputedStyle(document.querySelector('.scroll')).maxHeight), 'none');
        await page.pdf({ path: path.join(folder, 'print.pdf') });
    });
    await visit(long, {}, async page => {
        const inside = () => page.evaluate(() => { const box = document.querySelector('#head-1-1 .scroll').getBoundingClientRect();
            const at = q => { const r = document.querySelector('#head-1-1 ' + q).getBoundingClientRect(); return [r.left - box.left, r.top - box.top]; };
            return [at('thead th:nth-child(2)')[1], at('tbody tr:nth-child(2) th')[0]]; });
        const before = await inside();
        await page.locator('#head-1-1 tbody tr:nth-child(120) td:nth-child(92)').hover();
        await page.screenshot({ path: path.join(folder, 'long.png') });
        same('headings stick', await inside(), before);
        check((await page.locator('#tip').textContent()).startsWith('query 119 '), 'tooltip after scrolling');
        for (const key of ['ArrowUp', 'Home', 'PageUp', 'PageUp']) { // the cell in focus is not below the headings
            await page.locator('#head-1-1 td[tabindex="0"]').focus();
            await page.keyboard.press(key);
            check(await page.evaluate(() => { const r = document.activeElement.getBoundingClientRect();
                return document.elementFromPoint(r.left + r.width / 2, r.top + r.height / 2) === document.activeElement; }), key + ': in sight');
        }
        check(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'the page itself does not scroll sideways');
    });
}

async function hostile() {
    const tokens = ['<b>', '&amp;', '"', "'", '</script><script>window.bad=1</script>', '<img/src=x/onerror=window.bad=1>', '\\', '😀', 'שלום',
        'javascript:1', '${x}', 'a'.repeat(60)];
    const formula = `O '<b>' | O '</script><script>window.bad=1</script>' & O '&amp;' | O '<img/src=x/onerror=window.bad=1>'`;
    const words = ['--tokens', '--alphabet', tokens.join(' '), '-f', formula], s = write('hostile', words, tokens.join(' '));
    await visit(s, {}, async page => {
        same('letters', await page.evaluate(() => [...document.querySelectorAll('#string thead b')].map(b => b.textContent)), ['^', ...tokens]);
        same('heading or source', await page.evaluate(() => document.querySelector('h1 code, pre').textContent), formula);
        same('nothing ran', await page.evaluate(() => [window.bad, document.scripts.length, document.images.length, document.querySelectorAll('b b').length]),
            [null, 1, 0, 0]);
        await page.locator('#head-1-1 tbody tr:nth-child(6) td:nth-child(7)').hover();
        same('tooltip', (await page.locator('#tip').textContent()).split('\n')[0], `query 5 ${tokens[4]}, key 5 ${tokens[4]}`);
        await page.screenshot({ path: path.join(folder, 'hostile.png'), fullPage: true });
        await page.locator('h1').hover();
        await checkHeads(page, s);
        await checkTruth(page, s, words.slice(0, 3));
    });
    const control = write('control', ['--alphabet', 'a\x01\x1b\u200bb', '-f', 'O a'], 'a\x01\x1b\u200bb');
    await visit(control, {}, async page => {
        same('invisible letters', await page.evaluate(() => [...document.querySelectorAll('#string thead b')].map(b => b.textContent)),
            ['^', 'a', '\\x01', '\\x1B', '\\u{200B}', 'b']);
    });
}

// Cells of long strings are packed, and made by the script: looking back and forward, with and without ties.
async function packed() {
    const long = write('long', ['--alphabet', 'abc', '-f', 'H(b -> O a) & (a S b) & #[a] > #[b]'], 'cab'.repeat(40));
    check(fs.statSync(long.file).size < 1e6, 'a page of 120 letters is under 1 MB', fs.statSync(long.file).size);
    for (const [name, formula, string] of [['packed-back', 'a S b', 'cabbacab'.repeat(4)], ['packed-ahead', 'G(a -> F b)', 'cabbaacb'.repeat(4)]]) {
        const s = write(name, ['--alphabet', 'abc', '-f', formula], string);
        await visit(s, {}, async page => {
            await checkHeads(page, s);
            await page.locator('#head-1-1 tbody tr:nth-child(9) td:nth-child(10)').hover();
            check((await page.locator('#tip').textContent()).startsWith(`query 8 ${string[7]}, key 8 ${string[7]}`), name + ': tooltip');
        });
        await visit(s, { javaScriptEnabled: false }, async page => {
            check((await page.locator('figure noscript').first().textContent()).includes('drawn by a script'), name + ': without script it says so');
        });
    }
}

async function blocks() {
    const s = write('blocks', ['--alphabet', 'ab', '-f', 'a S b'], 'ab'.repeat(350));
    await visit(s, {}, async page => {
        const note = await page.locator('.warning').first().textContent();
        check(/^701 positions: each cell shows the largest weight of 3 x 3\.$/.test(note), 'the note says so', note);
        const weights = lines('show', ...s.words, '--', s.string)[0].weights, cells = await cellsOf(page, 'head-1-1');
        let worst = 0;
        for (let r = 0; r < cells.length; r += 7)
            for (let c = 0; c < cells.length; c += 5) {
                let most = -1;
                for (let i = 3 * r; i < Math.min(701, 3 * r + 3); i++)
                    for (let j = 3 * c; j < Math.min(701, 3 * c + 3); j++) if (j <= i) most = Math.max(most, weights[i][j]);
                if (most < 0) worst = cells[r][c].title ? 1 : worst;
                else if (Number(facts(cells[r][c].title)['largest weight']) !== most) worst = 1;
            }
        same('blocks hold the largest weight', worst, 0);
        await page.locator('#head-1-1 tbody tr:nth-child(12) td:nth-child(4)').hover();
        same('a block marks its letters', await page.evaluate(() => document.querySelectorAll('#string th.hk').length), 3);
    });
}

// Served instead of opened, the page still asks for nothing but itself.
async function served(s) {
    const asked = [], server = http.createServer((q, a) => { asked.push(q.url); a.setHeader('Content-Type', 'text/html'); a.end(fs.readFileSync(s.file)); });
    await new Promise(done => server.listen(0, '127.0.0.1', done));
    const page = await browser.newPage();
    await page.goto(`http://127.0.0.1:${server.address().port}/page.html`);
    await page.waitForTimeout(300);
    same('one request', asked, ['/page.html']);
    await page.close();
    server.close();
}

(async () => {
    const places = [process.env.CHROMIUM, '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
    browser = await chromium.launch({ executablePath: places.find(p => p && fs.existsSync(p)), args: ['--no-sandbox', '--disable-gpu',
        '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'] });
    const formula = ['--alphabet', 'abc', '-f', 'H(b -> O a) & !(b S c)'];
    const main = write('page', formula, 'caabcab'), dyck = path.join(folder, 'dyck.temper'), soft = path.join(folder, 'soft.temper');
    call('compile', '--gallery', 'dyck-1', '-o', dyck);
    call('soften', dyck, '--length', '16', '--adaptive', '-o', soft);
    await hovering(main);
    await keys(main);
    await withoutScript(main);
    const pages = [
        [main, formula.slice(0, 2)],
        [write('positions', [...formula, '--method', 'positions'], 'bcaab'), formula.slice(0, 2)],
        [write('hard', [...formula, '--hard'], 'bcaab'), formula.slice(0, 2)],
        [write('count', ['--alphabet', 'ab', '-f', '#[a] > 2*#[b] | #[a] % 3 = 1'], 'aabab'), ['--alphabet', 'ab']],
        [write('future', ['--alphabet', 'ab', '-f', 'F (a & X b)'], 'bbab'), ['--alphabet', 'ab']],
        [write('one', ['--alphabet', 'ab', '-f', 'O a & X b', '--at', 'last'], 'a'), ['--alphabet', 'ab']],
        [write('empty', ['--alphabet', 'ab', '-f', 'O a & Y b', '--empty', 'accept'], ''), ['--alphabet', 'ab']],
        [write('gallery', [dyck, '--hard'], '(()())'), ['--alphabet', '()']],
        [write('adaptive', [soft], '(()))('), ['--alphabet', '()']],
    ];
    for (const [s, words] of pages)
        await visit(s, {}, async page => {
            await checkHeads(page, s);
            await checkTruth(page, s, words);
            if (s.name === 'gallery') await page.screenshot({ path: path.join(folder, 'gallery.png'), fullPage: true });
        });
    const letters = Array.from({ length: 150 }, (_, k) => 'abc'[k * k * 7 % 11 % 3]).join('');
    await looks(main, write('long', formula, letters));
    await hostile();
    await packed();
    await blocks();
    await served(main);
    await browser.close();
    console.log(`html: ${passed} passed, ${failed} failed`);
    process.exit(failed ? 1 : 0);
})().catch(e => { console.error(e); process.exit(1); });
