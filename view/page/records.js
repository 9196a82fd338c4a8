// The view of the records of a file, as a table.
import { el, button, menu, words, baseName, count, plural, cut, say, trouble } from './dom.js';
import { set, stored, isScanning, route, listArgument, integer, address, go, change, remember, available, copy, request } from './data.js';
import { Table, fileSource, listSource, rowLabel, shownFeatures, typeOf } from './table.js';

// Records is the view. A static page has its records in place of those of a file.
export class Records {
  constructor(main) {
    this.bar = el('div.bar.single');
    this.place = el('div.place');
    main.replaceChildren(this.bar, this.place);
    this.update();
  }

  update() {
    const file = integer('file', set.files.length) ?? 0, ids = listArgument('cols')?.join('\n');
    if (!this.table || this.file !== file || this.ids !== ids) this.build(file, ids);
    const record = integer('record');
    if (record !== undefined) {
      const i = this.table.source.index(file, record);
      this.table.select(i);
    } else if (this.fresh && integer('at') !== undefined) this.table.show(integer('at'), true);
    this.fresh = false;
  }

  build(file, ids) {
    const before = this.table;
    before?.close();
    const at = before && this.file === file ? Math.round(before.top / before.rowHeight) : undefined;
    Object.assign(this, { file, ids, fresh: at === undefined });
    const isMixed = stored && set.matches?.some(([f]) => f !== set.matches[0][0]); // the rows of a static page are of several files
    const features = shownFeatures(listArgument('cols'));
    this.table = new Table({
      source: stored ? listSource(set.matches ?? []) : fileSource(file), features, fill: !ids, fitted: () => this.nameColumns(),
      empty: stored ? 'This page holds no records.' : 'The file has no records.',
      label: 'Records of ' + cut(set.files[file]?.name ?? 'no file', 200),
      rowName: row => rowLabel(row, isMixed),
      open: (i, replace) => this.open(i, replace),
      reorder: to => go(change({ cols: to })),
      scrolled: i => { if (route.view === 'records') remember({ at: i || undefined }); },
    });
    this.place.replaceChildren(this.table.element);
    if (at === undefined) this.drawBar();
    if (at) this.table.show(at, true);
  }

  open(i, replace) {
    const [file, record] = this.table.source.position(i);
    go(change({ file, record }), replace);
  }

  // refresh is called when the index of a file has grown.
  refresh() {
    this.table.refresh();
    this.drawTally();
  }

  move(by) {
    this.table.move(by);
  }

  focus() {
    this.table.table.focus({ preventScroll: true });
  }

  drawBar() {
    const file = set.files[this.file];
    this.tally = el('p.tally');
    this.columnsMenu = menu('Columns', () => this.columnPanel());
    this.bar.replaceChildren(
      ...!stored && set.files.length > 1 ? [el('select', { 'aria-label': 'File', change: e => go(address('records', { file: e.target.value, cols: listArgument('cols') })) }, fileOptions(this.file))] : [el('bdi.file', { title: cut(file?.name ?? '', 1000) }, baseName(file?.name ?? 'no file'))],
      this.columnsMenu,
      ...specMenu(), ...exportMenu(), this.tally);
    this.drawTally();
  }

  // nameColumns says on the button of the menu how many columns there are.
  nameColumns() {
    const shown = this.table.features.length, all = set.features.length;
    this.columnsMenu.firstChild.textContent = 'Columns' + (shown < all ? `: ${count(shown)} of ${count(all)}` : '');
  }

  drawTally() {
    const file = set.files[this.file];
    if (!file) return;
    const parts = [stored ? plural(set.matches.length, 'record') : file.records != null ? plural(file.records, 'record') : file.known ? `${count(file.known)}+ records` : ''];
    if (isScanning(file)) parts.push('indexing …');
    if (file.damaged) parts.push(el('span.bad', null, count(file.damaged) + ' damaged'));
    if (file.error) parts.push(el('span.bad', null, el('bdi', null, cut(file.error, 200))));
    this.tally.replaceChildren(...parts.filter(Boolean).flatMap((p, i) => i ? [' · ', p] : [p]));
  }

  // columnPanel chooses the columns and their order.
  columnPanel() {
    const list = el('ul.choose'), search = el('input', { type: 'search', placeholder: plural(set.features.length, 'feature'), 'aria-label': 'Search features', input: () => draw() });
    let chosen = this.table.features.map(f => f.id);
    const apply = ids => { chosen = ids; go(change({ cols: ids })); draw(); };
    const swap = (i, by) => {
      const ids = [...chosen];
      [ids[i], ids[i + by]] = [ids[i + by], ids[i]];
      apply(ids);
      list.querySelectorAll('li')[i + by]?.querySelectorAll('button')[by < 0 ? 0 : 1]?.focus();
    };
    const draw = () => {
      const at = new Map(chosen.map((id, i) => [id, i])), rank = f => at.get(f.id) ?? Infinity, text = search.value.toLowerCase();
      const found = set.features.toSorted((a, b) => (rank(a) - rank(b)) || 0).filter(f => f.name.toLowerCase().includes(text));
      list.replaceChildren(...found.slice(0, 300).map(f => {
        const i = at.get(f.id), isChosen = i !== undefined;
        const box = el('input', { type: 'checkbox', checked: isChosen, change: () => {
          if (isChosen && chosen.length === 1) { box.checked = true; return say('One column stays.'); }
          apply(isChosen ? chosen.filter(id => id !== f.id) : [...chosen, f.id]);
        } });
        return el('li', null, el('label', null, box, el('span', null, words(f.name, 80), el('span.type', null, cut(typeOf(f), 40)))),
          isChosen && !text ? [button('↑', () => swap(i, -1), { class: 'icon', disabled: i === 0, 'aria-label': 'Move left: ' + cut(f.name, 80) }),
            button('↓', () => swap(i, 1), { class: 'icon', disabled: i === chosen.length - 1, 'aria-label': 'Move right: ' + cut(f.name, 80) })] : null);
      }), ...found.length > 300 ? [el('li.none', null, `${count(found.length - 300)} more: search for them`)] : []);
    };
    draw();
    return [search, list];
  }
}

// fileOptions are the files of the set, by the part of their names that differs.
export function fileOptions(current) {
  const isUnique = new Set(set.files.map(f => baseName(f.name))).size === set.files.length, name = f => isUnique ? baseName(f.name) : cut(f.name, 120);
  const option = (f, i) => el('option', { value: i, selected: i === current }, name(f) + (f.records != null ? ` (${count(f.records)})` : ''));
  const groups = set.sets.map((name, s) => [name, set.files.map((f, i) => [f, i]).filter(([f]) => f.set === s)]);
  return groups.length < 2 ? set.files.map(option) : groups.map(([name, files]) => el('optgroup', { label: cut(name, 80) }, files.map(([f, i]) => option(f, i))));
}

// specMenu copies the spec as JSON, Python or Go.
export function specMenu() {
  if (set.spec == null || !available('api/spec?as=json')) return [];
  return [menu('Copy spec', close => [['json', 'JSON'], ['python', 'Python'], ['go', 'Go']].map(([kind, name]) => button(name, async () => {
    try {
      if (await copy('api/spec?as=' + kind)) say('Spec copied as ' + name);
      close();
    } catch (e) { say(e.message); }
  })))];
}

// exportMenu has links that download the records of an expression, or all.
export function exportMenu(where, index) {
  if (stored || !set.exports?.length) return [];
  const names = { tfrecord: 'TFRecord', jsonl: 'JSON lines', csv: 'CSV', parquet: 'Parquet' };
  const save = async href => {
    const bar = exporter.parentElement, stop = new AbortController(), note = text => {
      if (bar.nextElementSibling?.matches('.trouble')) bar.nextElementSibling.remove();
      if (text) bar.after(trouble(text, () => note(), 'Close'));
    };
    note();
    say('Exporting …');
    try {
      await request(href, stop.signal); // a download alone would not say why it fails
      stop.abort();
      el('a', { href, download: '' }).click();
      say('The download has begun.');
    } catch (e) {
      note('Export: ' + e.message);
      say('Nothing was exported.');
    }
  };
  const exporter = menu('Export', close => set.exports.map(kind => el('a', { href: `api/export?as=${encodeURIComponent(kind)}` + (where ? '&where=' + encodeURIComponent(where) : '') + (index ? '&set=' + index : ''), download: '',
    click: e => { e.preventDefault(); close(); save(e.target.getAttribute('href')); } }, names[kind] ?? kind)));
  return [exporter];
}
