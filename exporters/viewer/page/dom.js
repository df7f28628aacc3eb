// Makes elements of the page. Texts become text nodes, and styles are set through the style object:
// the page's policy forbids markup from strings.

/**
 * Makes an element. `on…` are listeners, `data…`, `aria-…`, `role` and the like are attributes, the rest are properties.
 * @template {keyof HTMLElementTagNameMap} T
 * @param {T} tag
 * @param {Record<string, any>} [settings]
 * @param {...(Node | string | null | undefined)} children
 * @returns {HTMLElementTagNameMap[T]}
 */
export function element(tag, settings = {}, ...children) {
  const made = document.createElement(tag);
  for (const [key, value] of Object.entries(settings)) {
    if (value === undefined || value === null) continue;
    if (key.startsWith('on')) made.addEventListener(key.slice(2), value);
    else if (key in made && !key.includes('-') && key !== 'role') Reflect.set(made, key, value);
    else made.setAttribute(key, String(value));
  }
  for (const child of children) {
    if (child !== null && child !== undefined) made.append(child);
  }
  return made;
}

export const SVG = 'http://www.w3.org/2000/svg';

/**
 * Makes an element of a drawing.
 * @param {string} tag @param {Record<string, string | number>} attributes @param {...(Node | string | null)} children
 */
export function svgElement(tag, attributes, ...children) {
  const made = document.createElementNS(SVG, tag);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
  for (const child of children) {
    if (child !== null) made.append(child);
  }
  return made;
}

/**
 * @param {string} text
 * @param {(event: MouseEvent) => void} run
 * @param {Record<string, any>} [settings]
 */
export function button(text, run, settings = {}) {
  return element('button', { type: 'button', onclick: run, ...settings }, text);
}

/** @param {Element} parent @param {...(Node | string)} children */
export function replace(parent, ...children) {
  parent.replaceChildren(...children);
}

/**
 * The element of index.html with this id.
 * @param {string} id
 * @returns {HTMLElement}
 */
export function byId(id) {
  const found = document.getElementById(id);
  if (!found) throw new Error(`index.html has no element ${id}`);
  return found;
}

/**
 * Offers a file to the user.
 * @param {string} name
 * @param {Blob} content
 */
export function download(name, content) {
  const url = URL.createObjectURL(content);
  const link = element('a', { href: url, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}

/**
 * Copies a text, also where the clipboard's interface is not there.
 * @param {string} text
 */
export async function copyText(text) {
  if (navigator.clipboard) {
    await navigator.clipboard.writeText(text);
    return;
  }
  const box = element('textarea', { value: text, className: 'off-screen' });
  document.body.append(box);
  box.select();
  document.execCommand('copy');
  box.remove();
}
