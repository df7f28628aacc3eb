// What the warps of a kernel wait for, as bars: as the GPU counted it, or by PC samples.
import { element } from './dom.js';
import { linesOf, numberOf } from './kernel_tables.js';
import { count, visible } from './text.js';

/** @typedef {{name: string, percent: number, issued: number, meaning: string, amount: string}} Bar percents of the kernel */

/** Reasons with less are in one line. */
const LEAST = 1;

/** @param {Figures | undefined} table @returns {Bar[]} */
export function countedStalls(table) {
  return linesOf(table).map((line) => ({ name: String(line['Stall']), percent: numberOf(line['Wait (%)']), issued: 0, meaning: String(line['The Warp'] ?? ''),
    amount: `${numberOf(line['Cycles']).toFixed(2)} cycles` }));
}

/**
 * The part with an issued instruction is the part at which the scheduler had another warp to run.
 * @param {Figures | undefined} table @returns {Bar[]}
 */
export function sampledStalls(table) {
  return linesOf(table).map((line) => {
    const percent = numberOf(line['Kernel (%)']);
    const issued = line['Stall'] === 'selected' ? 0 : percent * (1 - numberOf(line['Not Issued (%)']) / 100);
    return { name: String(line['Stall']), percent, issued, meaning: String(line['The Warp'] ?? ''),
      amount: `${count(numberOf(line['Samples']))} samples` };
  });
}

/**
 * @param {string} title @param {Bar[]} bars @param {string} note
 */
export function stallBars(title, bars, note) {
  const shown = bars.filter(({ percent }) => percent >= LEAST);
  const rest = bars.filter(({ percent }) => percent > 0 && percent < LEAST);
  const rows = shown.map(({ name, percent, issued, meaning, amount }) => {
    const [wait, other] = [element('div', { className: `stall-part${name === 'selected' ? ' selected' : ''}` }), element('div', { className: 'stall-part issued' })];
    wait.style.width = `${Math.max(0, percent - issued)}%`;
    other.style.width = `${Math.max(0, issued)}%`;
    return element('tr', { 'data-stall': name, title: amount }, element('th', { scope: 'row' }, element('bdi', {}, visible(name, 60))),
      element('td', { className: 'stall-bar', 'aria-hidden': 'true' }, element('div', { className: 'stall-track' }, wait, other)),
      element('td', { className: 'number' }, `${percent.toFixed(1)} %`), element('td', { className: 'muted' }, visible(meaning, 200)));
  });
  const small = rest.length ? element('p', { className: 'muted' }, `Less than ${LEAST} %: ${rest.map(({ name, percent }) => `${visible(name, 60)} ${percent.toFixed(1)} %`).join(', ')}.`) : null;
  return element('div', { className: 'stalls' }, element('h3', {}, title), element('table', {}, element('tbody', {}, ...rows)), small, element('p', { className: 'muted' }, note));
}
