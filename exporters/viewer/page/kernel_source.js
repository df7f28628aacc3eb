// The source lines of a kernel with their samples, and the machine instructions of a line.
import { button, element, replace } from './dom.js';
import { linesOf, numberOf } from './kernel_tables.js';
import { count, visible } from './text.js';

/** @typedef {import('./kernel_tables.js').Line} Line */

const MOST_ROWS = 200;

/** @param {number} percent of the kernel's samples */
export function heatBar(percent) {
  const part = element('div', { className: 'heat-part' });
  part.style.width = `${Math.min(100, percent)}%`;
  return element('div', { className: 'stall-track' }, part);
}

/** @param {Line} line */
export function mainStall(line) {
  const stall = line['Main Stall'];
  return stall ? `${visible(stall, 60)} ${numberOf(line['Main Stall (%)']).toFixed(1)} %` : '';
}

/**
 * The last part of a path with its line. The whole path is the title.
 * @param {unknown} place
 */
function shortPlace(place) {
  return String(place ?? '').replace(/^.*\//, '');
}

/**
 * The machine instructions, with their samples.
 * @param {Line[]} instructions
 */
function instructionTable(instructions) {
  const rows = instructions.map((each) => element('tr', {}, element('td', { className: 'number' }, numberOf(each['Samples']) ? count(numberOf(each['Samples'])) : ''),
    element('td', {}, mainStall(each)), element('td', { className: 'number' }, visible(each['Offset'], 30)),
    element('td', {}, element('code', {}, visible(each['Instruction'], 300)))));
  return element('table', { className: 'instructions' }, element('tbody', {}, ...rows));
}

/**
 * The lines with samples, those with the most first. A line opens its callers and its machine instructions.
 * @param {Figures | undefined} lines @param {Figures | undefined} sass
 */
export function sourceLines(lines, sass) {
  const all = linesOf(lines);
  const instructions = linesOf(sass);
  const body = element('tbody', {});
  const put = (/** @type {number} */ most) => replace(body, ...all.slice(0, most).flatMap((line) => rowsOf(line, instructions)));
  put(MOST_ROWS);
  const head = ['Kernel', '', 'Samples', 'Main stall', 'Line', 'Function'].map((text, i) => element('th', { scope: 'col', className: i % 2 === 0 && i < 3 ? 'number' : '' }, text));
  const more = all.length > MOST_ROWS ? button(`Show all ${count(all.length)} lines`, () => {
    put(all.length);
    more?.remove();
  }) : null;
  return element('div', {}, element('table', { id: 'kernel-lines' }, element('thead', {}, element('tr', {}, ...head)), body), more);
}

/** @param {Line} line @param {Line[]} instructions of the kernel */
function rowsOf(line, instructions) {
  const percent = numberOf(line['Kernel (%)']);
  const place = String(line['Line'] ?? '');
  const details = element('tr', { hidden: true }, element('td', { colSpan: 6 }));
  const open = element('button', { type: 'button', className: 'plain', 'aria-expanded': 'false', title: visible(place, 500), onclick: () => {
    details.hidden = !details.hidden;
    open.setAttribute('aria-expanded', String(!details.hidden));
    if (!details.hidden && details.cells[0].childElementCount === 0) fill(details.cells[0], line, instructions);
  } }, element('bdi', {}, place ? visible(shortPlace(place), 200) : 'unknown line'));
  return [element('tr', {}, element('td', { className: 'number' }, `${percent.toFixed(1)} %`), element('td', { className: 'stall-bar', 'aria-hidden': 'true' }, heatBar(percent)),
    element('td', { className: 'number' }, count(numberOf(line['Samples']))), element('td', {}, mainStall(line)), element('td', {}, open),
    element('td', {}, element('bdi', {}, visible(line['Function'], 300)))), details];
}

/** @param {HTMLElement} cell @param {Line} line @param {Line[]} instructions */
function fill(cell, line, instructions) {
  const callers = String(line['Inlined'] ?? '').split('; ').filter(Boolean);
  const own = instructions.filter((each) => each['Line'] === line['Line'] && each['Function'] === line['Function']);
  replace(cell, element('p', { className: 'muted' }, element('bdi', {}, visible(line['Line'], 1000))),
    ...callers.map((each) => element('p', {}, element('bdi', {}, `inlined ${visible(each, 500)}`))),
    own.length ? instructionTable(own) : element('p', { className: 'muted' }, 'The machine instructions of this line are not known.'));
}
