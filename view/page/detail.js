// The pane with one record: its columns by the spec, its features, steps or candidates, and what is wrong with it.
import { el, words, count, plural, size, cut, button, trouble, say } from './dom.js';
import { load, available, copy } from './data.js';
import { faultText } from './table.js';
import { charts } from './charts.js';
import { valuesOf, summary } from './values.js';
import { drawColumn } from './ragged.js';

const pane = document.getElementById('detail');
let shown = ''; // file and record in the pane
let recordStop; // stops the request for the record

// hideDetail closes the pane.
export function hideDetail() {
  recordStop?.abort();
  shown = '';
  pane.hidden = true;
  pane.replaceChildren();
}

// showDetail shows a record. move(by) shows another one, close leaves the pane.
export async function showDetail(file, number, move, close) {
  if (shown === file + ':' + number) return;
  shown = file + ':' + number;
  recordStop?.abort();
  recordStop = new AbortController();
  const { signal } = recordStop;
  pane.hidden = false;
  pane.classList.add('waits');
  try {
    const record = await load(`api/record?file=${file}&record=${number}`, signal);
    if (signal.aborted) return;
    const { scrollTop } = pane;
    pane.replaceChildren(top(record, move, close), content(record));
    pane.scrollTop = scrollTop; // the same feature of the next record stays where it was
    say('Record ' + record.address);
  } catch (e) {
    if (signal.aborted) return;
    shown = '';
    pane.replaceChildren(el('div.top', null, titles('Record ' + number, [], close)), trouble(e));
    say(`Record ${number}: ${e.message}`);
  }
  pane.classList.remove('waits');
}

function titles(text, buttons, close) {
  return el('div.titles', null, el('h2', null, words(text, 200)), buttons, button('×', close, { class: 'icon', 'aria-label': 'Close the record', title: 'Close (Esc)' }));
}

function top(record, move, close) {
  const path = kind => `api/copy?file=${record.file}&record=${record.record}&as=${kind}`;
  const copies = record.error ? [] : [['json', 'JSON'], ['python', 'Python'], ['go', 'Go']].filter(([kind]) => available(path(kind))).map(([kind, name]) => {
    const b = button(name, async () => {
      try {
        if (await copy(path(kind))) { b.classList.add('done'); setTimeout(() => b.classList.remove('done'), 1500); say(name + ' copied'); }
      } catch (e) { say(e.message); }
    }, { 'aria-label': 'Copy the record as ' + name });
    return b;
  });
  return el('div.top', null,
    titles(record.address, [
      button('‹', () => move(-1), { class: 'icon', 'aria-label': 'Previous record', title: 'Previous record (k)' }),
      button('›', () => move(1), { class: 'icon', 'aria-label': 'Next record', title: 'Next record (j)' })], close),
    el('p.none', null, record.error ? '' : size(record.bytes) + ' ', `at offset ${count(record.offset)}`, copies.length ? el('span.copies', null, 'Copy as ', copies) : null));
}

function content(record) {
  const body = el('div.record');
  if (record.error) {
    body.append(el('div.damage', null, el('h3', null, 'Damaged record'), el('p', null, el('bdi', null, faultText(record)))));
  }
  if (record.fault) body.append(el('div.damage', null, el('h3', null, 'Does not fit the spec'), el('p', null, el('bdi', null, record.fault))));
  const boxes = record.boxes ?? {};
  const isPicture = f => f.kind === 'bytes' && f.values.some(v => v.image), pictures = (record.features ?? []).filter(isPicture);
  if (pictures.length) body.append(section(pictures.length > 1 ? 'Images' : 'Image', pictures.map(f => feature(f, boxes))));
  const at = el('p.at', { 'aria-live': 'polite' }, el('span.none', null, 'Point at a value, or use the arrow keys, to see its path.'));
  if (record.columns?.length) body.append(section('Columns', record.columns.map(c => block(c.name, cut([c.kind, c.dtype, c.shape === '[]' ? 'scalar' : c.shape].join(' '), 80), drawColumn(c, at)))));
  const features = (record.features ?? []).filter(f => !isPicture(f)), title = { sequence: 'Context', elwc: 'Context' }[messageOf(record)] ?? 'Features';
  if (features.length) body.append(section(title, [...features.map(f => feature(f, boxes)), record.more && el('p.none', null, `${count(record.more)} more features`)]));
  if (record.lists?.length) body.append(section('Steps', [timeline(record.lists)]));
  if (record.examples) body.append(section(plural(record.exampleCount ?? record.examples.length, 'candidate'), [candidates(record)]));
  if (record.columns?.length) body.append(at);
  if (!body.firstChild) body.append(el('p.none', null, 'The record has no features.'));
  return body;
}

const messageOf = record => record.lists?.length ? 'sequence' : record.examples ? 'elwc' : 'example';

const section = (title, parts) => el('section', null, el('h3', null, title), parts);

// block is a feature or a column: its name and type at the left, its values at the right.
function block(name, type, body) {
  return el('div.feature', null, el('div.head', null, el('h4', null, words(name, 120)), el('span.type', null, type)), body);
}

function feature(f, boxes) {
  return block(f.name, f.n === 1 ? f.kind : `${f.kind} ×${count(f.n)}`, valuesOf(f, boxes[f.id]));
}

// timeline draws feature lists: a column for each step, a row for each list. A step that is chosen is shown in full below.
function timeline(lists) {
  const steps = Math.max(...lists.map(l => l.shown)), all = Math.max(...lists.map(l => l.steps)), below = el('div.chosen', { 'aria-live': 'polite' });
  const heads = Array.from({ length: steps }, (_, i) => el('th', { scope: 'col' }, button(String(i), () => choose(i), { 'aria-label': 'Show step ' + i, 'aria-pressed': 'false' })));
  const choose = step => {
    heads.forEach((h, i) => h.firstChild.setAttribute('aria-pressed', String(i === step)));
    for (const [i, cells] of columns.entries()) for (const c of cells) c.classList.toggle('on', i === step);
    below.replaceChildren(el('h4', null, 'Step ' + step), ...lists.filter(l => l.values[step]).map(l => block(l.name, `${l.kind} ×${count(l.values[step].n)}`, valuesOf(l.values[step]))));
  };
  const columns = heads.map(h => [h]);
  const rows = lists.map(l => {
    const cells = Array.from({ length: steps }, (_, i) => el('td', { class: l.kind === 'bytes' ? null : 'n', click: () => choose(i) }, i < l.steps ? summary(l.values[i]) : null));
    cells.forEach((c, i) => columns[i].push(c));
    const single = l.kind !== 'bytes' && l.values.length > 5 && l.values.every(v => v.n === 1);
    return el('tr', null, el('th', { scope: 'row' }, words(l.name, 80), el('span.type', null, `${l.kind}, ${plural(l.steps, 'step')}`), single && charts(l.values.map(v => v.values[0]))?.firstChild), cells);
  });
  return el('div', null,
    el('div.wide', { tabindex: '0', role: 'region', 'aria-label': 'Timeline of the steps' }, el('table.steps', null, el('thead', null, el('tr', null, el('th', { scope: 'col' }, 'step'), heads)), el('tbody', null, rows))),
    all > steps && el('p.none', null, `the first ${count(steps)} of ${plural(all, 'step')}`), below);
}

// candidates draws the examples of an ExampleListWithContext: a row for each, a column for each feature.
function candidates(record) {
  const names = new Map();
  for (const e of record.examples) for (const f of e.features) names.set(f.name, f);
  const below = el('div.chosen', { 'aria-live': 'polite' });
  const rows = record.examples.map((e, i) => {
    const by = new Map(e.features.map(f => [f.name, f])), b = button(String(i), () => choose(i), { 'aria-label': 'Show candidate ' + i, 'aria-pressed': 'false' });
    return el('tr', { click: () => choose(i) }, el('th.number', { scope: 'row' }, b), [...names.values()].map(f => el('td', f.kind === 'bytes' ? null : { class: 'n' }, summary(by.get(f.name)))));
  });
  const choose = at => {
    rows.forEach((r, i) => { r.classList.toggle('on', i === at); r.querySelector('button').setAttribute('aria-pressed', String(i === at)); });
    below.replaceChildren(el('h4', null, 'Candidate ' + at), ...record.examples[at].features.map(f => feature(f, record.examples[at].boxes ?? {})));
  };
  return el('div', null,
    el('div.wide', { tabindex: '0', role: 'region', 'aria-label': 'Candidates' }, el('table.candidates', null,
      el('thead', null, el('tr', null, el('th.number', { scope: 'col' }, '#'), [...names.values()].map(f => el('th', { scope: 'col', class: f.kind === 'bytes' ? null : 'n' }, words(f.name, 80), el('span.type', null, f.kind))))),
      el('tbody', null, rows))),
    record.exampleCount > record.examples.length && el('p.none', null, `the first ${count(record.examples.length)} of ${plural(record.exampleCount, 'candidate')}`), below);
}
