// What the statistics say about operators and modules. All figures of the page of operators come from these tables.
import { linesOf, numberOf } from './kernel_tables.js';

/**
 * @typedef {import('./kernel_tables.js').Line} Line
 * @typedef {{path: string, name: string, depth: number, line: Line}} Module `path` is as in the column Module of operators
 * @typedef {Record<string, StatisticTable>} OperatorFigures by the name of the statistic
 */

const SHOWN = ['operator_sum', 'module_tree', 'roofline', 'mfu', 'operator_memory'];
const BETWEEN = ' > ';
const INDENT = 2;
/** Two rows of different statistics are about the same operator if these are equal. */
const KEY = ['Operator', 'Shapes', 'Type', 'Direction', 'Module'];

/**
 * The statistics that the report has.
 * @param {Source} source @param {number} report @param {number | null} from @param {number | null} to
 * @returns {Promise<OperatorFigures>}
 */
export async function figuresOfOperators(source, report, from, to) {
  const known = new Set((await source.statistics(report)).statistics.map(({ name }) => name));
  const names = SHOWN.filter((name) => known.has(name));
  const tables = await Promise.all(names.map((name) => source.statistic(name, from, to, report, '')));
  return Object.fromEntries(names.map((name, i) => [name, tables[i]]));
}

/**
 * The rows of module_tree, whose names are indented, with their paths.
 * @param {Figures | undefined} table
 * @returns {Module[]}
 */
export function modulesOf(table) {
  /** @type {string[]} */
  const names = [];
  return linesOf(table).map((line) => {
    const text = String(line['Module'] ?? '');
    const depth = Math.min(names.length, (text.length - text.trimStart().length) / INDENT);
    names.length = depth;
    names.push(text.trimStart());
    return { path: names.join(BETWEEN), name: names[depth], depth, line };
  });
}

/**
 * @param {Line} line of an operator
 * @param {string} path of a module; empty: of all
 */
export function isInModule(line, path) {
  const module = String(line['Module'] ?? '');
  return !path || module === path || module.startsWith(path + BETWEEN);
}

/** @param {Line} line */
export function operatorOf(line) {
  return KEY.map((header) => String(line[header] ?? '')).join('\n');
}

/**
 * The sum of a column in ns.
 * @param {Line[]} lines @param {string} header
 */
export function sumOf(lines, header) {
  return lines.reduce((sum, line) => sum + numberOf(line[header]), 0);
}
