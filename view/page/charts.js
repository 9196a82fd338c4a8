// Small charts of long lists of numbers.
import { el, svg, count, plural } from './dom.js';

// charts draws long lists of numbers as a line in their order and as a histogram.
export function charts(values) {
  const numbers = values.map(Number), finite = numbers.filter(Number.isFinite);
  if (finite.length < 2) return null;
  const low = finite.reduce((a, b) => Math.min(a, b)), high = finite.reduce((a, b) => Math.max(a, b)), mean = finite.reduce((a, b) => a + b / finite.length, 0);
  const facts = `min ${short(low)}, mean ${short(mean)}, max ${short(high)}`, odd = numbers.length - finite.length;
  const height = v => (38 - 36 * (high > low ? (v - low) / (high - low) : 0.5)).toFixed(2);
  // At most 400 points: each is the lowest and highest of its part, so that no peak is lost.
  const step = Math.max(1, Math.ceil(numbers.length / 200));
  let line = '';
  for (let i = 0; i < numbers.length; i += step) {
    const part = numbers.slice(i, i + step).filter(Number.isFinite);
    if (part.length === 0) continue;
    for (const v of step === 1 ? part : [Math.min(...part), Math.max(...part)]) line += `${line ? 'L' : 'M'}${(i / Math.max(1, numbers.length - 1) * 200).toFixed(2)} ${height(v)}`;
  }
  const bins = new Array(20).fill(0);
  for (const v of finite) bins[Math.min(19, Math.floor((high > low ? (v - low) / (high - low) : 0.5) * 20))]++;
  const most = Math.max(...bins);
  const bars = bins.map((n, i) => n ? `M${i * 5 + 0.5} 40V${(40 - Math.max(1, 38 * n / most)).toFixed(2)}H${i * 5 + 4.5}V40Z` : '').join('');
  const chart = (width, name, path) => svg('svg', { viewBox: `0 0 ${width} 40`, preserveAspectRatio: 'none', role: 'img', 'aria-label': `${name} of ${plural(numbers.length, 'value')}: ${facts}` }, path);
  return el('div.charts', null,
    chart(200, 'Line', svg('path.line', { d: line })), chart(100, 'Histogram', svg('path.bars', { d: bars })),
    el('p.none', null, facts + (odd ? `, ${count(odd)} not finite` : '')));
}

function short(v) {
  return Number.isInteger(v) && Math.abs(v) < 1e15 ? count(v) : String(Number(v.toPrecision(4)));
}
