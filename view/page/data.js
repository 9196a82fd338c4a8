// Answers of the server, or of the page itself if it is a static file, and the address of the view.
import { el, button } from './dom.js';

const inline = document.getElementById('data');
export const stored = inline ? JSON.parse(inline.textContent) : null;

// set is the answer of api/set, which refreshSet renews.
export const set = { files: [], sets: [], features: [], pages: [], exports: [], spec: null, static: false, matches: null };

export async function refreshSet() {
  Object.assign(set, stored ? stored.set : await load('api/set'));
  return !stored && set.files.some(f => f.records == null && !f.error);
}

// isScanning says whether the records of a file are being counted. Those of a static page never are.
export const isScanning = file => !stored && file.state === 'scanning';

// load returns an answer, parsed. An error has the text of the server.
export async function load(path, signal) {
  if (stored) {
    if (!(path in stored.answers)) throw new Error('This file does not hold it: ' + path);
    return stored.answers[path];
  }
  const response = await request(path, signal);
  return response.json();
}

export async function loadText(path) {
  return stored ? load(path) : (await request(path)).text();
}

export async function request(path, signal) {
  let response;
  try {
    response = await fetch(path, { signal });
  } catch (e) {
    if (e.name === 'AbortError') throw e;
    throw new Error('tfparse view does not answer: is it still running?');
  }
  if (response.ok) return response;
  const answer = await response.json().catch(() => ({}));
  throw new Error(answer.error ?? 'the server answers ' + response.status);
}

export const available = path => !stored || path in stored.answers;

// source is the address of bytes for an element.
export const source = href => stored ? stored.bytes[href] ?? '' : href;

// ---- The address: #/view?name=value&…, where values of lists are separated by commas

export const route = { view: 'records', args: new Map() };

function decode(text) {
  try { return decodeURIComponent(text.replaceAll('+', ' ')); } catch { return text; }
}
const encode = text => encodeURIComponent(text).replace(/%(3A|2F|23)/g, decodeURIComponent);

export function readRoute() {
  const [, view, query] = /^#\/([a-z]*)\??(.*)$/s.exec(location.hash) ?? [];
  route.view = view || 'records';
  route.args = new Map((query ?? '').split('&').filter(Boolean).map(part => {
    const [name, ...rest] = part.split('=');
    return [name, rest.join('=')];
  }));
}

export const argument = name => route.args.has(name) ? decode(route.args.get(name)) : undefined;
export const listArgument = name => route.args.get(name)?.split(',').filter(Boolean).map(decode);

// integer returns an argument that is a number from 0 to limit-1, or undefined.
export function integer(name, limit = Number.MAX_SAFE_INTEGER) {
  const n = Number(argument(name) || NaN);
  return Number.isInteger(n) && n >= 0 && n < limit ? n : undefined;
}

// openRecord is the record in the address, as [file, number], or undefined.
export function openRecord() {
  const record = integer('record');
  return record === undefined ? undefined : [integer('file') ?? 0, record];
}

// address is the fragment of a view. Arguments that are undefined are left out; arrays are lists.
export function address(view, args) {
  const parts = Object.entries(args).filter(([, v]) => v !== undefined && v !== '')
    .map(([name, v]) => name + '=' + (Array.isArray(v) ? v.map(encode).join(',') : encode(String(v))));
  return '#/' + view + (parts.length ? '?' + parts.join('&') : '');
}

// change returns the address of this view with other values of some arguments.
export function change(args) {
  const current = {};
  for (const name of route.args.keys()) current[name] = name === 'cols' ? listArgument(name) : argument(name);
  return address(route.view, { ...current, ...args });
}

// go shows an address; replace leaves no entry in the history.
export function go(fragment, replace) {
  if (fragment === location.hash) return;
  history[replace ? 'replaceState' : 'pushState'](null, '', fragment);
  dispatchEvent(new Event('hashchange'));
}

// remember puts an argument into the address and changes nothing else.
export function remember(args) {
  history.replaceState(null, '', change(args));
  readRoute();
}

// ---- The clipboard

// copy puts a text into the clipboard, or shows it where the browser does not allow that.
export async function copy(path) {
  const text = await loadText(path);
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const dialog = el('dialog', { 'aria-label': 'Text to copy', close: () => dialog.remove() }, el('pre.code', { tabindex: '0' }, text), button('Close', () => dialog.close()));
    document.body.append(dialog);
    dialog.showModal();
    getSelection().selectAllChildren(dialog.firstChild);
    return false;
  }
}
