// Sortable tables. The arrow keys move between rows.
import { button, element } from './dom.js';
import { visible } from './text.js';

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
 * A value of a statistic as prof prints it.
 * @param {string | number | null} value
 * @param {{kind: string, decimals: number}} column
 */
function figureText(value, { kind, decimals }) {
  if (value === null) return '';
  if (typeof value === 'string' || kind === 'text') return visible(value);
  return value.toLocaleString('en-US', kind === 'integer' ? {} : { minimumFractionDigits: decimals, maximumFractionDigits: decimals });
}

/**
 * The table of a statistic or a comparison.
 * @param {Figures} figures
 * @param {{sort: string, order: string, choose(sort: string): void} | null} sorting
 */
export function figuresTable({ columns, rows }, sorting) {
  const heads = columns.map(({ header, kind }) => ({ header: visible(header, 100), isNumber: kind !== 'text', sort: header }));
  return makeTable(heads, rows.map((row) => ({ cells: row.map((value, i) => figureText(value, columns[i])) })), sorting);
}

/**
 * A table as text that spreadsheets take.
 * @param {string[]} headers @param {string[][]} lines
 */
export function tabSeparated(headers, lines) {
  const clean = (/** @type {string} */ cell) => cell.replace(/[\t\n\r]/g, ' ');
  return [headers, ...lines].map((line) => line.map(clean).join('\t')).join('\n') + '\n';
}
