// The values of a feature: numbers with their charts, text, images with boxes, sound, and bytes as hex.
import { el, count, plural, size, cut, fold } from './dom.js';
import { source } from './data.js';
import { charts } from './charts.js';
import { drawColumn } from './ragged.js';

const longList = 24; // numbers above which a chart comes first
const manyDrawn = 2000; // numbers drawn as text

// valuesOf draws the values of a FEATURE. boxes are those of its first image.
export function valuesOf(feature, boxes) {
  if (feature.error) return el('p.bad.values', null, el('bdi', null, cut(feature.error, 500)));
  if (feature.n === 0 || feature.kind === 'unset') return el('div.values', null, el('span.none', null, feature.kind === 'unset' ? 'no kind, no values' : 'empty'));
  const body = feature.kind === 'bytes' ? bytesList(feature, boxes) : numbersList(feature);
  const missing = feature.n - feature.shown;
  return el('div.values', null, body, missing > 0 && el('p.none', null, `${count(missing)} more of ${plural(feature.n, 'value')} not shown`));
}

function numbersList(feature) {
  const { values, names } = feature;
  if (feature.n === 1) return el('p.single', null, numberText(values[0], names?.[0]));
  const list = el('p.numbers', null, values.slice(0, manyDrawn).flatMap((v, i) => [i ? ' ' : '', el('span', null, numberText(v, names?.[i]))]));
  if (values.length > manyDrawn) list.append(` … ${count(values.length - manyDrawn)} more`);
  if (values.length <= longList || names) return values.length > 60 ? fold(list, 'values') : list;
  return el('div', null, charts(values), fold(list, plural(values.length, 'value')));
}

function numberText(value, name) {
  return name ? [el('bdi.class', null, cut(name, 200)), ' ', el('span.none', null, value)] : value;
}

function bytesList(feature, boxes) {
  const items = feature.values.map((v, i) => bytesValue(v, feature.names?.[i], i === 0 ? boxes : undefined, feature.n > 1 ? `${feature.name}[${i}]` : feature.name));
  if (items.length === 1) return items[0];
  const isShort = feature.values.every(v => v.text != null && v.text.length <= 60);
  const list = el(isShort ? 'ol.words' : 'ol.list', { start: '0' }, items.map(item => el('li', null, item)));
  return isShort ? items.length > 60 ? fold(list, plural(items.length, 'value')) : list : items.length > 6 ? fold(list, plural(items.length, 'value')) : list;
}

// bytesValue draws one byte string by what it contains.
export function bytesValue(v, name, boxes, label = 'value') {
  if (name) return el('p.single', null, el('bdi.class', null, cut(name, 200)), ' ', el('span.none', null, cut(v.text ?? '', 60)));
  if (v.image && v.href) return imageValue(v, boxes, label);
  if (v.audio && v.href) return el('div', null, el('audio', { controls: true, preload: 'none', src: source(v.href), 'aria-label': cut(label, 100) }), el('p.none', null, [v.content, v.seconds && v.seconds.toFixed(1) + ' s', size(v.bytes)].filter(Boolean).join(', ')));
  if (v.picture || v.tensor) return arrayValue(v, label);
  if (v.text != null) return textValue(v);
  return el('div', null, el('p.none', null, v.content ? v.content + ', ' : '', size(v.bytes), saved(v)), v.bytes ? hexDump(v.hex ?? '') : null);
}

// arrayValue draws an array in a byte string: raw pixels or a TensorProto.
function arrayValue(v, label) {
  const { dtype = 'uint8', shape = [], shown = 0, values = [] } = v.tensor ?? {};
  const column = { name: label, dtype, partitions: [], row_splits: [], inner_shape: shape, values, shown, n: shape.reduce((n, d) => n * d, 1), picture: v.picture };
  return el('div', null, drawColumn(column), el('p.none', null, [v.content, v.tensor && `${dtype} [${shape.join(', ')}]`, size(v.bytes)].filter(Boolean).join(', '), saved(v)));
}

const saved = v => v.href && source(v.href) ? [' · ', el('a', { href: source(v.href), download: '' }, 'Save')] : [];

function textValue(v) {
  if (v.text === '') return el('span.none', null, '""');
  const lines = v.text.split('\n').length, text = el(v.text.length > 60 || lines > 1 ? 'p.text.long' : 'p.text', null, el('bdi', null, v.text));
  const note = v.cut ? el('p.none', null, `first ${plural(v.text.length, 'character')} of ${size(v.bytes)}`, saved(v)) : v.content && v.content !== 'text' ? el('p.none', null, `${v.content}, ${size(v.bytes)}`) : null;
  const whole = v.text.length > 500 || lines > 8 ? fold(text, plural(v.text.length, 'character')) : text;
  return note ? el('div', null, whole, note) : whole;
}

// imageValue draws an image in its own size at most four times enlarged, with boxes in fractions of its sides.
function imageValue(v, boxes = [], label) {
  const names = [...new Set(boxes.map(b => b.label ?? ''))], colour = b => 'c' + names.indexOf(b.label ?? '') % 6;
  const scale = v.width ? Math.max(1, Math.min(4, Math.floor(256 / Math.max(v.width, v.height)))) : 1;
  const about = [v.content ?? 'image', size(v.bytes)].join(', ');
  const image = el('img', { src: source(v.href), alt: cut(label, 100) + ': ' + about, decoding: 'async', width: v.width ? v.width * scale : null, height: v.height ? v.height * scale : null });
  if (scale > 1) image.classList.add('pixels');
  const frame = el('div.image', null, image);
  image.addEventListener('error', () => { frame.replaceWith(el('p.bad', null, 'The browser cannot draw this image.')); note.append(...saved(v)); });
  const note = el('p.none', null, about);
  if (boxes.length === 0) return el('figure.picture', null, frame, note);
  const percent = n => n * 100 + '%';
  const layer = el('div.boxes', { 'aria-hidden': 'true' }, boxes.map(b => el('div.box.' + colour(b), {
    style: { left: percent(b.x0), top: percent(b.y0), width: percent(b.x1 - b.x0), height: percent(b.y1 - b.y0) },
  }, b.label && el('span', null, cut(b.label, 40)))));
  frame.append(layer);
  const toggle = el('input', { type: 'checkbox', checked: true, change: () => { layer.hidden = !toggle.checked; } });
  const tally = names.map(n => { const k = boxes.filter(b => (b.label ?? '') === n).length; return (n ? cut(n, 60) : 'unnamed') + (k > 1 ? ' ×' + k : ''); });
  return el('figure.picture', null, frame, note, el('label.check', null, toggle, `${plural(boxes.length, 'box').replace('boxs', 'boxes')}: ${tally.join(', ')}`));
}

// hexDump draws 8 bytes a line: the offset, the bytes, and what is printable.
export function hexDump(hex) {
  const digits = hex.replace(/[^0-9a-f]/gi, ''), lines = [];
  for (let i = 0; i < digits.length; i += 16) {
    const pairs = digits.slice(i, i + 16).match(/../g) ?? [];
    const text = pairs.map(p => parseInt(p, 16)).map(b => b >= 32 && b < 127 ? String.fromCharCode(b) : '·').join('');
    lines.push((i / 2).toString(16).padStart(4, '0') + '  ' + pairs.join(' ').padEnd(25) + text);
  }
  const dump = el('pre.code', { tabindex: '0', 'aria-label': 'Bytes in hexadecimal' }, lines.join('\n'));
  return lines.length > 8 ? fold(dump, plural(digits.length / 2, 'byte')) : dump;
}

// summary is a FEATURE in a cell of the tables of steps and candidates: all that fits into one line.
export function summary(feature) {
  if (!feature) return [el('span.none', { 'aria-label': 'missing' }, '–')];
  if (feature.n === 0) return [el('span.none', null, 'empty')];
  const parts = [];
  for (const [i, v] of feature.values.slice(0, 4).entries()) {
    if (i) parts.push(' ');
    const name = feature.names?.[i];
    if (name) parts.push(el('bdi', null, cut(name, 40)));
    else if (feature.kind !== 'bytes') parts.push(v);
    else if (v.image && v.href) parts.push(el('img.step', { src: source(v.href), alt: v.content ?? 'image', loading: 'lazy', decoding: 'async' }));
    else if (v.audio && v.href) parts.push(el('audio', { controls: true, preload: 'none', src: source(v.href), 'aria-label': cut(feature.name, 100) }));
    else parts.push(el('bdi', null, v.text != null ? cut(v.text, 60) || '""' : (v.content ?? 'bytes') + ', ' + size(v.bytes)));
  }
  if (feature.n > 4) parts.push(el('span.many', null, '×' + count(feature.n)));
  return parts;
}

