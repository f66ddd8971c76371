// The script of pages of `temper show --html`: tooltips, marks and the arrow keys. It has neither the less-than sign nor the
// ampersand, so that the page is XML, too; its digest stands in the page's security policy.
(function(){'use strict';
var tip=document.createElement('div'),marked=[],from=null,string=document.getElementById('string');
tip.id='tip';tip.hidden=true;tip.setAttribute('aria-hidden','true');document.body.appendChild(tip);
function inflate(body){var d=body.dataset,numbers=d.n.split(' '),heads=body.parentNode.tHead.rows[0].cells;
 function name(k){var b=heads[k+1].querySelector('b');
  return b.classList.contains('sentinel')?(k?'end':'start'):b.title;}
 function unpack(lines){var last=[];return lines.split('/').map(function(line){var out=[],j=0;
  line.split(' ').forEach(function(t){var p=t.split('*'),c=Number(t.slice(1)),x;
   if(t[0]==='-'){j+=c;return;}
   if(t[0]==='^'){for(;c>0;c--){out[j]=last[j];j++;}return;}
   for(c=p[1]?Number(p[1]):1,x=numbers[parseInt(p[0],36)];c>0;c--)out[j++]=x;});
  last=out;return out;});}
 var facts=[['weight ','w'],['score ','x'],['logit ','l'],['hard weight ','h']].filter(function(f){
  return d[f[1]]!==undefined;}).map(function(f){return [f[0],unpack(d[f[1]])];});
 var values=d.v===undefined?null:d.v.split('/'),count=heads.length-2,names=[];
 for(var k=0;count>k;k++)names.push(name(k));
 d.s.split('/').forEach(function(line,i){var row=body.rows[i],out=row.cells[1],cells=document.createDocumentFragment();
  for(var j=0;line.length>j;j++){var cell=document.createElement('td'),c=line[j],low=c.toLowerCase();
   cell.className=c==='.'?'m':c==='?'?'nan':'s'+(low.charCodeAt(0)-97)+(c===low?'':' w');
   if(c!=='.'){var tip='query '+i+' '+names[i]+', key '+j+' '+names[j];
    facts.forEach(function(f){tip+='\n'+f[0]+f[1][i][j];});
    cell.title=values?tip+'\nvalue '+values[j]:tip;}
   cells.appendChild(cell);}
  row.insertBefore(cells,out);});
 ['n','s','w','x','l','h','v'].forEach(function(k){delete d[k];});}
document.querySelectorAll('tbody[data-s]').forEach(inflate);
function mark(cell,name){if(cell){cell.classList.add(name);marked.push(cell);}}
function clear(){marked.forEach(function(c){c.classList.remove('hi','hq','hk');});marked=[];tip.hidden=true;
 if(from){from.title=from.dataset.tip;delete from.dataset.tip;from=null;}}
function letters(index,block,name){var heads=string.rows[0].cells,end=Math.min(index*block+block,heads.length-1);
 for(var k=index*block;end>k;k++)mark(heads[k+1],name);}
function show(cell){clear();
 var row=cell.parentNode,table=row.closest('table'),heads=table.rows[0].cells,c=cell.cellIndex;
 var heat=table.classList.contains('heat'),block=Number(table.dataset.block)||1,out=cell.classList.contains('o');
 mark(row.cells[0],'hq');
 if(!out){mark(heads[c],'hk');letters(c-1,block,'hk');
  for(var r=1;table.rows.length>r;r++)mark(table.rows[r].cells[c],'hi');}
 if(heat){letters(row.rowIndex-1,block,'hq');
  for(var k=1;row.cells.length>k;k++)mark(row.cells[k],'hi');}
 if(!cell.title)return;
 from=cell;cell.dataset.tip=cell.title;cell.removeAttribute('title');
 tip.textContent=cell.dataset.tip;tip.hidden=false;
 place();}
function place(){
 if(!from)return;
 var box=from.getBoundingClientRect(),size=tip.getBoundingClientRect();
 var left=Math.min(box.right+8,innerWidth-size.width-8),top=box.bottom+8;
 if(top+size.height>innerHeight)top=box.top-size.height-8;
 tip.style.left=Math.max(8,left)+'px';tip.style.top=Math.max(8,top)+'px';}
document.addEventListener('pointerover',function(e){
 var cell=e.target.closest?e.target.closest('td'):null;
 if(cell){if(cell!==from)show(cell);}else clear();});
document.addEventListener('pointerdown',function(e){
 var cell=e.target.closest?e.target.closest('td'):null;
 if(cell){enter(cell);}else clear();});
document.addEventListener('scroll',place,true);
function enter(cell){var table=cell.closest('table'),old=table.querySelector('td[tabindex="0"]');
 var corner=table.rows[0].cells[0];
 table.parentNode.style.scrollPadding=corner.offsetHeight+'px 0 0 '+corner.offsetWidth+'px';
 if(old)old.tabIndex=-1;
 cell.tabIndex=0;cell.focus();show(cell);}
document.querySelectorAll('table').forEach(function(table){
 var first=table.querySelector('td');
 if(!first)return;
 table.setAttribute('role','grid');first.tabIndex=0;table.parentNode.removeAttribute('tabindex');
 table.addEventListener('focusin',function(e){if(e.target.tagName==='TD')show(e.target);});
 table.addEventListener('focusout',clear);
 table.addEventListener('keydown',function(e){var cell=e.target;
  if(e.key==='Escape')clear();
  if(cell.tagName!=='TD'||e.ctrlKey||e.altKey||e.metaKey)return;
  var r=cell.parentNode.rowIndex,c=cell.cellIndex,last=cell.parentNode.cells.length-1;
  switch(e.key){case 'ArrowLeft':c--;break;case 'ArrowRight':c++;break;case 'ArrowUp':r--;break;
  case 'ArrowDown':r++;break;case 'Home':c=1;break;case 'End':c=last;break;
  case 'PageUp':r=Math.max(1,r-10);break;case 'PageDown':r=Math.min(table.rows.length-1,r+10);break;default:return;}
  e.preventDefault();
  if(r>0)if(table.rows.length>r)if(c>0)if(last>=c)enter(table.rows[r].cells[c]);});});
})();
