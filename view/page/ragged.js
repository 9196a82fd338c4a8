// A column of the spec as nested rows: each row partition is a level, each value a word that knows its path.
import { el, words, count, plural, cut } from './dom.js';
import { source } from './data.js';
import { charts } from './charts.js';

const mostWords = 1500; // values drawn at first

// drawColumn draws a COLUMN of a record. The place of the value under the pointer is written into the element at.
export function drawColumn(column, at) {
  const parts = column.default ? [el('p.none', null, 'The feature is absent: this is the default.')] : [];
  const nested = new Drawing(column, at);
  if (column.picture) {
    parts.push(el('div.image', null, el('img.pixels.enlarged', { src: source(column.picture), alt: 'Picture of ' + cut(column.name, 100), decoding: 'async' })));
    if (column.shown) parts.push(el('details', { toggle: e => { if (e.target.open && e.target.childElementCount === 1) e.target.append(nested.element()); } }, el('summary', null, 'Numbers')));
    return el('div.column', null, parts);
  }
  const longest = column.row_splits.length ? 0 : column.inner_shape.at(-1) ?? column.n;
  if (column.dtype !== 'string' && column.shown === longest && longest > 24) parts.push(charts(column.values));
  if (column.indices) parts.push(nested.sparse());
  else if (column.n === 1 && nested.levels.length === 0) parts.push(el('p.single', null, nested.valueText(0)));
  else parts.push(nested.element());
  if (column.cut) parts.push(el('p.none', null, `Only a part of ${plural(column.n, 'value')} is shown.`));
  return el('div.column', null, parts);
}

// A Drawing has the levels of a column: those of the partitions, then those of the uniform inner dimensions.
class Drawing {
  constructor(column, at) {
    this.column = column;
    this.at = at;
    this.levels = column.row_splits.map((splits, i) => ({ partition: column.partitions[i], from: r => splits[r], to: r => splits[r + 1], rows: splits.length - 1 }));
    let rows = column.inner_shape.reduce((n, d) => n / Math.max(1, d), column.n);
    for (const d of column.inner_shape) {
      const n = rows;
      this.levels.push({ uniform: d, from: r => r * d, to: r => (r + 1) * d, rows: n });
      rows *= d;
    }
    this.drawnWords = this.drawnRows = 0;
    this.limit = mostWords; // of both
  }

  // sparse lists the values of a sparse column with their indices.
  sparse() {
    const { indices, size } = this.column;
    return el('div', null, el('div.pairs', null, indices.slice(0, mostWords).map((index, i) => el('span', null, el('span.label', null, pathText(index)), ' ', this.valueText(i)))),
      size && el('p.none', null, `dense shape [${size.join(', ')}]`));
  }

  // element makes the drawing, with the partitions below it.
  element() {
    this.tree = el('div.tree', { role: 'group', tabindex: '0', 'aria-label': `Values of ${cut(this.column.name, 100)} in nested rows`, keydown: e => this.key(e),
      pointerover: e => this.point(e.target), focus: () => this.mark(this.word ?? this.tree.querySelector('.word')) });
    this.drawTree();
    const { partitions, row_splits: splits } = this.column;
    this.partitionLines = partitions.map((p, i) => i < splits.length ? this.partitionLine(this.levels[i], i) : this.partitionName(p));
    return el('div.ragged', null, this.tree, this.partitionLines.length ? el('div.partitions', null, this.partitionLines) : null);
  }

  // isFull says whether no more rows are drawn: there can be millions, of which the values are not here.
  get isFull() {
    const { shown, n } = this.column;
    return Math.max(this.drawnWords, this.drawnRows) >= this.limit || shown < n && this.drawnWords >= shown;
  }

  drawTree() {
    this.drawnWords = this.drawnRows = 0;
    const { levels, column } = this;
    const roots = levels.length && (levels[0].partition || levels[0].rows > 1) ? levels[0].rows : 1;
    if (levels.length === 0) this.tree.replaceChildren(this.leaf('', [], 0, column.n));
    else if (roots === 1 && !levels[0].partition) this.tree.replaceChildren(...this.children(0, 0, []));
    else this.tree.replaceChildren(...this.nodes(0, 0, roots, []));
    if (column.n === 0 && roots === 0) this.tree.replaceChildren(el('span.none', null, 'empty'));
    const left = Math.min(column.shown, column.n) - this.drawnWords;
    if (left > 0) this.tree.append(el('button.quiet', { type: 'button', click: () => { this.limit *= 10; this.drawTree(); } }, `Show ${count(Math.min(left, this.limit * 9))} more values`));
    else if (column.shown < column.n) this.tree.append(el('p.none', null, `${count(column.n - column.shown)} more of ${plural(column.n, 'value')} not shown`));
  }

  // nodes draws the rows first to last-1 of a level.
  nodes(level, first, last, path) {
    const drawn = [];
    for (let r = first; r < last && !this.isFull; r++, this.drawnRows++) drawn.push(this.node(level, r, [...path, r - first]));
    return drawn;
  }

  node(level, row, path) {
    const { from, to } = this.levels[level], n = to(row) - from(row);
    if (level === this.levels.length - 1) return this.leaf(pathText(path), path, from(row), to(row), level, row);
    const inner = this.levels[level + 1];
    // Short uniform rows stay on one line, in parentheses.
    const body = inner.uniform && inner.uniform <= 16 && level + 1 === this.levels.length - 1
      ? [el('span.items', null, this.tuples(from(row), to(row), path, inner))] : this.children(level, row, path);
    return el('div.row', { 'data-level': level, 'data-row': row, 'data-path': pathText(path) }, this.rowLabel(path, n), n ? el(body[0]?.matches?.('.items') ? 'div.inline' : 'div.nest', null, body) : el('span.none', null, 'empty'));
  }

  children(level, row, path) {
    const { from, to } = this.levels[level];
    if (level === this.levels.length - 1) return [this.leaf(pathText(path), path, from(row), to(row), level, row)];
    return this.nodes(level + 1, from(row), to(row), path);
  }

  tuples(first, last, path, level) {
    const drawn = [];
    for (let r = first; r < last && !this.isFull; r++, this.drawnRows++) {
      drawn.push(el('span.tuple', null, '(', this.wordsOf(level.from(r), level.to(r), [...path, r - first]), ')'));
    }
    return drawn;
  }

  leaf(label, path, from, to, level, row) {
    const items = el('span.items', null, from < to ? this.wordsOf(from, to, path) : el('span.none', null, 'empty'));
    return el('div.row.leaf', { 'data-level': level, 'data-row': row, 'data-path': label }, label ? this.rowLabel(path, to - from) : null, items);
  }

  rowLabel(path, n) {
    return el('span.label', null, pathText(path), el('span.length', { title: plural(n, 'element') }, '×' + n));
  }

  wordsOf(from, to, path) {
    const drawn = [];
    for (let i = from; i < to && i < this.column.shown && this.drawnWords < this.limit; i++, this.drawnWords++) {
      drawn.push(el('span.word', { 'data-flat': i, 'data-path': pathText([...path, i - from]) }, this.valueText(i)), ' ');
    }
    if (drawn.length === 0 && from < to) drawn.push(el('span.none', null, '…'));
    return drawn;
  }

  valueText(i) {
    const v = this.column.values[i];
    if (v === undefined) return '…';
    const name = this.column.names?.[i];
    if (name) return [el('bdi.class', null, cut(name, 200)), ' ', el('span.none', null, v)];
    if (typeof v === 'object') return v.text != null ? cut(v.text, 200) || '""' : `${v.content ?? 'bytes'}, ${count(v.bytes)} B`;
    return v === '' ? '""' : cut(v, 200);
  }

  // partitionLine shows a row partition as it is stored, so that a row can be found in it.
  partitionLine(level, index) {
    const splits = this.column.row_splits[index], kind = level.partition.kind.toLowerCase();
    const lengths = splits.slice(1).map((v, i) => v - splits[i]);
    const stored = { row_splits: splits, row_lengths: lengths, row_starts: splits.slice(0, -1), row_limits: splits.slice(1), value_row_ids: lengths.slice(0, 200).flatMap((n, i) => new Array(Math.min(n, 200)).fill(i)) }[kind];
    const shown = (stored ?? []).slice(0, 200);
    const cells = el('span.stored', null, shown.flatMap(v => [el('span', null, String(v)), ' ']), shown.length < (stored ?? []).length ? '…' : null);
    level.highlight = row => {
      const chosen = i => row !== undefined && (kind === 'row_splits' ? i === row || i === row + 1 : kind === 'value_row_ids' ? shown[i] === row : i === row);
      [...cells.children].forEach((c, i) => c.classList.toggle('on', chosen(i)));
    };
    const line = this.partitionName(level.partition);
    if (stored) line.append(' ', cells);
    return line;
  }

  partitionName({ kind, key, length, n }) {
    return el('p', null, el('span.kind', null, kind), ' ', key ? el('code', null, words(key, 80)) : length != null ? String(length) : count(n));
  }

  point(target) {
    const word = target.closest?.('.word');
    if (word) return this.mark(word);
    const row = target.closest?.('.row');
    if (row) this.markRow(row, `${row.dataset.path || 'values'}`);
  }

  // mark highlights a value with its rows, and says where it is.
  mark(word) {
    if (!word || word === this.word) return;
    this.word?.classList.remove('on');
    this.word = word;
    word.classList.add('on');
    const i = Number(word.dataset.flat), { column } = this, parts = [word.dataset.path, 'flat ' + count(i)];
    if (column.key) parts.push(cut(column.key, 60) + ' ' + count(i));
    if (column.at?.[i] === -1) parts.push('default');
    else if (column.at?.[i] !== undefined) parts.push(`byte ${count(column.at[i])} (0x${column.at[i].toString(16)})`);
    this.markRow(word.closest('.row'), parts.join(' · '));
  }

  markRow(row, text) {
    for (const e of this.tree.querySelectorAll('.row.on')) e.classList.remove('on');
    for (const l of this.levels) l.highlight?.();
    const names = [];
    for (let e = row; e && this.tree.contains(e); e = e.parentElement.closest('.row')) {
      e.classList.add('on');
      if (e.dataset.level === undefined) continue;
      const level = this.levels[e.dataset.level];
      level.highlight?.(Number(e.dataset.row));
      if (e === row && e.dataset.path) names.push(`row ${e.dataset.path} has ${count(level.to(Number(e.dataset.row)) - level.from(Number(e.dataset.row)))}`);
    }
    this.at?.replaceChildren(el('bdi', null, [text, ...names].join(' · ')));
  }

  key(e) {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[e.key];
    if (!by) return;
    e.preventDefault();
    const list = [...this.tree.querySelectorAll('.word')], next = list[list.indexOf(this.word) + by];
    this.mark(next);
    next?.scrollIntoView({ block: 'nearest' });
  }
}

const pathText = path => path.map(i => `[${i}]`).join('');

