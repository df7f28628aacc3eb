// The dialog for a question, the list of commands, and the menu of a row.
import { button, byId, element, replace } from './dom.js';
import { visible } from './text.js';

const dialog = () => /** @type {HTMLDialogElement} */ (byId('dialog'));

/**
 * Asks for a text. Calls back with it, or not at all.
 * @param {string} title
 * @param {string} text
 * @param {(text: string) => void} done
 * @param {(() => void) | null} [remove]
 */
export function ask(title, text, done, remove = null) {
  const box = dialog();
  const input = element('input', { type: 'text', value: text, 'aria-label': title, id: 'answer' });
  input.style.width = '100%';
  const form = element('form', { onsubmit: (/** @type {Event} */ event) => {
    event.preventDefault();
    box.close();
    done(input.value);
  } }, element('p', {}, title), input, element('p', {}, element('button', { type: 'submit' }, 'OK'), ' ',
    button('Cancel', () => box.close()), ' ', remove ? button('Remove', () => {
      box.close();
      remove();
    }) : null));
  replace(box, form);
  box.showModal();
  input.select();
}

/**
 * The list of all commands with their keys. Typing filters it.
 * @param {Command[]} commands
 */
export function showCommands(commands) {
  const box = dialog();
  const list = element('div', { role: 'listbox', 'aria-label': 'Commands', id: 'command-list' });
  const filter = element('input', { type: 'search', placeholder: 'Type to find a command', 'aria-label': 'Find a command', oninput: () => fill() });
  filter.style.width = '100%';
  const run = (/** @type {Command} */ command) => {
    box.close();
    command.run();
  };
  const fill = () => {
    const words = filter.value.toLowerCase();
    const found = commands.filter(({ title }) => title.toLowerCase().includes(words));
    replace(list, ...found.flatMap((command, i) => [...(command.group !== found[i - 1]?.group ? [element('h3', {}, command.group ?? '')] : []),
      element('button', { type: 'button', className: 'command', role: 'option', 'data-command': command.id, onclick: () => run(command) },
        command.title, element('span', {}, ...command.keys.flatMap((key) => [element('kbd', {}, key), ' '])))]));
  };
  box.onkeydown = (event) => {
    const items = [filter, ...list.querySelectorAll('button')];
    const now = items.indexOf(/** @type {any} */ (document.activeElement));
    if (event.key === 'ArrowDown') items[Math.min(items.length - 1, now + 1)].focus();
    else if (event.key === 'ArrowUp') items[Math.max(0, now - 1)].focus();
    else if (event.key === 'Enter' && now === 0) items[1]?.click();
    else return;
    event.preventDefault();
  };
  box.onclose = () => { box.onkeydown = null; };
  fill();
  replace(box, element('h2', {}, 'Commands'), filter, list, element('p', {},
    'Mouse: the wheel scrolls, with Shift it moves in time, with Ctrl it zooms. Drag to select a span; with Shift or the middle ' +
    'button to move; with Alt to zoom into it. Double click zooms to an event.'), button('Close', () => box.close()));
  box.showModal();
  filter.focus();
}

/**
 * A menu at a point. Escape and a click elsewhere close it.
 * @param {string} title
 * @param {Command[]} commands
 * @param {number} x
 * @param {number} y
 */
export function showMenu(title, commands, x, y) {
  const menu = byId('menu');
  const before = document.activeElement;
  const close = () => {
    menu.hidden = true;
    document.removeEventListener('pointerdown', outside, true);
    if (before instanceof HTMLElement) before.focus();
  };
  const outside = (/** @type {Event} */ event) => { if (!menu.contains(/** @type {Node} */ (event.target))) close(); };
  const items = commands.map((command) => element('button', { type: 'button', role: 'menuitem', 'data-command': command.id, onclick: () => {
    close();
    command.run();
  } }, command.title, element('span', { className: 'muted' }, command.keys[0] ?? '')));
  menu.setAttribute('aria-label', visible(title, 100));
  replace(menu, ...items);
  menu.onkeydown = (event) => {
    const now = items.indexOf(/** @type {any} */ (document.activeElement));
    if (event.key === 'ArrowDown') items[(now + 1) % items.length].focus();
    else if (event.key === 'ArrowUp') items[(now + items.length - 1) % items.length].focus();
    else if (event.key === 'Escape' || event.key === 'Tab') close();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  menu.hidden = false;
  menu.style.left = `${Math.max(0, Math.min(x, innerWidth - menu.offsetWidth - 4))}px`;
  menu.style.top = `${Math.max(0, Math.min(y, innerHeight - menu.offsetHeight - 4))}px`;
  document.addEventListener('pointerdown', outside, true);
  items[0]?.focus();
}
