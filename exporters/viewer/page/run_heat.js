// The picture of all ranks over time: it is drawn, zoomed, and ranks are chosen in it.
import { byId } from './dom.js';
import { colorTable, decodeHeat, makeImages } from './run_image.js';
import { duration, moment, percent, visible } from './text.js';

const LEAST_ROWS = 4; // on the screen
const LABEL = 12; // CSS pixels of a row that has a label
const WHEEL = 0.002;

/**
 * What the orders compare.
 * @type {Record<string, (rank: RunRank) => number | string>}
 */
const ORDERS = {
  rank: () => 0,
  node: ({ node }) => node,
  wait: ({ waited }) => -waited,
  delay: ({ delay }) => -delay,
  late: ({ late }) => -late,
};
export const ORDER_NAMES = [['rank', 'rank'], ['node', 'node'], ['wait', 'longest waits first'], ['delay', 'largest delay first'], ['late', 'latest first'],
  ['similar', 'similar ones together']];

/**
 * @param {RunRank[]} ranks @param {string} by @param {number[] | null} similar the order of similar ranks, if it is known
 * @returns {Int32Array}
 */
export function orderOf(ranks, by, similar) {
  if (by === 'similar' && similar?.length === ranks.length) return Int32Array.from(similar);
  const key = ORDERS[by] ?? ORDERS.rank;
  const order = Int32Array.from(ranks, (_, i) => i);
  const keys = ranks.map(key);
  return order.sort((a, b) => (keys[a] < keys[b] ? -1 : keys[a] > keys[b] ? 1 : a - b));
}

export class HeatView {
  /** @param {RunApp} app */
  constructor(app) {
    this.app = app;
    this.canvas = /** @type {HTMLCanvasElement} */ (byId('heat'));
    this.names = /** @type {HTMLCanvasElement} */ (byId('heat-names'));
    /** @type {Heat | null} */
    this.heat = null;
    this.order = new Int32Array(0);
    /**
     * The ranks with similar ones together, once that was asked for.
     * @type {number[] | null}
     */
    this.similar = null;
    /** @type {{canvas: HTMLCanvasElement, rows: number}[]} */
    this.images = [];
    /** Rows on the screen, from the top. */
    this.first = 0;
    this.last = 0;
    /** @type {{x: number, y: number, time: number, isMove: boolean} | null} */
    this.drag = null;
    this.listen();
  }

  /** @param {ArrayBuffer} buffer */
  take(buffer) {
    const count = this.heat?.ranks;
    this.heat = decodeHeat(buffer);
    if (count !== this.heat.ranks) this.showRows(0, this.heat.ranks);
    this.renew();
  }

  /** Makes the images again: for another order, other colors, or another theme. */
  renew() {
    const { app, heat } = this;
    if (!heat || !app.run?.ranks) return;
    this.order = orderOf(app.run.ranks, app.sort, this.similar);
    this.images = makeImages(heat, this.order, colorTable(app.run.states, app.state, app.theme.background));
    app.invalidate();
  }

  /** @param {number} first @param {number} last */
  showRows(first, last) {
    const all = this.heat?.ranks ?? 0;
    const count = Math.min(all, Math.max(Math.min(LEAST_ROWS, all), last - first));
    this.first = Math.max(0, Math.min(all - count, first));
    this.last = this.first + count;
    this.app.invalidate();
  }

  /** @param {number} factor @param {number} y where a row stays, in CSS pixels */
  zoomRows(factor, y) {
    const share = Math.max(0, Math.min(1, y / Math.max(1, this.canvas.clientHeight)));
    const row = this.first + share * (this.last - this.first);
    const count = Math.max(LEAST_ROWS, (this.last - this.first) * factor);
    this.showRows(row - share * count, row + (1 - share) * count);
  }

  /**
   * The row at a place of the canvas.
   * @param {number} y CSS pixels
   */
  rowAt(y) {
    const row = Math.floor(this.first + (y / this.canvas.clientHeight) * (this.last - this.first));
    return row >= 0 && row < this.order.length ? row : -1;
  }

  /**
   * The row of a rank.
   * @param {number} rank an index
   */
  rowOf(rank) {
    return this.order.indexOf(rank);
  }

  /**
   * Scrolls so that a rank is on the screen.
   * @param {number} rank
   */
  reveal(rank) {
    const row = this.rowOf(rank);
    const count = this.last - this.first;
    if (row < this.first) this.showRows(row, row + count);
    else if (row + 1 > this.last) this.showRows(row + 1 - count, row + 1);
  }

  draw() {
    const { canvas, heat, app } = this;
    const ratio = devicePixelRatio;
    fit(canvas, ratio);
    const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));
    context.fillStyle = app.theme.background;
    context.fillRect(0, 0, canvas.width, canvas.height);
    this.drawNames(ratio);
    if (!heat || !this.images.length) return;
    const { viewport } = app;
    const perPixel = (this.last - this.first) / canvas.height;
    const image = this.images.find(({ rows }) => (rows / heat.ranks) * perPixel <= 1.5) ?? this.images[this.images.length - 1];
    const scale = image.rows / heat.ranks;
    // The part of the image that is on the screen: what is beside it does not exist.
    const from = Math.max(0, (viewport.start - heat.start) / heat.width);
    const to = Math.min(heat.columns, (viewport.end - heat.start) / heat.width);
    if (to <= from) return;
    const left = viewport.toPixel(heat.start + from * heat.width);
    const right = viewport.toPixel(heat.start + to * heat.width);
    context.imageSmoothingEnabled = (this.last - this.first) * scale > canvas.height;
    context.drawImage(image.canvas, from, this.first * scale, to - from, (this.last - this.first) * scale, left, 0, right - left, canvas.height);
    this.drawMarks(context, ratio);
  }

  /** @param {CanvasRenderingContext2D} context @param {number} ratio */
  drawMarks(context, ratio) {
    const { app, canvas } = this;
    if (app.area) app.shade(context, app.area, canvas.height);
    if (app.rank !== null) this.drawClockErrors(context);
    const row = app.rank === null ? -1 : this.rowOf(app.rank);
    if (row < 0) return;
    const height = canvas.height / (this.last - this.first);
    context.strokeStyle = app.theme.accent;
    context.lineWidth = Math.max(1, Math.round(1.5 * ratio));
    context.strokeRect(0.5, (row - this.first) * height - 1, canvas.width - 1, Math.max(3 * ratio, height + 2));
    const x = Math.round(app.viewport.toPixel(app.time));
    context.fillStyle = app.theme.text;
    context.fillRect(x, (row - this.first) * height - 4 * ratio, Math.ceil(ratio), Math.max(height, ratio) + 8 * ratio);
  }

  /**
   * Where the chosen time can be in each rank, because clocks are compared with an error.
   * @param {CanvasRenderingContext2D} context
   */
  drawClockErrors(context) {
    const { app, canvas } = this;
    const height = canvas.height / (this.last - this.first);
    const middle = app.viewport.toPixel(app.time);
    context.globalAlpha = 0.3;
    context.fillStyle = app.theme.text;
    for (let y = 0; y < canvas.height; y += Math.max(1, height)) {
      const row = Math.floor(this.first + y / height);
      const error = app.run?.ranks[this.order[row]]?.clock_error ?? 0;
      const width = app.viewport.toPixel(app.time + error) - middle;
      const top = Math.max(0, (row - this.first) * height);
      if (width >= 1) context.fillRect(middle - width, height < 1 ? y : top, 2 * width, Math.max(1, height));
    }
    context.globalAlpha = 1;
  }

  /** @param {number} ratio */
  drawNames(ratio) {
    const { names, app } = this;
    fit(names, ratio);
    const context = /** @type {CanvasRenderingContext2D} */ (names.getContext('2d'));
    context.fillStyle = app.theme.background;
    context.fillRect(0, 0, names.width, names.height);
    const { run } = app;
    if (!run?.ranks || this.last <= this.first) return;
    const height = names.height / (this.last - this.first);
    const every = Math.max(1, Math.ceil((LABEL * ratio) / height));
    context.font = `${11 * ratio}px "DejaVu Sans", system-ui, sans-serif`;
    context.textBaseline = 'middle';
    for (let row = Math.ceil(this.first / every) * every; row < Math.min(this.last, this.order.length); row += every) {
      const rank = run.ranks[this.order[row]];
      context.fillStyle = this.order[row] === app.rank ? app.theme.accent : app.theme.text;
      context.fillText(`${rank.rank}${rank.node ? ` ${visible(rank.node, 30)}` : ''}`, 4 * ratio, Math.round((row + 0.5 - this.first) * height), names.width - 6 * ratio);
    }
  }

  listen() {
    const { canvas, app } = this;
    canvas.addEventListener('wheel', (event) => this.wheel(event), { passive: false });
    this.names.addEventListener('wheel', (event) => this.wheel(event), { passive: false });
    canvas.addEventListener('pointerdown', (event) => {
      if (event.button > 1) return;
      canvas.setPointerCapture(event.pointerId);
      this.drag = { x: event.offsetX, y: event.offsetY, time: app.timeAt(event.offsetX), isMove: event.shiftKey || event.button === 1 };
    });
    canvas.addEventListener('pointermove', (event) => this.move(event));
    canvas.addEventListener('pointerup', (event) => this.up(event));
    canvas.addEventListener('pointercancel', () => { this.drag = null; });
    canvas.addEventListener('pointerleave', () => app.hideTip());
    canvas.addEventListener('dblclick', (event) => {
      if (app.rank !== null) void app.open(event.ctrlKey || event.metaKey);
    });
  }

  /** @param {WheelEvent} event */
  wheel(event) {
    event.preventDefault();
    const { app, canvas } = this;
    const by = event.deltaMode === 1 ? event.deltaY * 16 : event.deltaY;
    if (event.ctrlKey || event.metaKey) app.viewport.zoom(Math.exp(by * WHEEL), event.offsetX * devicePixelRatio);
    else if (event.altKey) this.zoomRows(Math.exp(by * WHEEL), event.offsetY);
    else if (event.shiftKey) app.viewport.pan((by || event.deltaX) / canvas.clientWidth);
    else {
      const rows = (by / canvas.clientHeight) * (this.last - this.first);
      this.showRows(this.first + rows, this.last + rows);
    }
  }

  /** @param {PointerEvent} event */
  move(event) {
    const { app, drag, canvas } = this;
    if (!drag) {
      this.tip(event);
      return;
    }
    if (drag.isMove) {
      const by = drag.time - app.timeAt(event.offsetX);
      app.viewport.set({ start: app.viewport.start + by, end: app.viewport.end + by });
      const rows = ((drag.y - event.offsetY) / canvas.clientHeight) * (this.last - this.first);
      drag.y = event.offsetY;
      this.showRows(this.first + rows, this.last + rows);
    } else if (Math.abs(event.offsetX - drag.x) > 4) {
      const times = [drag.time, app.timeAt(event.offsetX)].sort((a, b) => a - b);
      app.selectArea({ start: times[0], end: times[1] });
    }
  }

  /** @param {PointerEvent} event */
  up(event) {
    const { app, drag } = this;
    this.drag = null;
    if (!drag || drag.isMove || Math.abs(event.offsetX - drag.x) > 4) return;
    const row = this.rowAt(event.offsetY);
    if (row < 0) return;
    const isAgain = app.rank === this.order[row];
    app.choose(this.order[row], app.timeAt(event.offsetX));
    if (isAgain && (event.ctrlKey || event.metaKey)) void app.open(true);
  }

  /**
   * What the pointer is at.
   * @param {PointerEvent} event
   */
  tip(event) {
    const { app } = this;
    const row = this.rowAt(event.offsetY);
    if (row < 0 || !app.run?.ranks) {
      app.hideTip();
      return;
    }
    app.showTip(event, this.textAt(this.order[row], app.timeAt(event.offsetX)));
  }

  /** @param {number} index of a rank @param {number} time */
  textAt(index, time) {
    const { heat, app } = this;
    const run = /** @type {RunAnswer} */ (app.run);
    const rank = run.ranks[index];
    const column = heat ? Math.floor((time - heat.start) / heat.width) : -1;
    const value = heat && column >= 0 && column < heat.columns ? heat.values[index * heat.columns + column] : 0;
    const state = app.state === 'largest' ? run.states[(value >> 4) - 1] : run.states.find(({ name }) => name === app.state);
    const share = app.state === 'largest' ? (value % 16) / 15 : value / 255;
    const what = value && state ? `${state.label}, about ${percent(share)} of ${duration(heat?.width ?? 0)}` : 'nothing recorded';
    return `rank ${rank.rank}${rank.node ? `, ${visible(rank.node, 100)}` : ''} at ${moment(time, heat?.width ?? 1)}: ${what}`;
  }
}

/**
 * Gives a canvas the pixels of the screen.
 * @param {HTMLCanvasElement} canvas @param {number} ratio
 */
export function fit(canvas, ratio) {
  const [width, height] = [Math.round(canvas.clientWidth * ratio), Math.round(canvas.clientHeight * ratio)];
  if (canvas.width !== width) canvas.width = width;
  if (canvas.height !== height) canvas.height = height;
}
