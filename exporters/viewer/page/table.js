// Sortable tables. The arrow keys move between rows.
import { button, element } from './dom.js';
import { duration, moment, quantity, visible } from './text.js';

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

const UNIT = /\s*\((ns|bytes|B|bytes\/s)\)$/;

/**
 * A value of a statistic with its unit, as people read it.
 * @param {string | number | null} value
 * @param {{header: string, kind: string, decimals: number}} column
 */
export function figureText(value, { header, kind, decimals }) {
  if (value === null) return '';
  if (typeof value === 'string' || kind === 'text') return visible(value);
  const unit = UNIT.exec(header)?.[1];
  if (unit === 'ns') return /\b(Start|End)\b/.test(header) ? moment(value) : duration(value);
  if (unit) return quantity(value, unit === 'bytes/s' ? 'B/s' : 'B');
  return value.toLocaleString('en-US', kind === 'integer' ? {} : { minimumFractionDigits: decimals, maximumFractionDigits: decimals });
}

/**
 * A row of a comparison has the unit in its name: "GPU busy (ns)".
 * @param {(string | number | null)[]} row @param {Figures['columns']} columns
 */
function figuresOfRow(row, columns) {
  const unit = typeof row[0] === 'string' ? UNIT.exec(row[0])?.[0] : undefined;
  return row.map((value, i) => {
    if (i === 0 && typeof value === 'string') return visible(value.replace(UNIT, ''));
    const isPlain = !UNIT.test(columns[i].header) && columns[i].header !== 'Ratio';
    if (/^(Before|After|Difference)$/.test(columns[i].header) && Number.isInteger(value)) return figureText(value, { ...columns[i], kind: 'integer', header: unit ?? '' });
    return figureText(value, unit && isPlain ? { ...columns[i], header: columns[i].header + unit } : columns[i]);
  });
}

/**
 * The table of a statistic or a comparison.
 * @param {Figures} figures
 * @param {{sort: string, order: string, choose(sort: string): void} | null} sorting
 */
export function figuresTable({ columns, rows }, sorting) {
  // The values have their units.
  const heads = columns.map(({ header, kind }) => ({ header: visible(header.replace(UNIT, ''), 100), isNumber: kind !== 'text', sort: header }));
  return makeTable(heads, rows.map((row) => ({ cells: figuresOfRow(row, columns) })), sorting);
}

/**
 * A table as text that spreadsheets take.
 * @param {string[]} headers @param {string[][]} lines
 */
export function tabSeparated(headers, lines) {
  const clean = (/** @type {string} */ cell) => cell.replace(/[\t\n\r]/g, ' ');
  return [headers, ...lines].map((line) => line.map(clean).join('\t')).join('\n') + '\n';
}
