// The memory chart of a kernel: what goes over each link between its levels of memory.
import { svgElement } from './dom.js';
import { linesOf, numberOf } from './kernel_tables.js';
import { count, quantity } from './text.js';

/** @typedef {{from: string, to: string, isRead: boolean, what: string, line: import('./kernel_tables.js').Line}} Link */

const WIDTH = 900;
const BOX = 104;
const LANE = 46;
const GAP = 14;
const COLUMNS = new Map([['kernel', 0], ['L1', 1], ['shared memory', 1], ['L2', 2], ['DRAM', 3]]);
const STEP = (WIDTH - BOX) / 3;
const THINNEST = 1.5;
const THICKEST = 9;

/** @param {Figures | undefined} table @returns {Link[]} */
function linksOf(table) {
  return linesOf(table).flatMap((line) => {
    const found = /^(.+) (<-|->) (.+)$/.exec(String(line['Link']));
    if (!found || !COLUMNS.has(found[1]) || !COLUMNS.has(found[3])) return [];
    return [{ from: found[1], to: found[3], isRead: found[2] === '<-', what: String(line['What']), line }];
  });
}

/** @param {string} name @param {number} y @param {number} height @param {string} [note] */
function box(name, y, height, note) {
  const x = (COLUMNS.get(name) ?? 0) * STEP;
  const middle = y + height / 2;
  return [svgElement('rect', { class: 'memory-box', x: x + 0.5, y: y + 0.5, width: BOX - 1, height: height - 1, rx: 4 }),
    svgElement('text', { class: 'memory-name', x: x + BOX / 2, y: note ? middle - 3 : middle + 4, 'text-anchor': 'middle' }, name),
    note ? svgElement('text', { x: x + BOX / 2, y: middle + 13, 'text-anchor': 'middle' }, note) : null];
}

/**
 * An arrow with the bytes above it and the rest below it. The busier a link, the thicker it is.
 * @param {Link} link @param {number} y
 */
function arrow({ from, isRead, what, line }, y) {
  const left = (COLUMNS.get(from) ?? 0) * STEP + BOX + 4;
  const right = left + STEP - BOX - 8;
  const peak = line['Of Peak (%)'];
  const thickness = THINNEST + (THICKEST - THINNEST) * Math.min(1, numberOf(peak) / 100);
  const [tail, head] = isRead ? [right, left] : [left, right];
  const by = isRead ? 8 : -8;
  const size = 4 + thickness / 2;
  const notes = [typeof peak === 'number' ? `${peak.toFixed(1)} % of peak` : '', typeof line['Hit Rate (%)'] === 'number' ? `hit ${numberOf(line['Hit Rate (%)']).toFixed(1)} %` : ''];
  const title = `${what}: ${count(numberOf(line['Bytes']))} bytes${typeof line['Requests'] === 'number' ? `, ${count(numberOf(line['Requests']))} requests` : ''}`;
  const middle = (left + right) / 2;
  return svgElement('g', { class: 'memory-link', 'data-link': String(line['Link']), 'data-what': what }, svgElement('title', {}, title),
    svgElement('line', { x1: tail, x2: head + by, y1: y, y2: y, 'stroke-width': thickness.toFixed(1) }),
    svgElement('path', { d: `M${head} ${y}L${head + by * 1.2} ${y - size}L${head + by * 1.2} ${y + size}Z` }),
    svgElement('text', { x: middle, y: y - 9, 'text-anchor': 'middle' }, `${what} ${quantity(numberOf(line['Bytes']), 'B')}`),
    svgElement('text', { class: 'note', x: middle, y: y + 17, 'text-anchor': 'middle' }, notes.filter(Boolean).join(', ')));
}

/**
 * The drawing, or null if nothing was measured.
 * @param {Figures | undefined} table @param {Map<string, string>} notes what the boxes say below their names
 */
export function memoryChart(table, notes) {
  const links = linksOf(table);
  if (!links.length) return null;
  const of = (/** @type {string} */ from, /** @type {string} */ to) => links.filter((each) => each.from === from && each.to === to);
  const [near, shared] = [of('kernel', 'L1'), of('kernel', 'shared memory')];
  const far = [of('L1', 'L2'), of('L2', 'DRAM')];
  const rows = Math.max(near.length, ...far.map(({ length }) => length), 1);
  const top = rows * LANE;
  const below = shared.length * LANE;
  const height = top + (below ? GAP + below : 0);
  const lanes = (/** @type {Link[]} */ list, /** @type {number} */ from, /** @type {number} */ room) =>
    list.map((each, i) => arrow(each, from + ((i + 0.5) * room) / list.length));
  const parts = [...box('kernel', 0, height), ...box('L1', 0, top, notes.get('L1')), ...box('L2', 0, top, notes.get('L2')), ...box('DRAM', 0, top, notes.get('DRAM')),
    ...(below ? box('shared memory', top + GAP, below) : []), ...lanes(near, 0, top), ...lanes(shared, top + GAP, below), ...far.flatMap((list) => lanes(list, 0, top))];
  const text = links.map(({ what, line }) => `${line['Link']}, ${what}: ${quantity(numberOf(line['Bytes']), 'B')}`).join('. ');
  return svgElement('svg', { class: 'memory-chart', viewBox: `0 0 ${WIDTH} ${height}`, role: 'img', 'aria-label': `Memory chart. ${text}.` }, ...parts);
}
