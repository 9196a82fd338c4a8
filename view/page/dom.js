// Elements and texts. Names and values of the data become text nodes here, never markup.

// el makes an element: el('p.note', {title: 'x'}, 'text', child). A function is a listener; style is an object of properties.
export function el(what, attributes, ...children) {
  const [tag, ...classes] = what.split('.');
  return dress(document.createElement(tag), classes, attributes, children);
}

// svg makes an element of a drawing.
export function svg(what, attributes, ...children) {
  const [tag, ...classes] = what.split('.');
  return dress(document.createElementNS('http://www.w3.org/2000/svg', tag), classes, attributes, children);
}

function dress(element, classes, attributes, children) {
  if (classes.length > 0) element.setAttribute('class', classes.join(' '));
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (typeof value === 'function') element.addEventListener(name, value);
    else if (name === 'style') for (const [property, v] of Object.entries(value)) element.style.setProperty(property, v);
    else if (value !== false && value != null) element.setAttribute(name, value === true ? '' : value);
  }
  element.append(...children.flat().filter(c => c != null && c !== false));
  return element;
}

export function button(label, listener, attributes) {
  return el('button', { type: 'button', click: listener, ...attributes }, label);
}

// cut shortens a text to a number of UTF-16 units without splitting a character.
export function cut(text, limit) {
  return text.length <= limit ? text : text.slice(0, limit).replace(/[\uD800-\uDBFF]$/, '') + '…';
}

// words is a name that may break after _ and /, and whose direction does not affect the text around it.
export function words(text, limit = 160) {
  const short = cut(text, limit) || '""';
  return el('bdi', text.length <= limit ? null : { title: cut(text, 2000) }, ...short.split(/(?<=[_/])(?![_/])/).flatMap((part, i) => i ? [el('wbr'), part] : [part]));
}

// baseName is the last part of the name of a file.
export const baseName = path => cut(path.slice(path.lastIndexOf('/') + 1) || path, 120);

export const count = n => n.toLocaleString('en-US');

export const plural = (n, noun) => count(n) + ' ' + noun + (n === 1 ? '' : 's');

export function size(bytes) {
  if (bytes < 1000) return bytes + ' B';
  const power = Math.min(4, Math.floor(Math.log10(bytes) / 3)), n = bytes / 1000 ** power;
  return (n < 9.95 ? n.toFixed(1) : Math.round(n)) + ' ' + ['', 'kB', 'MB', 'GB', 'TB'][power];
}

// fold limits the height of a long element, with a button that shows all of it.
export function fold(element, label) {
  const toggle = button('Show all ' + label, () => {
    const folded = element.classList.toggle('folded');
    toggle.textContent = (folded ? 'Show all ' : 'Fold ') + label;
    toggle.setAttribute('aria-expanded', !folded);
  }, { class: 'quiet', 'aria-expanded': 'false' });
  element.classList.add('folded');
  return el('div', null, element, toggle);
}

// menu is a button that opens a panel below it. fill makes the content each time, and gets a function that closes it.
export function menu(label, fill, attributes) {
  const opener = el('button.opens', { type: 'button', 'aria-haspopup': 'dialog', ...attributes }, label);
  const panel = el('div.menu', {
    popover: true, role: 'dialog', 'aria-label': label,
    beforetoggle: e => {
      if (e.newState !== 'open') return;
      const at = opener.getBoundingClientRect();
      panel.style.left = Math.max(8, Math.min(at.left, innerWidth - 340)) + 'px';
      panel.style.top = at.bottom + 4 + 'px';
      panel.style.maxHeight = innerHeight - at.bottom - 16 + 'px';
      panel.replaceChildren(...fill(() => panel.hidePopover()));
    },
    toggle: e => e.newState === 'open' ? panel.querySelector('input, button, a')?.focus() : panel.replaceChildren(),
  });
  opener.popoverTargetElement = panel;
  return el('span', null, opener, panel);
}

// say announces a text in the status line, which screen readers read, at most once a second.
export function say(text) {
  announcement.text = text;
  announcement.timer ??= setTimeout(() => {
    Object.assign(announcement, { timer: undefined, at: Date.now() });
    document.getElementById('status').textContent = announcement.text;
  }, Math.max(0, announcement.at + 1000 - Date.now()));
}
const announcement = { text: '', timer: undefined, at: 0 };

// trouble is an error in place of what could not be shown.
export function trouble(error, listener, label = 'Try again') {
  return el('p.trouble', { role: 'alert' }, error.message ?? String(error), ' ', listener && button(label, listener));
}
