// The table of records: any number of rows, of which only those in sight are elements.
import { el, words, count, plural, cut, trouble } from './dom.js';
import { set, load, source, openRecord } from './data.js';

export const blockSize = 100; // rows of one request
const keptBlocks = 60;
const spareRows = 10; // drawn above and below those in sight
const tallest = 8e6; // pixels; browsers draw elements up to about twice as high

// fileSource has the rows of a file, as many as are known by now.
export function fileSource(index) {
  const file = () => set.files[index];
  let seen = 0; // rows that answers have had
  let end; // the number of rows, once an answer has had the last one
  return {
    key: 'file ' + index,
    count: () => file().records ?? end ?? Math.max(file().known ?? 0, seen),
    exact: () => file().records != null || end !== undefined,
    path: (from, n) => `api/rows?file=${index}&from=${from}&count=${n}`,
    take: (first, rows, isEnd) => {
      seen = Math.max(seen, first + rows.length);
      if (isEnd) end = first + rows.length;
    },
    index: (f, record) => f === index ? record : -1,
    position: i => [index, i],
  };
}

// listSource has rows by their positions, [file, record]. The list may grow.
export function listSource(list, key = '') {
  return {
    key,
    count: () => list.length,
    exact: () => true,
    path: (from, n) => 'api/rows?at=' + list.slice(from, from + n).map(p => p.join(':')).join(','),
    take: () => {},
    index: (f, record) => list.findIndex(p => p[0] === f && p[1] === record),
    position: i => list[i],
  };
}

// loadRows loads the rows of a block. An answer has fewer rows than there are if they are long.
export async function loadRows(from, first, size, signal) {
  const rows = [];
  for (let answer; !answer || answer.rows.length > 0 && !answer.end && rows.length < size;) {
    answer = await load(from.path(first + rows.length, blockSize - rows.length), signal);
    rows.push(...answer.rows);
    from.take(first, rows, answer.end);
  }
  return rows;
}

// Rows loads the rows of a source in blocks and keeps the blocks used last.
export class Rows {
  constructor(from, changed, failed) {
    this.source = from;
    this.changed = changed; // called when rows have arrived
    this.failed = failed; // called with an error
    this.blocks = new Map(); // number of the block: its rows, and how many there were to have; oldest first
    this.loading = new Map(); // number of the block: what stops the request
  }

  row(i) {
    return this.blocks.get(Math.floor(i / blockSize))?.rows[i % blockSize];
  }

  // want loads the rows from first to last-1, and gives up what is wanted no longer.
  want(first, last) {
    const from = Math.floor(first / blockSize), to = Math.floor(Math.max(first, last - 1) / blockSize);
    for (const [b, stop] of this.loading) if (b < from || b > to) stop.abort();
    for (let b = from; b <= to; b++) {
      const size = Math.min(blockSize, Math.max(0, this.source.count() - b * blockSize)), block = this.blocks.get(b);
      if (!this.loading.has(b) && (!block || block.size < size) && (size || !this.source.exact())) this.loadBlock(b, size);
    }
  }

  async loadBlock(b, size) {
    const stop = new AbortController();
    this.loading.set(b, stop);
    try {
      const rows = await loadRows(this.source, b * blockSize, size, stop.signal);
      this.blocks.delete(b);
      this.blocks.set(b, { rows, size: Math.max(size, rows.length) });
      if (this.blocks.size > keptBlocks) this.blocks.delete(this.blocks.keys().next().value);
      this.loading.delete(b);
      this.changed();
    } catch (e) {
      this.loading.delete(b);
      if (e.name !== 'AbortError') this.failed(e);
      else this.changed(); // the block may be in sight again
    }
  }

  stop() {
    this.changed = this.failed = () => {};
    for (const stop of this.loading.values()) stop.abort();
  }
}

const fewestColumns = 10; // of the table, if the address does not name them; more are shown where there is room

// shownFeatures are the columns of the address, or those of the set: images, then what has classes, then the rest.
export function shownFeatures(ids) {
  const chosen = ids?.map(id => set.features.find(f => f.id === id)).filter(Boolean);
  if (chosen?.length) return chosen;
  const rank = f => f.image ? 0 : f.classes ? 1 : 2;
  return set.features.toSorted((a, b) => rank(a) - rank(b)).slice(0, 60);
}

// rowLabel names a row by its record, and by the shard or the number of its file where several files are mixed.
export function rowLabel(row, isMixed) {
  return isMixed ? (/-(\d+)-of-\d+/.exec(set.files[row.file]?.name)?.[1] ?? row.file) + '#' + row.record : String(row.record);
}

export const typeOf = f => f.column ?? f.content ?? f.kind;

// cellParts is what a cell of a row shows.
export function cellParts(cell) {
  if (!cell) return [el('span.none', { 'aria-label': 'missing' }, '–')];
  if (cell.n === 0) return [el('span.none', null, 'empty')];
  const parts = [];
  if (cell.image && cell.href) parts.push(el('img.thumb', { src: source(cell.href), alt: '', decoding: 'async' }));
  if (cell.audio) parts.push(el('span', { 'aria-hidden': 'true' }, '♪ '));
  if (cell.name) parts.push(el('bdi', null, cut(cell.name, 120)), ' ', el('span.none', null, cut(cell.text, 40)));
  else parts.push(el('bdi', null, cut(cell.text, 160) || '""'));
  if (cell.n > 1) parts.push(el('span.many', { title: plural(cell.n, 'value') }, '×' + count(cell.n)));
  return parts;
}

// skippedText names the bytes that reading skipped because of damage.
function skippedText({ offset, bytes }) {
  return bytes < 0 ? `skipped from offset ${count(offset)} to the end of the file` : `${plural(bytes, 'byte')} skipped from offset ${count(offset)}`;
}

// faultText says what is wrong with a row, and what was skipped.
export function faultText(row) {
  const place = set.files[row.file]?.name + ': '; // what is around it names the file
  return (row.error.startsWith(place) ? row.error.slice(place.length) : row.error) + (row.skipped ? '; ' + skippedText(row.skipped) : '');
}

export class Table {
  // The options: source, features, fill (leave out features that do not fit), fitted(), label, empty (the text for no rows), rowName(row), open(index, replace), reorder(ids), scrolled(index)
  constructor(options) {
    Object.assign(this, options);
    this.rows = new Rows(this.source, () => this.arrived(), e => this.fail(e));
    this.drawn = new Map(); // index: its element
    this.current = -1; // index of the row that the keyboard is on
    this.top = this.bar = 0; // pixels above the window: of all rows, and of the scroll bar
    this.rowHeight = this.features.some(f => f.image) ? 56 : 34;
    this.columns = el('colgroup');
    this.head = el('tr', { 'aria-rowindex': '1' });
    this.body = el('tbody');
    this.table = el('table', { role: 'grid', tabindex: '0', 'aria-label': this.label, keydown: e => this.key(e), click: e => this.click(e) }, this.columns, el('thead', null, this.head), this.body);
    this.sizer = el('div.sizer', null, this.table);
    this.note = el('div');
    this.nothing = this.empty && el('p.empty', { hidden: true }, this.empty);
    this.element = el('div.scroller', { scroll: () => this.scrolled_() }, this.nothing, this.sizer);
    this.element.style.setProperty('--row', this.rowHeight + 'px');
    this.watch = new ResizeObserver(() => this.draw());
    this.watch.observe(this.element);
    this.rows.want(0, 1);
  }

  close() {
    clearTimeout(this.settling);
    this.watch.disconnect();
    this.rows.stop();
  }

  arrived() {
    this.note.remove();
    if (!this.head.firstChild) this.drawHead();
    this.refresh();
  }

  // refresh draws again what has changed: rows that have arrived, the number of rows.
  refresh() {
    for (const [i, tr] of this.drawn) {
      if (!tr.classList.contains('waits') || !this.rows.row(i)) continue;
      const fresh = this.drawRow(i);
      tr.replaceWith(fresh);
      this.drawn.set(i, fresh);
    }
    this.draw();
  }

  fail(e) {
    this.note.replaceChildren(trouble(e, () => this.draw()));
    this.element.before(this.note);
  }

  // drawHead makes the head and fixes the widths, by the first rows: later ones do not move the columns.
  drawHead() {
    const sample = this.rows.blocks.get(0)?.rows ?? [];
    const number = 4 + this.rowName({ file: set.files.length - 1, record: Math.max(this.source.count(), ...sample.map(r => r.record)) }).length;
    let total = number;
    this.table.style.minWidth = '100ch'; // to know how much fits
    const room = this.element.clientWidth / parseFloat(getComputedStyle(this.table).minWidth) * 100;
    this.columns.append(el('col', { style: { width: number + 'ch' } }));
    this.head.append(el('th.number', { scope: 'col' }, '#'));
    for (const [i, f] of this.features.entries()) {
      const longest = Math.max(0, ...sample.map(r => r.cells?.[f.id]).filter(Boolean)
        .map(c => Math.min(36, c.text.length) + (c.name ? c.name.length + 1 : 0) + (c.n > 1 ? 4 : 0) + (c.image ? 12 : 0)));
      const part = Math.max(typeOf(f).length, ...f.name.split(/(?<=[_/])(?![_/])/).map(p => p.length)); // where a name breaks in the head
      const width = Math.min(34, Math.max(this.isNumber(f) ? 11 : 16, longest + 3, Math.min(18, part + 3))); // later rows may be wider
      if (this.fill && i >= fewestColumns && total + width > room) {
        this.features = this.features.slice(0, i);
        break;
      }
      total += width;
      this.columns.append(el('col', { style: { width: width + 'ch' } }));
      const head = el('th', { scope: 'col', draggable: this.reorder ? 'true' : false, 'data-id': f.id, class: this.isNumber(f) ? 'n' : null }, el('span.name', null, words(f.name, 80)), el('span.type', null, cut(typeOf(f), 60)));
      if (this.reorder) this.makeDraggable(head, i);
      this.head.append(head);
    }
    // What is left of the width belongs to an empty cell at the end.
    this.columns.append(el('col'));
    this.head.append(el('td', { 'aria-hidden': 'true' }));
    this.table.style.minWidth = total + 'ch';
    this.table.setAttribute('aria-colcount', this.features.length + 1);
    this.fitted?.();
  }

  isNumber(f) {
    return (f.kind === 'int64' || f.kind === 'float') && !f.classes;
  }

  makeDraggable(head, from) {
    head.title = 'Drag to move the column';
    head.addEventListener('dragstart', e => e.dataTransfer.setData('text/plain', String(from)));
    head.addEventListener('dragover', e => { e.preventDefault(); head.classList.add('target'); });
    head.addEventListener('dragleave', () => head.classList.remove('target'));
    head.addEventListener('drop', e => {
      e.preventDefault();
      const ids = this.features.map(f => f.id), [moved] = ids.splice(Number(e.dataTransfer.getData('text/plain')), 1);
      ids.splice(from, 0, moved);
      this.reorder(ids);
    });
  }

  drawRow(i) {
    const row = this.rows.row(i), attributes = { id: 'row-' + i, 'data-index': i, 'aria-rowindex': i + 2, 'aria-selected': String(i === this.current) };
    if (!row) return el('tr.waits', attributes, el('th.number', { scope: 'row' }, '…'), el('td', { colspan: this.features.length + 1 }));
    const number = el('th.number', { scope: 'row' }, this.rowName(row));
    if (row.error) return el('tr.damaged', attributes, number, el('td', { colspan: this.features.length + 1 }, el('bdi', null, cut(faultText(row), 300))));
    return el('tr', attributes, number, this.features.map(f => el('td', this.isNumber(f) ? { class: 'n' } : null, el('div.cell', null, cellParts(row.cells[f.id])))), el('td', { 'aria-hidden': 'true' }));
  }

  // ---- Scrolling. Up to 8 million pixels the bar is the position. Beyond that it is a share of all rows; short movements
  // are taken as pixels, so that the wheel and the keys move by rows, and the bar is put right when the movement ends.

  get view() { return this.element.clientHeight; }
  get headHeight() { return this.head.offsetHeight; }
  get full() { return this.headHeight + this.source.count() * this.rowHeight; }
  get share() { return (this.full - this.view) / Math.max(1, Math.min(this.full, tallest) - this.view); }

  scrolled_() {
    const bar = this.element.scrollTop, moved = bar - this.bar;
    if (moved !== 0) {
      const short = this.share > 1 && Math.abs(moved) < 2 * this.view && bar > 0 && bar < tallest - this.view;
      this.top = Math.max(0, Math.min(this.full - this.view, short ? this.top + moved : bar * this.share));
      this.bar = bar;
      this.draw();
    }
    clearTimeout(this.settling);
    this.settling = setTimeout(() => {
      if (this.share > 1) this.setBar();
      this.scrolled?.(Math.round(this.top / this.rowHeight));
    }, 200);
  }

  setBar() {
    this.element.scrollTop = this.share > 1 ? this.top / this.share : this.top;
    this.bar = this.element.scrollTop;
    if (this.share <= 1) this.top = this.bar;
    this.draw();
  }

  // show scrolls until a row is in sight: a row that is far away comes into the upper third of the window.
  show(i, atTop) {
    const y = i * this.rowHeight, inSight = this.view - this.headHeight - this.rowHeight, before = this.top;
    this.sizer.style.height = Math.min(this.full, tallest) + 'px';
    if (y >= before && y <= before + inSight && !atTop) return this.draw();
    this.top = y < before || atTop ? y : y - inSight;
    if (!atTop && Math.abs(this.top - before) > this.view) this.top = Math.max(0, y - inSight / 3);
    this.setBar();
  }

  draw() {
    if (this.nothing) this.nothing.hidden = !this.source.exact() || this.source.count() > 0;
    if (!this.head.firstChild) return this.rows.want(0, 1);
    if (this.view === 0) return;
    const total = this.source.count(), first = Math.max(0, Math.floor(this.top / this.rowHeight) - spareRows);
    const last = Math.min(total, Math.ceil((this.top + this.view) / this.rowHeight) + spareRows);
    this.sizer.style.height = Math.min(this.full, tallest) + 'px';
    this.table.style.top = this.bar - this.top + first * this.rowHeight + 'px';
    this.table.setAttribute('aria-rowcount', this.source.exact() ? total + 1 : -1);
    for (const [i, tr] of this.drawn) {
      if (i >= first && i < last) continue;
      tr.remove();
      this.drawn.delete(i);
    }
    let next = this.body.firstElementChild;
    for (let i = first; i < last; i++) {
      if (this.drawn.has(i)) {
        next = this.drawn.get(i).nextElementSibling;
        continue;
      }
      const tr = this.drawRow(i);
      this.drawn.set(i, tr);
      this.body.insertBefore(tr, next);
    }
    clearTimeout(this.wanting);
    const want = () => this.rows.want(first, last);
    this.rows.loading.size ? this.wanting = setTimeout(want, 60) : want();
  }

  // ---- The current row

  select(i) {
    const before = this.drawn.get(this.current);
    before?.setAttribute('aria-selected', 'false');
    this.current = i;
    if (i < 0) return this.table.removeAttribute('aria-activedescendant');
    this.show(i);
    this.drawn.get(i)?.setAttribute('aria-selected', 'true');
    this.table.setAttribute('aria-activedescendant', 'row-' + i);
  }

  // move selects another row, and opens it if the pane has a record.
  move(by) {
    const i = Math.max(0, Math.min(this.source.count() - 1, this.current < 0 ? Math.ceil(this.top / this.rowHeight) + Math.max(0, by - 1) : this.current + by));
    if (this.source.count() === 0) return;
    this.select(i);
    if (openRecord()) this.open(i, true);
  }

  key(e) {
    const page = Math.max(1, Math.floor((this.view - this.headHeight) / this.rowHeight) - 1);
    const by = { PageDown: page, PageUp: -page, Home: -Infinity, End: Infinity }[e.key];
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    if (by !== undefined) this.move(by);
    else if (e.key === 'Enter' && this.current >= 0) this.open(this.current);
    else return;
    e.preventDefault();
  }

  click(e) {
    const tr = e.target.closest('tbody tr');
    if (!tr || getSelection().type === 'Range') return;
    this.select(Number(tr.dataset.index));
    this.open(this.current);
  }
}
