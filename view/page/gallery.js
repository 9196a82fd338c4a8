// The view of images: thumbnails with a label, sorted and filtered.
import { el, plural, cut, say, trouble } from './dom.js';
import { set, stored, argument, integer, openRecord, go, change, source } from './data.js';
import { blockSize, fileSource, listSource, loadRows, cellParts, faultText, rowLabel } from './table.js';
import { fileOptions } from './records.js';
import { Expression, readMatches } from './find.js';

const mostSorted = 2000; // records that are loaded so that they can be sorted

// labelRank orders features by how likely they are to name what an image shows, from 0; 5 and more are not labels.
function labelRank({ classes, name }) {
  return (classes ? 0 : 3) + (/(^|[/_.])(label|class)$/.test(name) ? 0 : /label|class|caption|text|name/.test(name) && !/bbox/.test(name) ? 1 : 2);
}

export class Gallery {
  constructor(main) {
    this.images = set.features.filter(f => f.image);
    this.bar = el('div.bar');
    this.grid = el('ul.gallery');
    this.note = el('p.none');
    this.end = el('div.end', null, this.note);
    this.element = el('div.scroller.padded', { tabindex: '0', role: 'region', 'aria-label': 'Thumbnails' }, this.grid, this.end);
    main.replaceChildren(this.bar, this.element);
    this.observer = new IntersectionObserver(seen => { this.near = seen.at(-1).isIntersecting; this.more(); }, { root: this.element, rootMargin: '600px' });
    this.update();
  }

  close() {
    this.stop?.abort();
    this.observer.disconnect();
  }

  update() {
    const key = ['feature', 'label', 'sort', 'where', 'down', 'only'].map(argument).join('\n');
    if (this.key !== key) {
      this.key = key;
      this.build();
    }
    this.mark();
  }

  build() {
    this.stop?.abort();
    this.stop = new AbortController();
    this.observer.unobserve(this.end);
    this.feature = this.images.find(f => f.id === argument('feature')) ?? this.images[0];
    const others = set.features.filter(f => !f.image);
    this.label = others.find(f => f.id === argument('label')) ?? others.toSorted((a, b) => labelRank(a) - labelRank(b)).find(f => labelRank(f) < 5);
    this.sort = set.features.find(f => f.id === argument('sort'));
    this.entries = []; // rows that have been loaded
    this.done = this.busy = false;
    this.grid.replaceChildren();
    this.drawBar(others);
    if (!this.feature) {
      this.note.textContent = 'No feature of the first records holds images.';
      return;
    }
    const where = argument('where');
    const only = integer('only', set.files.length), files = set.files.map((f, i) => i).filter(i => only === undefined ? set.files[i].set === 0 && !set.files[i].error : i === only);
    this.isMixed = stored ? set.matches?.some(([f]) => f !== set.matches[0][0]) : where ? set.files.length > 1 : files.length > 1;
    this.sources = stored ? [listSource(set.matches ?? [])] : where ? [] : (files.length ? files : [0]).map(fileSource); // the first is being read
    this.from = 0; // the next row of it
    this.start(where).catch(e => this.fail(e));
  }

  async start(where) {
    const { signal } = this.stop;
    if (where && !stored) {
      this.note.textContent = 'Searching …';
      const list = [];
      await readMatches(where, { limit: mostSorted }, signal, m => { if ('match' in m) list.push(m.match); if ('progress' in m) this.note.textContent = `Searching: ${plural(list.length, 'match')}`.replace('matchs', 'matches'); });
      this.sources = [listSource(list)];
    }
    if (this.sort) {
      while (!this.done && this.entries.length < mostSorted && !signal.aborted) await this.loadPage(signal);
      if (signal.aborted) return;
      this.sortEntries();
      this.append(this.entries);
      this.finish();
      return;
    }
    this.observer.observe(this.end);
  }

  async loadPage(signal) {
    const [source] = this.sources, { from } = this, isAtEnd = () => source.exact() && this.from >= source.count();
    const rows = isAtEnd() ? [] : await loadRows(source, from, Math.min(blockSize, source.count() - from), signal);
    if (signal.aborted) return [];
    this.entries.push(...rows);
    this.from += rows.length;
    if (isAtEnd() && this.sources.length > 1) {
      this.sources.shift();
      this.from = 0;
    } else {
      this.done = rows.length === 0 || isAtEnd(); // for now: the index of the file may grow
    }
    this.note.textContent = this.done ? '' : `${plural(this.entries.length, 'record')} loaded …`;
    return rows;
  }

  // refresh is called when the index of a file has grown.
  refresh() {
    const source = this.sources?.[0];
    if (!this.done || this.sort || !source || source.exact() && this.from >= source.count()) return;
    this.done = false;
    this.more();
  }

  // more appends the next rows while the end of the list is near.
  async more() {
    if (this.busy || this.done || this.sort || !this.near) return;
    const { signal } = this.stop;
    this.busy = true;
    try {
      const rows = await this.loadPage(signal);
      if (signal.aborted) return;
      this.append(rows);
      this.busy = false;
      if (this.done) return this.finish();
      requestAnimationFrame(() => { this.observer.unobserve(this.end); this.observer.observe(this.end); });
    } catch (e) {
      if (!signal.aborted) { this.busy = false; this.fail(e); }
    }
  }

  finish() {
    const n = this.grid.childElementCount, cutOff = this.sort && !this.done;
    this.note.textContent = n === 0 ? 'No images here.' : cutOff ? `Sorted: the first ${plural(this.entries.length, 'record')}.` : plural(n, 'image') + '.';
    say(this.note.textContent);
  }

  fail(e) {
    if (e.name !== 'AbortError') this.end.replaceChildren(trouble(e), this.note);
  }

  sortEntries() {
    const value = row => { const c = row.cells?.[this.sort.id]; return !c || c.n === 0 ? undefined : this.sort.kind === 'bytes' ? c.text : Number.parseFloat(c.text); };
    const sign = argument('down') ? -1 : 1;
    this.entries.sort((a, b) => {
      const x = value(a), y = value(b);
      if (x === undefined || y === undefined) return (x === undefined) - (y === undefined);
      return sign * (x < y ? -1 : x > y ? 1 : 0);
    });
  }

  append(rows) {
    for (const row of rows) {
      const cell = row.cells?.[this.feature.id], label = this.label && row.cells?.[this.label.id], sorted = this.sort && this.sort !== this.label && row.cells?.[this.sort.id];
      if (!row.error && !cell) continue;
      const at = rowLabel(row, this.isMixed), name = 'record ' + at;
      this.grid.append(el('li', { 'data-at': row.file + ':' + row.record }, el('a', { href: change({ file: row.file, record: row.record }), class: row.error ? 'damaged' : null },
        row.error ? el('span.broken', null, el('bdi', null, cut(faultText(row), 70)))
          : cell.href ? el('img', { src: source(cell.href), alt: label ? cut(label.name || label.text, 80) : name, loading: 'lazy', decoding: 'async', error: e => e.target.replaceWith(el('span.broken', null, 'The browser cannot draw it.')) })
            : el('span.broken', null, cut(cell.text, 60)),
        el('span.caption', null, label ? el('span.class', null, label.name ? el('bdi', null, cut(label.name, 60)) : cellParts(label)) : null,
          el('span.none', null, this.isMixed ? at : '#' + at, sorted ? [' · ', el('bdi', null, cut(sorted.text, 30))] : null)))));
    }
    this.mark();
  }

  mark() {
    const at = openRecord()?.join(':');
    for (const li of this.grid.children) {
      const isCurrent = li.dataset.at === at;
      if (isCurrent && !li.classList.contains('on')) li.scrollIntoView({ block: 'nearest' });
      li.classList.toggle('on', isCurrent);
    }
  }

  move(by) {
    const items = [...this.grid.children], at = items.findIndex(li => li.classList.contains('on')), next = items[Math.max(0, at + by)];
    if (!next) return;
    const [file, record] = next.dataset.at.split(':');
    go(change({ file, record }), true);
  }

  focus() {
    (this.grid.querySelector('.on a') ?? this.element).focus();
  }

  drawBar(others) {
    const select = (label, features, current, none, argumentName) => el('label', null, label, el('select', { change: e => go(change({ [argumentName]: e.target.value || undefined, record: undefined })) },
      none && el('option', { value: '' }, none), features.map(f => el('option', { value: f.id, selected: f === current }, cut(f.name, 60) || '""'))));
    const sortable = set.features.filter(f => !f.image && !f.audio);
    this.bar.replaceChildren(
      ...!stored && set.files.length > 1 && !argument('where') ? [el('label', null, 'File', el('select', { change: e => go(change({ only: e.target.value || undefined, record: undefined })) }, el('option', { value: '' }, 'all'), fileOptions(integer('only'))))] : [],
      ...this.images.length > 1 ? [select('Images', this.images, this.feature, null, 'feature')] : [],
      select('Label', others, this.label, others.includes(this.label) ? null : 'none', 'label'),
      select('Sort', sortable, this.sort, 'as in the file', 'sort'),
      ...this.sort ? [el('label.check', null, el('input', { type: 'checkbox', checked: Boolean(argument('down')), change: e => go(change({ down: e.target.checked ? 1 : undefined })) }), 'descending')] : [],
      ...stored ? [] : [new Expression(argument('where') ?? '', where => go(change({ where: where || undefined, record: undefined })), 'Filter', true).element]);
  }
}
