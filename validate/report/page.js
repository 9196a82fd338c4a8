'use strict';
(() => {
  const one = (what, within = document) => within.querySelector(what);
  const all = (what, within = document) => [...within.querySelectorAll(what)];
  const status = one('#status');

  // Every chart can be looked at in large, with its numbers.
  const enlarge = figure => {
    const dialog = document.createElement('dialog'), copy = figure.cloneNode(true), close = document.createElement('button');
    one('.large', copy).remove();
    dialog.setAttribute('aria-label', one('svg title', copy).textContent);
    close.type = 'button';
    close.textContent = 'Close';
    close.addEventListener('click', () => dialog.close());
    dialog.addEventListener('close', () => dialog.remove());
    dialog.append(close, copy);
    document.body.append(dialog);
    dialog.showModal();
    one('details', copy).open = true;
  };
  const equip = within => {
    for (const figure of all('figure', within)) {
      const button = document.createElement('button'), of = document.createElement('span');
      button.type = 'button';
      button.className = 'large';
      of.className = 'away';
      of.textContent = ' ' + one('svg title', figure).textContent;
      button.append('Enlarge', of);
      button.addEventListener('click', () => enlarge(figure));
      one('details', figure).before(button);
    }
  };
  equip(document);

  // Where there are many features their statistics and charts are text in noscript elements, which are elements without
  // this script. They are built when the reader comes near. The text is what the browser would have parsed itself, with all
  // names and values escaped; the policy of the page allows no other code to make elements of text.
  const trusted = window.trustedTypes ? trustedTypes.createPolicy('tfparse', { createHTML: text => text }) : { createHTML: text => text };
  const build = parts => {
    if (!parts.classList.contains('waits')) return;
    parts.classList.remove('waits');
    parts.innerHTML = trusted.createHTML(one('noscript', parts).textContent);
    equip(parts);
  };
  const near = new IntersectionObserver(seen => {
    for (const entry of seen) {
      if (!entry.isIntersecting) continue;
      build(entry.target);
      near.unobserve(entry.target);
    }
  }, { rootMargin: '100% 0px' });
  for (const parts of document.getElementsByClassName('waits')) near.observe(parts);
  addEventListener('beforeprint', () => all('.waits').forEach(build));

  // lines returns the numbers of a chart, with the heading.
  const lines = text => text.textContent.split('\n').map(line => line.split('\t'));
  // The numbers are text until they are opened: a table costs the browser thirty times as much.
  document.addEventListener('toggle', e => {
    const text = e.target.open && one('.text', e.target);
    if (!text || text.hidden) return;
    const table = document.createElement('table');
    table.className = 'data';
    const [head, ...rows] = lines(text), links = new Map(all('.hits a', text.closest('figure')).map(a => [a.dataset.row, a.getAttribute('href')]));
    const row = (section, cells, kind) => {
      const r = section.insertRow();
      for (const cell of cells) {
        const c = document.createElement(kind);
        if (kind === 'th') c.scope = 'col';
        c.textContent = cell;
        r.append(c);
      }
    };
    row(table.createTHead(), head, 'th');
    const body = table.createTBody();
    rows.forEach((cells, i) => {
      row(body, cells, 'td');
      const href = links.get(String(i));
      if (!href) return;
      const cell = body.rows[i].lastElementChild, link = document.createElement('a');
      link.href = href;
      link.target = '_top';
      link.append(...cell.childNodes);
      cell.append(link);
    });
    text.hidden = true;
    text.after(table);
  }, true);

  // A feature is a row of the table and an article below it.
  const firstRows = 100;
  const slices = all('.slice').map(section => {
    const features = all('.all tbody tr', section).map((row, at) => {
      const article = document.getElementById(row.id.slice(0, -1));
      const long = one('.long p', article);
      return {
        row, article, at, fits: true,
        name: (row.cells[0].textContent + ' ' + (long ? long.textContent : '')).toLowerCase(),
        kind: row.cells[1].textContent,
        faulty: one('.flag', row) !== null,
        within: row.classList.contains('within'),
      };
    });
    const region = one('.tall', section);
    return { section, features, region, limit: region ? firstRows : Infinity };
  });

  // show shows the rows of features that fit, but only the first of very many: the browser would lay them all out at once.
  const show = slice => {
    let n = 0;
    for (const f of slice.features) {
      f.article.hidden = !f.fits;
      f.row.hidden = !f.fits || ++n > slice.limit;
    }
    slice.more = n > slice.limit;
  };
  for (const slice of slices) {
    if (!slice.region) continue;
    const table = one('.all', slice.region), later = one('.later', slice.region);
    table.setAttribute('aria-rowcount', slice.features.length + table.tHead.rows.length);
    show(slice);
    if (later) later.classList.remove('later');
    slice.region.addEventListener('scroll', () => {
      const left = slice.region.scrollHeight - slice.region.scrollTop - slice.region.clientHeight;
      if (left > slice.region.clientHeight || !slice.more) return;
      slice.limit += firstRows;
      show(slice);
    }, { passive: true });
  }

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

  // arrange sorts the features of a slice by what a function says of them; null is the order of the page.
  const arrange = (slice, key, descending) => {
    const keyed = slice.features.map(f => ({ f, k: key && key(f) })).sort((a, b) => {
      if (!key) return a.f.at - b.f.at;
      const none = Number.isNaN(a.k) || Number.isNaN(b.k);
      const c = compare(a.k, b.k);
      return (descending && !none ? -c : c) || a.f.at - b.f.at;
    });
    slice.features = keyed.map(x => x.f);
    if (slice.region) {
      slice.limit = firstRows;
      slice.region.scrollTop = 0;
    }
    show(slice);
    one('.all tbody', slice.section).append(...slice.features.map(f => f.row));
    one('.features', slice.section).append(...slice.features.map(f => f.article));
  };

  const order = one('#order');
  const sort = (slice, heads, head) => {
    const text = 'text' in head.dataset, column = Number(head.dataset.c);
    const ways = text ? ['ascending', 'descending', null] : ['descending', 'ascending', null];
    const way = ways[(ways.indexOf(head.getAttribute('aria-sort')) + 1) % 3];
    for (const h of heads) h.removeAttribute('aria-sort');
    if (way) head.setAttribute('aria-sort', way);
    order.value = '';
    const key = f => {
      const cell = f.row.cells[column], shown = cell.textContent.trim();
      return text ? shown.toLowerCase() : number(cell.dataset.v || shown.split(' ')[0]);
    };
    arrange(slice, way && key, way === 'descending');
    const name = (head.dataset.of ? head.dataset.of + ', ' : '') + one('button', head).textContent;
    status.textContent = way ? 'Sorted by ' + name + ', ' + way + '.' : 'Sorted by ' + order.options[0].text + '.';
  };
  order.addEventListener('input', () => {
    const by = order.value;
    for (const slice of slices) {
      if (!slice.features.length) continue;
      for (const h of all('[aria-sort]', slice.section)) h.removeAttribute('aria-sort');
      arrange(slice, by === 'name' ? f => f.row.cells[0].textContent.trim().toLowerCase() : by && (f => number(f.row.dataset[by] || '')), by !== 'name');
    }
    status.textContent = 'Sorted by ' + order.selectedOptions[0].text + '.';
  });

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

  // hint says how many columns of a table are cut off, where it is wider than the page.
  const hint = () => {
    for (const { section } of slices) {
      const region = one('.all', section) && one('.all', section).parentElement;
      if (!region || section.hidden) continue;
      const end = region.getBoundingClientRect().right, note = one('.hint', section);
      const cut = [...one('.all', region).tHead.rows[0].cells].filter(c => c.getBoundingClientRect().right > end + 1).length;
      note.hidden = region.scrollWidth <= region.clientWidth + 1;
      note.textContent = cut === 0 ? 'All columns up to the last: the first are to the left.' : cut === 1 ? '1 more column to the right: scroll the table.' : cut + ' more columns to the right: scroll the table.';
    }
  };
  for (const { section } of slices) {
    const table = one('.all', section);
    if (!table) continue;
    table.parentElement.addEventListener('scroll', hint, { passive: true });
    new ResizeObserver(hint).observe(table.parentElement);
  }

  const query = one('#query'), kind = one('#kind'), faulty = one('#faulty'), noise = one('#noise'), chosen = one('#slice');
  const filter = () => {
    const words = query.value.toLowerCase().split(/\s+/).filter(w => w);
    let shown = 0, of = 0;
    const kinds = new Map();
    for (const slice of slices) {
      slice.section.hidden = chosen !== null && chosen.value !== slice.section.id;
      for (const f of slice.features) {
        f.fits = words.every(w => f.name.includes(w)) && (!kind.value || f.kind === kind.value) && (!faulty || !faulty.checked || f.faulty) && (!noise || !noise.checked || !f.within);
        if (!slice.section.hidden) {
          of++;
          kinds.set(f.kind, (kinds.get(f.kind) || 0) + 1);
          shown += f.fits;
        }
      }
      show(slice);
    }
    for (const o of kind.options) {
      if (o.value) o.textContent = o.value + ' (' + (kinds.get(o.value) || 0) + ')';
    }
    hint();
    status.textContent = shown === of ? (of === 1 ? '1 feature.' : of + ' features.') : shown + ' of ' + of + ' features shown.';
  };

  // A link leads to a feature in whatever slice it is, and to a row that is not shown yet.
  const follow = hash => {
    const target = document.getElementById(hash.slice(1));
    const section = target && target.closest('.slice');
    if (!section) return;
    if (target !== section) all('.waits', target).forEach(build); // also where nothing is drawn, as in a tab behind others
    const slice = slices.find(s => s.section === section), hidden = section.hidden && chosen;
    const at = slice.features.findIndex(f => f.row === target);
    if (hidden) chosen.value = section.id;
    if (at >= slice.limit) slice.limit = at + firstRows;
    else if (!hidden) return;
    filter();
    target.scrollIntoView({ block: at < 0 ? 'start' : 'center' });
  };
  // In a frame whose document is an attribute, such a link would load the page around it.
  document.addEventListener('click', e => {
    const link = location.protocol === 'about:' && e.target.closest('a[href^="#"]');
    if (!link) return;
    e.preventDefault();
    const target = document.getElementById(link.getAttribute('href').slice(1));
    if (!target) return;
    follow(link.getAttribute('href'));
    target.scrollIntoView();
  });

  // What lies under the pointer is read from the table under the chart.
  let under = null;
  document.addEventListener('pointermove', e => {
    const plot = e.target.closest('.plot'), svg = plot && one('svg.bars, svg.strip', plot);
    if (under && under.svg !== svg) {
      under.at.textContent = '';
      under = null;
    }
    if (!svg) return;
    if (!under) {
      const figure = svg.closest('figure');
      const parts = lines(one('.text', figure)).slice(1).map(cells => {
        return { of: cells.length > 3 ? cells.shift() + ' ' : '', from: number(cells[0]), to: number(cells[1]), text: cells[0] + (cells[1] && cells[1] !== cells[0] ? ' to ' + cells[1] : '') + ': ' + cells[2] };
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
  for (const what of [query, kind, faulty, noise, chosen]) {
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

  // While the server reads the rest of the data it says how far it is. A page that nobody has touched yet is loaded again in the end.
  const progress = one('#progress');
  if (progress) {
    const update = one('#update');
    update.hidden = false;
    update.addEventListener('click', () => location.reload());
    const ask = async () => {
      try {
        const news = await (await fetch('?progress=1')).json();
        one('#read').textContent = news.text;
        one('progress').value = news.share;
        if (news.done) {
          if (scrollY === 0 && !query.value && !one('dialog')) location.reload();
          one('progress').hidden = true;
          return;
        }
      } catch { }
      setTimeout(ask, 2000);
    };
    setTimeout(ask, 1000);
  }

  addEventListener('hashchange', () => follow(location.hash));
  const links = one('#slices');
  if (links) links.hidden = true;
  one('.tools').hidden = false;
  filter();
  follow(location.hash);
})();
