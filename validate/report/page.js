'use strict';
(() => {
  const one = (what, within = document) => within.querySelector(what);
  const all = (what, within = document) => [...within.querySelectorAll(what)];
  const status = one('#status');

  // A feature is a row of the table and an article below it.
  const slices = all('.slice').map(section => ({
    section,
    features: all('.all tbody tr', section).map((row, at) => {
      const article = document.getElementById(row.id.slice(0, -1));
      const long = one('.long p', article);
      return {
        row, article, at,
        name: (row.cells[0].textContent + ' ' + (long ? long.textContent : '')).toLowerCase(),
        kind: row.cells[1].textContent,
        faulty: one('.flag', row) !== null,
      };
    }),
  }));

  // number reads a number as the table shows it. What is none comes last.
  const number = text => {
    if (text === '' || text === '–' || text === 'NaN') return NaN;
    if (text === '∞') return Infinity;
    if (text === '-∞') return -Infinity;
    const v = Number(text.replace(/[,%<>]/g, ''));
    return text[0] === '<' ? v / 2 : text[0] === '>' ? v + 0.05 : v;
  };

  const compare = (a, b) => {
    if (typeof a === 'string') return a < b ? -1 : a > b ? 1 : 0;
    if (Number.isNaN(a) || Number.isNaN(b)) return Number.isNaN(a) - Number.isNaN(b);
    return a < b ? -1 : a > b ? 1 : 0;
  };

  const sort = (slice, heads, head) => {
    const text = 'text' in head.dataset, column = Number(head.dataset.c);
    const ways = text ? ['ascending', 'descending', null] : ['descending', 'ascending', null];
    const way = ways[(ways.indexOf(head.getAttribute('aria-sort')) + 1) % 3];
    for (const h of heads) h.removeAttribute('aria-sort');
    if (way) head.setAttribute('aria-sort', way);
    const key = f => {
      const shown = f.row.cells[column].textContent.trim();
      return text ? shown.toLowerCase() : number(shown.split(' ')[0]);
    };
    const keyed = slice.features.map(f => ({ f, k: key(f) }));
    keyed.sort((a, b) => {
      if (!way) return a.f.at - b.f.at;
      const none = Number.isNaN(a.k) || Number.isNaN(b.k);
      const c = compare(a.k, b.k);
      return (way === 'descending' && !none ? -c : c) || a.f.at - b.f.at;
    });
    const body = one('.all tbody', slice.section), articles = one('.features', slice.section);
    body.append(...keyed.map(x => x.f.row));
    articles.append(...keyed.map(x => x.f.article));
    const name = (head.dataset.of ? head.dataset.of + ', ' : '') + one('button', head).textContent;
    status.textContent = way ? 'Sorted by ' + name + ', ' + way + '.' : 'In the order of the data.';
  };

  for (const slice of slices) {
    const heads = all('[data-c]', slice.section);
    for (const head of heads) {
      const button = document.createElement('button');
      button.type = 'button';
      button.append(...head.childNodes);
      if (head.dataset.of) {
        const of = document.createElement('span');
        of.className = 'away';
        of.textContent = head.dataset.of + ', ';
        button.prepend(of);
      }
      head.append(button);
      button.addEventListener('click', () => sort(slice, heads, head));
    }
  }

  const query = one('#query'), kind = one('#kind'), faulty = one('#faulty'), chosen = one('#slice');
  const filter = () => {
    const words = query.value.toLowerCase().split(/\s+/).filter(w => w);
    let shown = 0, of = 0;
    for (const slice of slices) {
      slice.section.hidden = chosen !== null && chosen.value !== slice.section.id;
      for (const f of slice.features) {
        const fits = words.every(w => f.name.includes(w)) && (!kind.value || f.kind === kind.value) && (!faulty || !faulty.checked || f.faulty);
        f.row.hidden = f.article.hidden = !fits;
        if (!slice.section.hidden) {
          of++;
          shown += fits;
        }
      }
    }
    status.textContent = shown === of ? (of === 1 ? '1 feature.' : of + ' features.') : shown + ' of ' + of + ' features shown.';
  };

  // A link leads to a feature in whatever slice it is.
  const follow = () => {
    const target = document.getElementById(location.hash.slice(1));
    const section = target && target.closest('.slice');
    if (!section || !section.hidden || !chosen) return;
    chosen.value = section.id;
    filter();
    target.scrollIntoView();
  };

  // What lies under the pointer is read from the table under the chart.
  let under = null;
  document.addEventListener('pointermove', e => {
    const svg = e.target.closest('figure svg');
    if (under && under.svg !== svg) {
      under.at.textContent = '';
      under = null;
    }
    if (!svg) return;
    if (!under) {
      const figure = svg.closest('figure');
      const parts = all('tbody tr', figure).map(row => {
        const cells = [...row.cells].map(c => c.textContent);
        return { of: cells.length > 3 ? cells.shift() + ' ' : '', from: number(cells[0]), to: number(cells[1]), text: cells[0] + (cells[1] && ' to ' + cells[1]) + ': ' + cells[2] };
      });
      const ends = parts.flatMap(p => [p.from, p.to]).filter(Number.isFinite);
      const even = figure.classList.contains('even') && parts.length / new Set(parts.map(p => p.of)).size; // bars of each data set
      under = { svg, at: one('.at', figure), parts, even, low: Math.min(...ends), high: Math.max(...ends) };
    }
    const box = svg.getBoundingClientRect(), told = new Map();
    const x = (e.clientX - box.left) / box.width, v = under.low + (under.high - under.low) * x;
    under.parts.forEach((p, i) => {
      const here = under.even ? i % under.even === Math.min(under.even - 1, Math.floor(under.even * x)) : p.from <= v;
      if (here) told.set(p.of, p); // the last one that begins before it
    });
    under.at.textContent = [...told.values()].map(p => p.of + p.text).join('  ');
  });

  const form = one('#tools');
  form.addEventListener('submit', e => e.preventDefault());
  for (const what of [query, kind, faulty, chosen]) {
    if (what) what.addEventListener('input', filter);
  }
  one('#theme').addEventListener('input', e => { document.documentElement.dataset.theme = e.target.value; });
  one('#log').addEventListener('input', e => { document.documentElement.dataset.scale = e.target.checked ? 'log' : ''; });

  // How histograms are drawn is remembered, where the browser lets a page remember something.
  const bins = one('#bins'), remembered = 'tfparse.bins';
  const draw = () => {
    if (bins.value) document.documentElement.dataset.bins = bins.value;
    else delete document.documentElement.dataset.bins;
  };
  bins.addEventListener('input', () => {
    draw();
    try { localStorage.setItem(remembered, bins.value); } catch { }
  });
  try { bins.value = localStorage.getItem(remembered) || ''; } catch { }
  if (bins.selectedIndex < 0) bins.value = ''; // by another version of the page
  draw();

  addEventListener('hashchange', follow);
  const links = one('#slices');
  if (links) links.hidden = true;
  one('.tools').hidden = false;
  filter();
  follow();
})();
