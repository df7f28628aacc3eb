// Maps keys to commands.

const LETTERS = /^Key([A-Z])$/;
const DIGITS = /^(?:Digit|Numpad)(\d)$/;
/** @type {Record<string, string>} */
const PLACES = { Period: '.', Comma: ',' };

/**
 * Names of a key as commands have them: by place for letters and digits, by sign for the rest.
 * @param {KeyboardEvent} event
 */
export function keyNames(event) {
  const base = LETTERS.exec(event.code)?.[1] ?? DIGITS.exec(event.code)?.[1] ?? PLACES[event.code];
  const modifiers = `${event.ctrlKey || event.metaKey ? 'Ctrl+' : ''}${event.altKey ? 'Alt+' : ''}`;
  const names = [];
  // Signs such as ? and [ need Shift or AltGr on some keyboards.
  if (!event.ctrlKey && !event.metaKey && event.key.length === 1 && !/[a-z0-9.,]/i.test(event.key)) names.push(event.key);
  if (base) names.push(`${modifiers}${event.shiftKey ? 'Shift+' : ''}${base}`);
  else if (event.key.length > 1) names.push(`${modifiers}${event.shiftKey ? 'Shift+' : ''}${event.key}`);
  return names;
}

/**
 * Whether a key is meant for the element that has the focus.
 * @param {KeyboardEvent} event
 */
function isForElement(event) {
  const { target } = event;
  if (!(target instanceof HTMLElement)) return false;
  if (target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement) return true;
  const isInside = target.closest('dialog, #menu') !== null;
  const isAction = target instanceof HTMLButtonElement && (event.key === 'Enter' || event.key === ' ');
  const isScrolling = target.closest('#drawer-body, #start, #kernels, #operators, [role="tablist"]') !== null && /^(Arrow|Page|Home|End)/.test(event.key);
  return isInside || isAction || isScrolling;
}

/** @param {App} app */
export function listenToKeys(app) {
  /** @type {Map<string, Command>} */
  const byKey = new Map();
  for (const command of app.commands) {
    for (const key of command.keys) byKey.set(key, command);
  }
  window.addEventListener('keydown', (event) => {
    const names = keyNames(event);
    if (names.includes('Ctrl+F') && !document.querySelector('dialog[open]')) {
      event.preventDefault();
      app.search.input.select();
      return;
    }
    if (names.includes('Ctrl+P') || isForElement(event) || event.isComposing) return;
    const command = names.map((name) => byKey.get(name)).find((each) => each);
    if (!command || (app.page !== 'timeline' && !['page', 'kernel', 'operators', 'theme', 'share', 'help', 'search', 'print'].includes(command.id))) return;
    event.preventDefault();
    command.run(event);
  });
}
