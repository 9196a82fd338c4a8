// The shell: tabs, the view of the address, the pane of a record, and the keyboard.
import { el, baseName, count, plural, cut, say, trouble } from './dom.js';
import { set, stored, route, refreshSet, isScanning, readRoute, argument, integer, openRecord, address, go, change } from './data.js';
import { hideDetail, showDetail } from './detail.js';
import { Records } from './records.js';
import { Find } from './find.js';
import { Gallery } from './gallery.js';

const main = document.getElementById('view'), jump = document.getElementById('number'), help = document.getElementById('help');
const names = { records: 'Records', gallery: 'Gallery', features: 'Features', findings: 'Findings', compare: 'Compare', find: 'Find' };
let view; // the object of the view that is open
let viewName, tabsKey;

// A Report is a page of its own in a frame: statistics, findings, differences.
class Report {
  constructor(name) {
    const frame = el('iframe', { title: names[name], ...stored ? { srcdoc: stored.pages[name] } : { src: name } });
    // Links to records and searches are for this window, also where the page is a file.
    frame.addEventListener('load', () => {
      frame.contentDocument?.getElementById('theme')?.closest('label').remove(); // its colours are those of this window
      frame.contentDocument?.addEventListener('click', e => {
        const [, hash] = /(#\/.*)$/s.exec(e.target.closest?.('a[target="_top"]')?.getAttribute('href')) ?? []; // of charts too
        if (!hash) return;
        e.preventDefault();
        go(hash);
      });
      frame.contentDocument?.addEventListener('keydown', key);
    });
    main.replaceChildren(frame);
    this.frame = frame;
  }

  focus() { this.frame.focus(); }
}

const views = { records: Records, gallery: Gallery, find: Find }; // the others are reports

const exists = {
  records: () => true, gallery: () => set.features.some(f => f.image), find: () => !stored,
  features: () => set.pages.includes('features'), findings: () => set.pages.includes('findings'), compare: () => set.pages.includes('compare'),
};

// drawTabs names the views that this set has, unless it has done so: a tab may have the focus.
function drawTabs() {
  const shown = Object.keys(names).filter(n => exists[n]()), key = [route.view, set.title, ...shown].join('\n');
  if (tabsKey === key) return;
  tabsKey = key;
  const tabs = shown.map(n => el('li', null, el('a', { href: address(n, {}), 'aria-current': n === route.view ? 'page' : null }, names[n])));
  document.getElementById('tabs').replaceChildren(...tabs);
  document.getElementById('title').replaceChildren(el('bdi', null, baseName(set.title ?? '')));
}

function showAddress() {
  readRoute();
  if (!Object.hasOwn(names, route.view) || !exists[route.view]()) {
    history.replaceState(null, '', '#/records');
    readRoute();
  }
  const current = route.view in views ? openRecord() : undefined;
  document.body.classList.toggle('open', current !== undefined); // before the views measure their height
  if (viewName !== route.view) {
    view?.close?.();
    viewName = route.view;
    view = route.view in views ? new views[route.view](main) : new Report(route.view);
  } else {
    view.update?.();
  }
  drawTabs();
  document.title = [current && '#' + current[1], names[route.view], baseName(set.title ?? '')].filter(Boolean).map(t => cut(t, 80)).join(' · ');
  if (current) showDetail(...current, by => view.move(by), closeRecord);
  else hideDetail();
}

function closeRecord() {
  go(change({ record: undefined }));
  focusView();
}

// focusView gives the focus to the view, or to the record that covers it in a narrow window.
function focusView() {
  if (main.checkVisibility()) view.focus();
  else document.getElementById('detail').focus();
}

// drawFoot says what the page shows, in the line below it.
function drawFoot() {
  const files = set.files.filter(f => f.set === 0), records = files.every(f => f.records != null) ? plural(files.reduce((n, f) => n + f.records, 0), 'record') : null;
  const damaged = set.files.reduce((n, f) => n + (f.damaged ?? 0), 0), scanning = set.files.filter(isScanning).length;
  document.getElementById('about').textContent = [stored ? `${plural(set.matches?.length ?? 0, 'record')} saved from ${plural(files.length, 'file')}` : plural(files.length, 'file'), !stored && records, set.type, plural(set.features.length, 'feature'),
    damaged ? count(damaged) + ' damaged' : null, ...stored?.notes ?? [], scanning ? `indexing ${plural(scanning, 'file')} …` : null].filter(Boolean).join(' · ');
}

async function follow() {
  try {
    const grows = await refreshSet();
    view?.refresh?.();
    drawFoot();
    drawTabs();
    if (grows) setTimeout(follow, 1000);
  } catch {
    setTimeout(follow, 5000); // the table says that the server does not answer
  }
}

// ---- The keyboard

function key(e) {
  if (e.defaultPrevented || e.ctrlKey || e.metaKey || e.altKey || help.open) return;
  const isTyping = e.target.closest?.('input, textarea, select, audio'), isChoosing = e.target.closest?.('[popover], dialog');
  if (e.key === 'Escape' && !isChoosing) {
    if (e.target === jump) focusView();
    else if (argument('record') !== undefined) closeRecord();
    return;
  }
  if (isTyping || isChoosing) return;
  const scrolls = e.target.closest?.('#detail, .scroller.padded') && e.key.startsWith('Arrow') && !e.target.closest('table[role=grid]');
  const action = { j: () => view.move?.(1), k: () => view.move?.(-1), ArrowDown: () => view.move?.(1), ArrowUp: () => view.move?.(-1), g: () => jump.focus(), '?': () => help.showModal(),
    '/': () => {
      if (viewName !== 'gallery' && exists.find()) go(address('find', viewName === 'find' ? { where: argument('where') } : {}));
      main.querySelector('.expression')?.focus();
    } }[e.key];
  if (!action || scrolls) return;
  e.preventDefault();
  action();
}

document.addEventListener('keydown', key);
document.getElementById('keys').addEventListener('click', () => help.showModal());
document.querySelector('.skip').addEventListener('click', e => { e.preventDefault(); focusView(); });
document.getElementById('jump').addEventListener('submit', e => {
  e.preventDefault();
  const [, number] = /^\s*#?([0-9]+)\s*$/.exec(jump.value.replaceAll(',', '')) ?? [], isNumber = Number(number) <= Number.MAX_SAFE_INTEGER;
  jump.setAttribute('aria-invalid', String(!isNumber));
  if (!isNumber) {
    jump.setCustomValidity('Want the number of a record, such as 17');
    jump.reportValidity();
    return say(jump.validationMessage);
  }
  go(route.view === 'records' ? change({ record: number }) : address('records', { file: integer('file', set.files.length), record: number }));
  jump.value = '';
  focusView();
});
jump.addEventListener('input', () => jump.setCustomValidity(''));
addEventListener('hashchange', showAddress);

try {
  const grows = await refreshSet();
  showAddress();
  drawFoot();
  if (grows) setTimeout(follow, 1000);
} catch (e) {
  main.replaceChildren(trouble(e, () => location.reload()));
}
