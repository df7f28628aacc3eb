// Who waits for whom, as a matrix: a row waits for a column. Of many ranks by node; a click shows the ranks of two nodes.
import { button, byId, replace } from './dom.js';
import { channels } from './colors.js';
import { fit } from './run_heat.js';
import { stateColor } from './run_image.js';
import { makeTable } from './table.js';
import { count, duration, visible } from './text.js';

const LONGEST = 12; // rows of the table
const MOST = 256; // rows and columns of the matrix

export class WaitMatrix {
  /** @param {RunApp} app */
  constructor(app) {
    this.app = app;
    this.canvas = /** @type {HTMLCanvasElement} */ (byId('matrix'));
    /** @type {RunWaits} */
    this.waits = { by: 'rank', rows: [], more: 0 };
    /** @type {string[] | null} */
    this.nodes = null;
    /** @type {(number | string)[]} */
    this.rows = [];
    /** @type {(number | string)[]} */
    this.columns = [];
    /** @type {Map<string, RunWaits['rows'][number]>} */
    this.cells = new Map();
    /** Whether it must be drawn again: its picture does not depend on the time on the screen. */
    this.isStale = true;
    new ResizeObserver(() => {
      this.isStale = true;
      app.invalidate();
    }).observe(this.canvas);
    this.canvas.addEventListener('pointermove', (event) => this.tip(event));
    this.canvas.addEventListener('pointerleave', () => app.hideTip());
    this.canvas.addEventListener('click', (event) => this.open(this.cellAt(event)));
  }

  /** @param {string[] | null} nodes of the rows and the columns, or all */
  async load(nodes = null) {
    this.nodes = nodes;
    this.waits = await this.app.source.waits(nodes ? { by: 'rank', node: nodes[0], for: nodes[1] } : {});
    const { rows } = this.waits;
    this.rows = largest(rows, 0);
    this.columns = largest(rows, 1);
    this.cells = new Map(rows.map((row) => [`${row[0]}/${row[1]}`, row]));
    this.fill();
    this.isStale = true;
    this.app.invalidate();
  }

  fill() {
    const { waits, nodes } = this;
    byId('waits').hidden = !waits.rows.length && !nodes;
    const what = waits.by === 'node' ? 'By node. A click shows the ranks.' : 'A row waits for a column.';
    const cut = waits.more || this.rows.length === MOST ? ' Only those with the longest waits are shown.' : '';
    replace(byId('waits-name'), nodes ? `${nodes.map((name) => visible(name || 'unknown node', 60)).join(' for ')}. ` : '', what + cut,
      ...(nodes ? [' ', button('All nodes', () => void this.load().catch((error) => this.app.report(error)))] : []));
    const columns = [['Waits', true], ['For', true], ['Wait', true], ['Operations', true], ['Longest', true]].map(([header, isNumber]) => ({
      header: String(header), isNumber: Boolean(isNumber) }));
    replace(byId('longest-waits'), makeTable(columns, [...waits.rows].sort((a, b) => b[2] - a[2]).slice(0, LONGEST).map((row) => ({
      cells: [this.label(row[0]), this.label(row[1]), duration(row[2]), count(row[3]), duration(row[4])], open: () => this.open(row) })), null));
  }

  /** @param {number | string} name */
  label(name) {
    return typeof name === 'number' ? `rank ${name}` : visible(name || 'unknown node', 60);
  }

  /** @param {PointerEvent | MouseEvent} event */
  cellAt(event) {
    const { canvas } = this;
    const row = this.rows[Math.floor((event.offsetY / canvas.clientHeight) * this.rows.length)];
    const column = this.columns[Math.floor((event.offsetX / canvas.clientWidth) * this.columns.length)];
    return this.cells.get(`${row}/${column}`);
  }

  /** @param {PointerEvent} event */
  tip(event) {
    const cell = this.cellAt(event);
    if (cell) this.app.showTip(event, `${this.label(cell[0])} waits for ${this.label(cell[1])}: ${duration(cell[2])} in ${count(cell[3])} operations, the longest ${duration(cell[4])}`);
    else this.app.hideTip();
  }

  /** @param {RunWaits['rows'][number] | undefined} cell */
  open(cell) {
    if (!cell) return;
    const { app } = this;
    if (this.waits.by === 'node') {
      void this.load([String(cell[0]), String(cell[1])]).catch((error) => app.report(error));
      return;
    }
    const index = app.run?.ranks.findIndex(({ rank }) => rank === cell[1]) ?? -1;
    if (index >= 0) app.choose(index, app.time);
  }

  draw() {
    const { canvas, app, rows, columns } = this;
    if (byId('waits').hidden) return;
    this.isStale = false;
    fit(canvas, devicePixelRatio);
    const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));
    context.fillStyle = app.theme.stripe;
    context.fillRect(0, 0, canvas.width, canvas.height);
    const [width, height] = [canvas.width / Math.max(1, columns.length), canvas.height / Math.max(1, rows.length)];
    const most = this.waits.rows.reduce((longest, row) => Math.max(longest, row[2]), 1);
    const [red, green, blue] = channels(stateColor('wait'));
    rows.forEach((row, i) => columns.forEach((column, k) => {
      const cell = this.cells.get(`${row}/${column}`);
      if (!cell) return;
      context.fillStyle = `rgba(${red}, ${green}, ${blue}, ${0.08 + 0.92 * Math.sqrt(cell[2] / most)})`;
      context.fillRect(k * width, i * height, Math.max(1, width - 0.5), Math.max(1, height - 0.5));
    }));
  }
}

/**
 * The names of rows or columns, those with the longest waits if there are many.
 * @param {RunWaits['rows']} rows @param {0 | 1} side
 */
function largest(rows, side) {
  /** @type {Map<number | string, number>} */
  const sums = new Map();
  for (const row of rows) sums.set(row[side], (sums.get(row[side]) ?? 0) + row[2]);
  const kept = [...sums].sort((a, b) => b[1] - a[1]).slice(0, MOST).map(([name]) => name);
  return kept.sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
}
