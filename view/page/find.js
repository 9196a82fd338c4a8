// The view that finds records by an expression, and the field for expressions.
import { el, button, count, plural, cut, say, trouble } from './dom.js';
import { set, argument, openRecord, go, change, address, load, request, listArgument } from './data.js';
import { Table, listSource, rowLabel, shownFeatures } from './table.js';
import { exportMenu } from './records.js';

const mostMatches = 10000; // of one search; the next one continues it

// Expression is a field for an expression that shows errors under it as you type, with a caret where they are.
export class Expression {
  constructor(text, search, label, mayBeEmpty) {
    this.input = el('input', { class: 'expression', value: text, spellcheck: 'false', autocapitalize: 'off', autocomplete: 'off', 'aria-label': label + ' expression', 'aria-describedby': 'fault',
      placeholder: mayBeEmpty ? 'all records, or: label == 3' : 'label == 3 && len(words) > 10', input: () => this.later(), scroll: () => this.align() });
    this.before = el('span.before');
    this.caret = el('span.caret', { 'aria-hidden': 'true' }, '^');
    this.at = el('div.under', { hidden: true }, this.before, this.caret);
    this.fault = el('p.fault', { id: 'fault', 'aria-live': 'polite' });
    this.element = el('form.find', { submit: e => { e.preventDefault(); if (this.input.value.trim() || mayBeEmpty) search(this.input.value.trim()); } },
      el('div.field', null, this.input, this.at, this.fault), el('button.primary', null, label));
    if (text) this.check();
  }

  later() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.check(), 150);
  }

  async check() {
    const text = this.input.value;
    this.checking?.abort();
    this.checking = new AbortController();
    let answer = { ok: true };
    try {
      if (text.trim()) answer = await load('api/check?where=' + encodeURIComponent(text), this.checking.signal);
    } catch (e) {
      if (e.name === 'AbortError') return;
      answer = { ok: false, error: e.message };
    }
    this.input.setAttribute('aria-invalid', String(!answer.ok));
    this.fault.textContent = answer.ok ? '' : answer.error;
    this.at.hidden = answer.ok || answer.at == null;
    this.before.textContent = text.slice(0, answer.at ?? 0);
    this.align();
  }

  align() {
    this.at.style.textIndent = -this.input.scrollLeft + 'px';
  }
}

// readMatches reads the stream of a search and calls take for each line.
export async function readMatches(where, { from, limit, set: index }, signal, take) {
  const response = await request(`api/find?where=${encodeURIComponent(where)}${from ? '&from=' + from : ''}${index ? '&set=' + index : ''}&limit=${limit}`, signal);
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  for (let rest = ''; ;) {
    const { value, done } = await reader.read();
    const lines = (rest + (value ?? '')).split('\n');
    rest = done ? '' : lines.pop();
    for (const line of lines.filter(Boolean)) {
      const message = JSON.parse(line);
      if (message.error) throw new Error(message.error);
      take(message);
    }
    if (done) return;
  }
}

// searchNotes are sentences about what a search did not read as it was asked.
function searchNotes({ unknown, damaged }) {
  const names = (unknown ?? []).map(n => `"${cut(n, 80)}"`).join(', ');
  return [names && `No record that was read has ${unknown.length > 1 ? 'features named' : 'a feature named'} ${names}.`, damaged ? `${plural(damaged, 'damaged record')} ${damaged > 1 ? 'were' : 'was'} skipped.` : ''].filter(Boolean).join(' ');
}

export class Find {
  constructor(main) {
    this.bar = el('div.bar');
    this.progress = el('progress', { max: '1', 'aria-label': 'Progress of the search' });
    this.tally = el('p.tally');
    this.stopButton = button('Stop', () => this.stop?.abort());
    this.line = el('div.bar.second', { hidden: true });
    this.place = el('div.place');
    main.replaceChildren(this.bar, this.line, this.place);
    this.update();
  }

  close() {
    this.stop?.abort();
    this.stop = undefined;
    this.table?.close();
  }

  update() {
    const where = argument('where') ?? '', key = where + '\n' + argument('set') + '\n' + listArgument('cols');
    if (this.key !== key) {
      this.key = key;
      this.build(where);
    }
    this.mark();
  }

  // mark selects the row of the record in the address.
  mark() {
    const current = openRecord();
    if (!current || !this.table) return;
    const i = this.table.source.index(...current);
    if (i !== this.table.current) this.table.select(i);
  }

  build(where) {
    this.close();
    this.expression = new Expression(where, text => text === argument('where') ? this.search(text) : go(address('find', { where: text, set: argument('set'), cols: listArgument('cols') })), 'Find');
    this.bar.replaceChildren(this.expression.element);
    this.line.hidden = !where;
    this.place.replaceChildren(where ? '' : el('div.empty', null, el('p', null, 'Find records by an expression over their features, such as'),
      el('ul', null, examples().map(text => el('li', null, el('a', { href: address('find', { where: text }) }, el('code', null, text)))))));
    if (where) this.search(where);
    else this.table = undefined;
  }

  async search(where) {
    this.close();
    this.matches = [];
    const listed = listSource(this.matches);
    this.table = new Table({ source: listed, features: shownFeatures(listArgument('cols')), fill: !listArgument('cols'), label: 'Matching records',
      rowName: row => rowLabel(row, set.files.length > 1),
      open: (i, replace) => { const [file, record] = this.matches[i]; go(change({ file, record }), replace); },
      reorder: to => go(change({ cols: to })) });
    this.place.replaceChildren(this.table.element);
    await this.run(where);
  }

  async run(where, from) {
    const stop = this.stop = new AbortController(), { matches, table } = this;
    let state = { read: 0, share: 0 }, drawing;
    const draw = () => { drawing = undefined; this.drawTally(state, where); table.refresh(); this.mark(); };
    this.notes = el('p.fault');
    this.line.replaceChildren(this.progress, this.tally, this.stopButton, ...exportMenu(where, argument('set')), this.notes);
    this.drawTally(state, where);
    try {
      await readMatches(where, { from, limit: mostMatches, set: argument('set') }, stop.signal, m => {
        if (m.match) matches.push(m.match);
        if (m.progress || m.done) state = { ...state, ...m.progress, ...m.done, done: m.done };
        drawing ??= setTimeout(draw, 100);
      });
    } catch (e) {
      if (e.name === 'AbortError') state = { ...state, stopped: true };
      else if (this.stop === stop) this.place.replaceChildren(trouble(e));
    }
    clearTimeout(drawing);
    if (this.stop !== stop) return;
    this.stopButton.remove();
    if (state.done?.next) this.line.insertBefore(button('Search on', () => this.run(where, state.done.next)), this.tally.nextSibling);
    state.ended = true;
    draw();
  }

  drawTally(state, where) {
    const n = this.matches.length, found = n === 1 ? '1 match' : count(n) + ' matches';
    const text = found + (state.read ? ` in ${plural(state.read, 'record')}` : '') + (state.done?.misfits ? `, ${count(state.done.misfits)} do not fit the expression` : '') + (state.stopped ? ', stopped' : state.done?.next ? ', there may be more' : state.ended ? '' : ' …');
    this.progress.hidden = Boolean(state.ended);
    this.progress.value = state.share ?? 0;
    this.tally.textContent = text;
    this.notes.textContent = searchNotes(state.done ?? {});
    say([text, this.notes.textContent].filter(Boolean).join('. '));
  }

  move(by) {
    this.table?.move(by);
  }

  focus() {
    (this.table && this.matches.length ? this.table.table : this.expression.input).focus({ preventScroll: true });
  }
}

// examples are expressions with features of this set.
function examples() {
  const plain = set.features.filter(f => f.kind !== 'unset' && /^[A-Za-z_][A-Za-z0-9_/]*$/.test(f.name) && f.name.length < 40);
  const number = plain.find(f => f.classes) ?? plain.find(f => f.kind === 'int64') ?? plain.find(f => f.kind === 'float'), text = plain.find(f => f.content === 'text');
  return [number && `${number.name} > 0`, text && `${text.name} =~ "a"`, number && `!has(${number.name})`].filter(Boolean);
}
