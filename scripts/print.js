// Prints a page of HTML as PDF, with numbered pages, an outline and the date of SOURCE_DATE_EPOCH. usage: node print.js PAGE PDF
'use strict';
const { chromium } = require('playwright-core');
const fs = require('fs');
const path = require('path');

const [page, pdf] = process.argv.slice(2);
const places = [process.env.CHROMIUM, '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const footer = '<div style="font: 8pt FreeSerif, serif; width: 100%; text-align: center"><span class="pageNumber"></span></div>';

(async () => {
    const browser = await chromium.launch({ executablePath: places.find(p => p && fs.existsSync(p)), args: ['--no-sandbox', '--disable-gpu'] });
    const tab = await browser.newPage();
    await tab.goto('file://' + path.resolve(page));
    await tab.evaluate(() => document.fonts.ready);
    const bytes = await tab.pdf({ preferCSSPageSize: true, displayHeaderFooter: true, headerTemplate: '<span></span>', footerTemplate: footer,
        outline: true, tagged: true });
    await browser.close();
    const seconds = Number(process.env.SOURCE_DATE_EPOCH || 0);
    const date = new Date(seconds * 1000).toISOString().replace(/[-:T]/g, '').slice(0, 14);
    fs.writeFileSync(pdf, Buffer.from(bytes.toString('latin1').replace(/\(D:\d{14}/g, '(D:' + date), 'latin1'));
})();
