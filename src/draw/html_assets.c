/* Style and script of the page. Both are the same for every page but for the shades, so that their digests can stand
   in the page's security policy: nothing else in it can style or run. The script has neither '<' nor '&', so that the
   page is XML, too. */
#include "draw/html.h"

/* Colours of truth are the blue and orange that all kinds of colour vision tell apart; glyphs say the same. */
static const char style[] =
    ":root{color-scheme:light dark;--page:#fff;--ink:#1d1f24;--soft:#5c6270;--line:#c9cdd6;--head:#f3f4f7;"
    "--true:#0063a6;--true-ink:#fff;--false:#fff;--false-ink:#6b7180;--bad:#b34700;--bad-ink:#fff;"
    "--query:#ffd166;--key:#9bd1ff;--mark:rgba(230,140,0,.20);--win:#d1495b;--link:#0b57a4;--hatch:#e4e6ec;"
    "--low-ink:#1d1f24;--high-ink:#fff}\n"
    "*{box-sizing:border-box}\n"
    ".role{margin:0;font-size:.85rem;color:var(--soft)}\n"
    "html{scroll-padding-top:1rem}\n"
    "body{margin:0;background:var(--page);color:var(--ink);font:15px/1.45 system-ui,sans-serif}\n"
    "main{max-width:100rem;margin:0 auto;padding:1rem 1.25rem 6rem}\n"
    "h1{font-size:1.5rem;line-height:1.25;margin:.4rem 0 .6rem;overflow-wrap:anywhere}\n"
    "h2{font-size:1.15rem;margin:2rem 0 .3rem;border-bottom:1px solid var(--line);padding-bottom:.2rem}\n"
    "h3{font-size:1rem;margin:0 0 .1rem;overflow-wrap:anywhere}\n"
    "p{margin:.3rem 0 .7rem;max-width:60rem}\n"
    "a{color:var(--link)}\n"
    "code,pre,.heat b,#string b,.channels td{font-family:ui-monospace,'DejaVu Sans Mono',Menlo,Consolas,monospace}\n"
    "code,b,pre,th span{unicode-bidi:isolate}\n"
    "h1 code,h3 code{font-weight:600}\n"
    "pre{margin:.3rem 0 .8rem;padding:.5rem .7rem;background:var(--head);border:1px solid "
    "var(--line);border-radius:4px;"
    "overflow:auto;max-height:20rem;font-size:.9rem}\n"
    "dl{display:grid;grid-template-columns:max-content 1fr;gap:.1rem 1rem;margin:.6rem 0 1.2rem;max-width:72rem}\n"
    "dt{color:var(--soft)}\n"
    "dd{margin:0;overflow-wrap:anywhere}\n"
    ".verdict-line{font-size:1.05rem;overflow-wrap:anywhere}\n"
    ".badge{display:inline-block;padding:.05rem .55rem;border-radius:4px;font-weight:600;border:2px solid "
    "var(--true)}\n"
    ".badge.yes{background:var(--true);color:var(--true-ink)}\n"
    ".badge.no{color:var(--ink);border-color:var(--false-ink)}\n"
    ".note{border-left:4px solid var(--win);padding:.1rem .7rem;background:var(--head)}\n"
    ".scroll{overflow:auto;max-height:min(85vh,52rem);max-width:100%}\n"
    ".scroll:focus-visible,td:focus-visible,a:focus-visible,summary:focus-visible{outline:3px solid var(--link);"
    "outline-offset:-3px}\n"
    "table{border-collapse:separate;border-spacing:0;font-size:.85rem}\n"
    "th{background:var(--head);font-weight:400;padding:1px 4px;position:sticky;z-index:1}\n"
    "thead th{top:0;vertical-align:bottom;text-align:center;border-bottom:1px solid var(--line)}\n"
    "tbody th{left:0;text-align:left;white-space:nowrap;border-right:1px solid var(--line)}\n"
    "th.corner{left:0;z-index:2;text-align:left;border-right:1px solid var(--line)}\n"
    "small{color:var(--soft);font-size:.72rem}\n"
    "thead th small,thead th b{display:block}\n"
    "th b{font-weight:600}\n"
    "b.sentinel{color:var(--soft);font-weight:400}\n"
    "thead "
    "b.long{writing-mode:vertical-rl;transform:rotate(180deg);max-height:9em;overflow:hidden;text-overflow:ellipsis;"
    "white-space:nowrap;margin:0 auto}\n"
    "td{text-align:center;padding:0;min-width:1.65rem;height:1.65rem;border-right:1px solid transparent;"
    "border-bottom:1px solid transparent;background-clip:padding-box}\n"
    "#string td,.channels td{border-color:var(--line)}\n"
    "#string tbody th div{display:flex;justify-content:space-between;align-items:baseline;gap:1.5rem}\n"
    "#string tbody th small{font-weight:400}\n"
    "#string thead b{font-size:1rem}\n"
    ".t{background:var(--true);color:var(--true-ink)}\n"
    ".f{background:var(--false);color:var(--false-ink)}\n"
    ".x{background:var(--bad);color:var(--bad-ink)}\n"
    ".x::after{content:'\u2260'}\n"
    ".answer th,.answer td{border-top:2px solid var(--soft)}\n"
    ".answer th{font-weight:600}\n"
    "td.verdict{outline:3px solid var(--win);outline-offset:-3px}\n"
    ".heads{display:flex;flex-wrap:wrap;gap:1.6rem 2rem;align-items:flex-start}\n"
    "figure{margin:.4rem 0;max-width:100%;min-width:0}\n"
    ".detail{color:var(--soft);font-size:.85rem;max-width:34rem}\n"
    ".heat td{min-width:1.25rem;width:1.25rem;height:1.25rem;border-color:var(--page)}\n"
    ".heat.wide td{min-width:1.7rem}\n"
    ".corner small{white-space:nowrap}\n"
    ".heat.numbered td{min-width:1.9rem;width:1.9rem;height:1.65rem;font-size:.72rem}\n"
    ".heat th small+b{margin-left:.35rem}\n"
    ".heat thead th small+b{margin-left:0}\n"
    ".heat thead b.long{margin:0 auto}\n"
    ".heat thead th{padding:1px 2px}\n"
    ".heat thead th.corner,.heat thead th.o{padding:1px 5px}\n"
    ".heat tbody th "
    "b{max-width:9em;display:inline-block;overflow:hidden;text-overflow:ellipsis;vertical-align:bottom}\n"
    ".heat tbody th small{display:inline-block;min-width:1.3em;text-align:right}\n"
    ".heat.blocks thead th:not(.corner) small{writing-mode:vertical-rl;transform:rotate(180deg);margin:0 auto}\n"
    ".heat td.m,.key.m{background:repeating-linear-gradient(135deg,transparent 0 4px,var(--hatch) 4px 5px)}\n"
    ".heat td.o,.heat.numbered td.o{width:auto;padding:0 .5rem;text-align:left;white-space:nowrap;border-left:1px "
    "solid "
    "var(--line);font-size:.8rem}\n"
    ".w{outline:1px solid var(--win);outline-offset:-1px}\n"
    ".numbered .w,i.w{outline-width:2px;outline-offset:-2px}\n"
    ".numbered .s0{color:#5c6270}\n"
    ".heat th{line-height:1.1}\n"
    ".nan{background:var(--bad);color:var(--bad-ink)}\n"
    ".channels td{padding:0 .3rem;font-size:.8rem}\n"
    ".channels .z{color:var(--false-ink)}\n"
    ".channels .one{font-weight:700}\n"
    "details{margin:1rem 0}\n"
    "summary{cursor:pointer;color:var(--link)}\n"
    ".legend{display:flex;flex-wrap:wrap;align-items:center;gap:.3rem "
    ".5rem;font-size:.85rem;max-width:none;color:var(--soft)}\n"
    ".ramp{display:inline-flex;border:1px solid var(--line)}\n"
    ".ramp i{width:.7rem;height:1rem}\n"
    ".legend span{display:inline-flex;align-items:center}\n"
    "i.key{flex:none;width:1.1rem;height:1.1rem;border:1px solid "
    "var(--line);margin:0 .3rem 0 .6rem}\n"
    "td.hi{box-shadow:inset 0 0 0 99px var(--mark)}\n"
    "th.hq,td.hq{background:var(--query);color:#1d1f24;--soft:#1d1f24}\n"
    "th.hk,td.hk{background:var(--key);color:#1d1f24;--soft:#1d1f24}\n"
    "th.hq.hk{background:linear-gradient(90deg,var(--query) 50%,var(--key) 50%)}\n"
    "#tip{position:fixed;z-index:9;pointer-events:none;white-space:pre-line;max-width:min(34rem,92vw);padding:.35rem "
    ".6rem;"
    "border-radius:4px;background:var(--ink);color:var(--page);font-size:.85rem;font-variant-numeric:tabular-nums;"
    "overflow-wrap:anywhere;box-shadow:0 2px 8px rgba(0,0,0,.35)}\n"
    "#tip[hidden]{display:none}\n"
    "footer{margin-top:2.5rem;color:var(--soft);font-size:.85rem}\n"
    "@media(max-width:40rem){main{padding:.6rem .6rem 5rem}dl{grid-template-columns:1fr;gap:0}dd{margin:0 0 .4rem}"
    "#string tbody th{max-width:45vw;overflow:hidden;text-overflow:ellipsis}"
    "#string tbody th div{display:block}#string tbody th "
    "code{display:block;overflow:hidden;text-overflow:ellipsis}#string tbody th small{display:block}}\n"
    "@media print{:root{color-scheme:light}*{print-color-adjust:exact;-webkit-print-color-adjust:exact}"
    "main{padding:0;max-width:none}.scroll{overflow:visible;max-height:none}th{position:static}#tip{display:none}"
    "figure,tr{break-inside:avoid}h2,h3{break-after:avoid}a{color:inherit;text-decoration:none}}\n";

static const char dark[] =
    "@media screen and (prefers-color-scheme:dark){:root{--page:#15171c;--ink:#e6e8ee;--soft:#a0a7b6;--line:#3a3f4b;"
    "--head:#1f232b;--true:#4aa8e8;--true-ink:#0b0d10;--false:#15171c;--false-ink:#8d94a4;--bad:#ff9d4d;"
    "--bad-ink:#15171c;--query:#ffd166;--key:#9bd1ff;--mark:rgba(255,190,80,.22);--win:#ff6b81;--link:#7db8f5;"
    "--hatch:#2a2f39;--low-ink:#1d1f24;--high-ink:#fff;";

/* Lightness goes one way, so shades read without colour vision and in print: darker is more, also on a dark screen,
   in SVG pictures and in the terminal. */
static const unsigned char light_stops[5][3] = {
    {250, 250, 245}, {191, 222, 190}, {94, 179, 181}, {41, 105, 159}, {28, 28, 92}};
static const unsigned char dark_stops[5][3] = {
    {232, 232, 226}, {180, 212, 182}, {94, 179, 181}, {41, 105, 159}, {38, 58, 140}};

/* Text on the shades below `high` has the colour for low ones: where the contrast is best. */
static void put_shades(text *t, const unsigned char stops[5][3], unsigned high) {
    for (unsigned k = 0; k < HTML_SHADES; k++) {
        double at = 4.0 * k / (HTML_SHADES - 1), part;
        size_t s = k == HTML_SHADES - 1 ? 3 : (size_t)at;
        unsigned mixed[3];
        part = at - (double)s;
        for (size_t c = 0; c < 3; c++)
            mixed[c] = (unsigned)(stops[s][c] + part * ((double)stops[s + 1][c] - stops[s][c]) + 0.5);
        text_printf(t, "--s%u:#%02x%02x%02x;--i%u:var(--%s-ink);", k, mixed[0], mixed[1], mixed[2], k,
                    k < high ? "low" : "high");
    }
}

const char *html_style(arena *a) {
    text t;
    text_init(&t, a);
    text_puts(&t, "\n:root{");
    put_shades(&t, light_stops, 11);
    text_puts(&t, "}\n");
    text_puts(&t, style);
    text_puts(&t, dark);
    put_shades(&t, dark_stops, 11);
    text_puts(&t, "}}\n");
    for (unsigned k = 0; k < HTML_SHADES; k++)
        text_printf(&t, ".s%u{background-color:var(--s%u);color:var(--i%u)}\n", k, k, k);
    return text_string(&t);
}

/* Hovering or moving with the arrow keys marks row, column and letters, and shows the tooltip at once. Without the
   script the browser shows the same tooltips in its own way. */
const char html_script[] =
    "\n(function(){'use strict';\n"
    "var tip=document.createElement('div'),marked=[],from=null,string=document.getElementById('string');\n"
    "tip.id='tip';tip.hidden=true;tip.setAttribute('aria-hidden','true');document.body.appendChild(tip);\n"
    /* html_packed.c says what the attributes hold */
    "function inflate(body){var d=body.dataset,numbers=d.n.split(' '),heads=body.parentNode.tHead.rows[0].cells;\n"
    " function name(k){var b=heads[k+1].querySelector('b');\n"
    "  return b.classList.contains('sentinel')?(k?'end':'start'):b.title;}\n"
    " function unpack(lines){var last=[];return lines.split('/').map(function(line){var out=[],j=0;\n"
    "  line.split(' ').forEach(function(t){var p=t.split('*'),c=Number(t.slice(1)),x;\n"
    "   if(t[0]==='-'){j+=c;return;}\n"
    "   if(t[0]==='^'){for(;c>0;c--){out[j]=last[j];j++;}return;}\n"
    "   for(c=p[1]?Number(p[1]):1,x=numbers[parseInt(p[0],36)];c>0;c--)out[j++]=x;});\n"
    "  last=out;return out;});}\n"
    " var facts=[['weight ','w'],['score ','x'],['logit ','l'],['hard weight ','h']].filter(function(f){\n"
    "  return d[f[1]]!==undefined;}).map(function(f){return [f[0],unpack(d[f[1]])];});\n"
    " var values=d.v===undefined?null:d.v.split('/'),count=heads.length-2,names=[];\n"
    " for(var k=0;count>k;k++)names.push(name(k));\n"
    " d.s.split('/').forEach(function(line,i){var "
    "row=body.rows[i],out=row.cells[1],cells=document.createDocumentFragment();\n"
    "  for(var j=0;line.length>j;j++){var cell=document.createElement('td'),c=line[j],low=c.toLowerCase();\n"
    "   cell.className=c==='.'?'m':c==='?'?'nan':'s'+(low.charCodeAt(0)-97)+(c===low?'':' w');\n"
    "   if(c!=='.'){var tip='query '+i+' '+names[i]+', key '+j+' '+names[j];\n"
    "    facts.forEach(function(f){tip+='\\n'+f[0]+f[1][i][j];});\n"
    "    cell.title=values?tip+'\\nvalue '+values[j]:tip;}\n"
    "   cells.appendChild(cell);}\n"
    "  row.insertBefore(cells,out);});\n"
    " ['n','s','w','x','l','h','v'].forEach(function(k){delete d[k];});}\n"
    "document.querySelectorAll('tbody[data-s]').forEach(inflate);\n"
    "function mark(cell,name){if(cell){cell.classList.add(name);marked.push(cell);}}\n"
    "function clear(){marked.forEach(function(c){c.classList.remove('hi','hq','hk');});marked=[];tip.hidden=true;\n"
    " if(from){from.title=from.dataset.tip;delete from.dataset.tip;from=null;}}\n"
    "function letters(index,block,name){var "
    "heads=string.rows[0].cells,end=Math.min(index*block+block,heads.length-1);\n"
    " for(var k=index*block;end>k;k++)mark(heads[k+1],name);}\n"
    "function show(cell){clear();\n"
    " var row=cell.parentNode,table=row.closest('table'),heads=table.rows[0].cells,c=cell.cellIndex;\n"
    " var "
    "heat=table.classList.contains('heat'),block=Number(table.dataset.block)||1,out=cell.classList.contains('o');\n"
    " mark(row.cells[0],'hq');\n"
    " if(!out){mark(heads[c],'hk');letters(c-1,block,'hk');\n"
    "  for(var r=1;table.rows.length>r;r++)mark(table.rows[r].cells[c],'hi');}\n"
    " if(heat){letters(row.rowIndex-1,block,'hq');\n"
    "  for(var k=1;row.cells.length>k;k++)mark(row.cells[k],'hi');}\n"
    " if(!cell.title)return;\n"
    " from=cell;cell.dataset.tip=cell.title;cell.removeAttribute('title');\n"
    " tip.textContent=cell.dataset.tip;tip.hidden=false;\n"
    " place();}\n"
    "function place(){\n"
    " if(!from)return;\n"
    " var box=from.getBoundingClientRect(),size=tip.getBoundingClientRect();\n"
    " var left=Math.min(box.right+8,innerWidth-size.width-8),top=box.bottom+8;\n"
    " if(top+size.height>innerHeight)top=box.top-size.height-8;\n"
    " tip.style.left=Math.max(8,left)+'px';tip.style.top=Math.max(8,top)+'px';}\n"
    "document.addEventListener('pointerover',function(e){\n"
    " var cell=e.target.closest?e.target.closest('td'):null;\n"
    " if(cell){if(cell!==from)show(cell);}else clear();});\n"
    "document.addEventListener('pointerdown',function(e){\n"
    " var cell=e.target.closest?e.target.closest('td'):null;\n"
    " if(cell){enter(cell);}else clear();});\n"
    "document.addEventListener('scroll',place,true);\n"
    "function enter(cell){var table=cell.closest('table'),old=table.querySelector('td[tabindex=\"0\"]');\n"
    " var corner=table.rows[0].cells[0];\n" /* what is focused must not be below the headings that stick */
    " table.parentNode.style.scrollPadding=corner.offsetHeight+'px 0 0 '+corner.offsetWidth+'px';\n"
    " if(old)old.tabIndex=-1;\n"
    " cell.tabIndex=0;cell.focus();show(cell);}\n"
    "document.querySelectorAll('table').forEach(function(table){\n"
    " var first=table.querySelector('td');\n"
    " if(!first)return;\n"
    " table.setAttribute('role','grid');first.tabIndex=0;table.parentNode.removeAttribute('tabindex');\n"
    " table.addEventListener('focusin',function(e){if(e.target.tagName==='TD')show(e.target);});\n"
    " table.addEventListener('focusout',clear);\n"
    " table.addEventListener('keydown',function(e){var cell=e.target;\n"
    "  if(e.key==='Escape')clear();\n"
    "  if(cell.tagName!=='TD'||e.ctrlKey||e.altKey||e.metaKey)return;\n"
    "  var r=cell.parentNode.rowIndex,c=cell.cellIndex,last=cell.parentNode.cells.length-1;\n"
    "  switch(e.key){case 'ArrowLeft':c--;break;case 'ArrowRight':c++;break;case 'ArrowUp':r--;break;\n"
    "  case 'ArrowDown':r++;break;case 'Home':c=1;break;case 'End':c=last;break;\n"
    "  case 'PageUp':r=Math.max(1,r-10);break;case "
    "'PageDown':r=Math.min(table.rows.length-1,r+10);break;default:return;}\n"
    "  e.preventDefault();\n"
    "  if(r>0)if(table.rows.length>r)if(c>0)if(last>=c)enter(table.rows[r].cells[c]);});});\n"
    "})();\n";
