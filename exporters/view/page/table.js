// Sortable tables whose rows are reached with the arrow keys.
import { button, element } from './dom.js';

/**
 * @typedef {{header: string, isNumber: boolean, sort?: string}} Column
 * @typedef {{cells: (string | Node)[], open?: () => void}} Line
 */

/**
 * @param {Column[]} columns
 * @param {Line[]} lines
 * @param {{sort: string, order: string, choose(sort: string): void} | null} sorting
 */
export function makeTable(columns, lines, sorting) {
  const head = columns.map(({ header, isNumber, sort }) => {
    const isSorted = sorting !== null && sort === sorting.sort;
    const arrow = isSorted ? (sorting.order === 'desc' ? ' ▾' : ' ▴') : '';
    return element('th', { scope: 'col', className: isNumber ? 'number' : '',
      'aria-sort': isSorted ? (sorting.order === 'desc' ? 'descending' : 'ascending') : undefined },
    sorting && sort ? button(header + arrow, () => sorting.choose(sort)) : header);
  });
  const body = lines.map(({ cells, open }, i) => element('tr', {
    tabIndex: open ? (i === 0 ? 0 : -1) : undefined, onclick: open,
  }, ...cells.map((cell, column) => element('td', { className: columns[column].isNumber ? 'number' : '' },
    typeof cell === 'string' ? element('bdi', {}, cell) : cell))));
  const table = element('table', {}, element('thead', {}, element('tr', {}, ...head)), element('tbody', {}, ...body));
  table.addEventListener('keydown', (event) => moveInTable(event));
  return table;
}

/** @param {KeyboardEvent} event */
function moveInTable(event) {
  if (!(event.target instanceof HTMLTableRowElement)) return;
  const row = event.target;
  const next = event.key === 'ArrowDown' ? row.nextElementSibling : event.key === 'ArrowUp' ? row.previousElementSibling : null;
  if (event.key === 'Enter') row.click();
  else if (next instanceof HTMLElement) {
    row.tabIndex = -1;
    next.tabIndex = 0;
    next.focus();
  } else return;
  event.preventDefault();
  event.stopPropagation();
}

/**
 * A table as text that spreadsheets take.
 * @param {string[]} headers @param {string[][]} lines
 */
export function tabSeparated(headers, lines) {
  const clean = (/** @type {string} */ cell) => cell.replace(/[\t\n\r]/g, ' ');
  return [headers, ...lines].map((line) => line.map(clean).join('\t')).join('\n') + '\n';
}
