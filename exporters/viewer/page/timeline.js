// The canvases: their sizes, the loop of frames, and the places of rows.
import { byId } from './dom.js';
import { busyAt, hitInRow, valuesAt } from './locate.js';
import { EventPainter } from './paint_events.js';
import { paintCounter, paintDensity, paintStack } from './paint_values.js';
import { CanvasPen } from './pen.js';
import { paintRuler, stepFor, ticks } from './ruler.js';
import { Signal } from './signal.js';
import { levelFor } from './tile.js';

const OVERSCAN = 400;
const FRAMES_KEPT = 5000;
/** Pixels that are seen above or below a row that is scrolled to. */
const ROWS_BESIDE = 60;

/** @param {string} id */
function canvasById(id) {
  return /** @type {HTMLCanvasElement} */ (byId(id));
}

export class Timeline {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    this.scroller = byId('scroller');
    this.body = new CanvasPen(canvasById('body'), devicePixelRatio);
    this.pins = new CanvasPen(canvasById('pins-canvas'), devicePixelRatio);
    this.ruler = new CanvasPen(canvasById('ruler'), devicePixelRatio);
    this.isDirty = false;
    /** How many frames were drawn, and how long the last ones took in ms. */
    this.frames = { count: 0, work: /** @type {number[]} */ ([]) };
    /**
     * Emits after each frame.
     * @type {Signal<void>}
     */
    this.drawn = new Signal();
    /**
     * Emits while tiles can be wished for.
     * @type {Signal<void>}
     */
    this.drawing = new Signal();
    this.scroller.addEventListener('scroll', () => this.invalidate(), { passive: true });
    this.watchSizes();
  }

  watchSizes() {
    const observer = new ResizeObserver((entries) => {
      for (const entry of entries) this.resized(entry);
      this.app.viewport.width = Math.max(1, this.body.width);
      this.draw();
    });
    for (const pen of [this.body, this.pins, this.ruler]) {
      try {
        observer.observe(pen.canvas, { box: 'device-pixel-content-box' });
      } catch {
        observer.observe(pen.canvas);
      }
    }
  }

  /** @param {ResizeObserverEntry} entry */
  resized(entry) {
    const pen = [this.body, this.pins, this.ruler].find((each) => each.canvas === entry.target);
    if (!pen) return;
    const exact = entry.devicePixelContentBoxSize?.[0];
    const width = sizeInPixels(entry.contentRect.width * devicePixelRatio, exact?.inlineSize);
    const height = sizeInPixels(entry.contentRect.height * devicePixelRatio, exact?.blockSize);
    if (pen.ratio !== devicePixelRatio) this.app.names.forgetWidths();
    pen.resize(width, height, devicePixelRatio);
  }

  /** Draws with the next frame of the screen. */
  invalidate() {
    if (this.isDirty) return;
    this.isDirty = true;
    requestAnimationFrame((now) => this.frame(now));
  }

  /** @param {number} now */
  frame(now) {
    const { frames } = this;
    const begin = performance.now();
    this.isDirty = false;
    this.app.viewport.step(now);
    this.draw();
    if (this.app.viewport.animation) this.invalidate();
    frames.count += 1;
    frames.work.push(performance.now() - begin);
    if (frames.work.length > FRAMES_KEPT) frames.work.shift();
  }

  draw() {
    const { app } = this;
    if (!this.body.height) return;
    app.cache.beginFrame();
    this.drawRuler();
    const { scrollTop, clientHeight } = this.scroller;
    this.drawRows(this.body, app.tree.placed, scrollTop);
    this.drawRows(this.pins, app.tree.placedPins, 0);
    this.drawing.emit();
    this.wishAhead(scrollTop, clientHeight);
    app.cache.endFrame();
    this.drawn.emit();
  }

  drawRuler() {
    this.ruler.begin(this.app.theme.background);
    paintRuler(this.ruler, this.app.viewport, this.app.theme);
    this.ruler.flush();
  }

  /** @param {CanvasPen} pen @param {Placed[]} list @param {number} top */
  drawRows(pen, list, top) {
    const { theme, viewport } = this.app;
    if (!pen.height) return;
    pen.begin(theme.background);
    const bottom = top + pen.height / pen.ratio;
    const line = Math.max(1, Math.round(pen.ratio));
    const shown = visibleRows(list, top, bottom);
    for (const placed of shown) {
      const y = Math.round((placed.top - top) * pen.ratio);
      const height = Math.round((placed.top + placed.height - top) * pen.ratio) - y;
      if (placed.row.style === 'density') pen.under(0, y, pen.width, height, theme.stripe);
      pen.under(0, y + height - line, pen.width, line, theme.faint);
    }
    for (const time of ticks(viewport, stepFor(viewport.nsPerPixel * pen.ratio))) {
      pen.under(Math.round(viewport.toPixel(time)), 0, line, pen.height, theme.faint);
    }
    this.paintRows(pen, shown, top, pen.ratio);
    pen.flush();
  }

  /**
   * Draws rows with any pen.
   * @param {Pen} pen @param {Placed[]} list @param {number} top @param {number} ratio
   */
  paintRows(pen, list, top, ratio) {
    const { app } = this;
    const picture = { pen, names: app.names, theme: app.theme, start: app.viewport.start,
      nsPerPixel: (app.viewport.end - app.viewport.start) / pen.width };
    const painter = new EventPainter(picture);
    for (const placed of list) {
      const y = (placed.top - top) * ratio;
      const segments = this.segmentsOf(placed.row);
      if (placed.row.kind === 'stalls') paintStack(picture, placed, y, segments);
      else if (placed.row.style === 'counter') paintCounter(picture, placed, y, segments);
      else if (placed.row.style === 'density') paintDensity(picture, placed, y, segments);
      else painter.row(placed, y, segments);
    }
  }

  /** @param {Row} row */
  segmentsOf(row) {
    const { start, end, nsPerPixel } = this.app.viewport;
    return this.app.cache.segments(row, levelFor(nsPerPixel), start, end);
  }

  /**
   * Wishes for tiles beside the screen, above and below it.
   * @param {number} top @param {number} height
   */
  wishAhead(top, height) {
    const { app } = this;
    const level = levelFor(app.viewport.nsPerPixel);
    const rows = [...visibleRows(app.tree.placed, top, top + height), ...app.tree.placedPins];
    for (const { row } of rows) app.cache.wishNeighbours(row, level, app.viewport);
    const outside = [...visibleRows(app.tree.placed, top - OVERSCAN, top),
      ...visibleRows(app.tree.placed, top + height, top + height + OVERSCAN)];
    for (const { row } of outside) app.cache.wishSpan(row, level, app.viewport);
  }

  /**
   * The row at a point of the page and the point's distance from the row's top.
   * @param {number} clientX @param {number} clientY
   */
  rowAt(clientX, clientY) {
    for (const [pen, list, scrolled] of /** @type {[CanvasPen, Placed[], number][]} */ (
      [[this.pins, this.app.tree.placedPins, 0], [this.body, this.app.tree.placed, this.scroller.scrollTop]])) {
      const box = pen.canvas.getBoundingClientRect();
      if (clientY < box.top || clientY >= box.bottom) continue;
      const y = clientY - box.top + scrolled;
      const placed = visibleRows(list, y, y + 0.01)[0];
      if (placed) return { placed, y: y - placed.top, x: clientX - box.left };
    }
    return null;
  }

  /**
   * The time at a point of the page.
   * @param {number} clientX
   */
  timeAt(clientX) {
    const box = this.body.canvas.getBoundingClientRect();
    return this.app.viewport.toTime(((clientX - box.left) / box.width) * this.app.viewport.width);
  }

  /** @param {number} clientX @param {number} clientY @returns {Hit | null} */
  hitAt(clientX, clientY) {
    const at = this.rowAt(clientX, clientY);
    if (!at) return null;
    const { nsPerPixel } = this.app.viewport;
    return hitInRow(at.placed, this.segmentsOf(at.placed.row), this.timeAt(clientX), at.y, nsPerPixel * this.body.ratio);
  }

  /**
   * Values of a counter at a point.
   * @param {Row} row @param {number} time
   */
  valuesAt(row, time) {
    return valuesAt(this.segmentsOf(row), Math.max(1, row.series?.length ?? row.lanes), time);
  }

  /** @param {Row} row @param {number} time */
  busyAt(row, time) {
    return busyAt(this.segmentsOf(row), time);
  }

  /**
   * Where a row is on the screen, in CSS pixels of the page; null if it is not shown.
   * @param {Row} row
   */
  boxOf(row) {
    const pin = this.app.tree.placedPins.find((each) => each.row === row);
    const placed = pin ?? this.app.tree.placed.find((each) => each.row === row);
    if (!placed) return null;
    const box = (pin ? this.pins : this.body).canvas.getBoundingClientRect();
    const top = box.top + placed.top - (pin ? 0 : this.scroller.scrollTop);
    return { placed, top, bottom: top + placed.height, isOff: top + placed.height < box.top || top > box.bottom };
  }

  /**
   * Scrolls so that a row is seen: all of it, or else the lane of an event.
   * @param {Row} wanted @param {number} [lane]
   */
  scrollTo(wanted, lane = 0) {
    const row = this.app.tree.shownFor(wanted);
    const placed = this.app.tree.placed.find((each) => each.row === row);
    if (!placed || this.app.tree.placedPins.some((each) => each.row === row)) return;
    const { scrollTop, clientHeight } = this.scroller;
    const isTall = placed.height > clientHeight;
    const top = placed.top + (isTall ? lane * placed.laneHeight : 0);
    const height = isTall ? placed.laneHeight : placed.height;
    if (top >= scrollTop && top + height <= scrollTop + clientHeight) return;
    // Rows beside it are seen, too: an event at the edge of the screen is easily overlooked.
    const room = Math.max(0, (clientHeight - height) / 3);
    const isAbove = top < scrollTop;
    this.scroller.scrollTop = isAbove ? top - Math.min(room, ROWS_BESIDE) : top + height - clientHeight + Math.min(room, ROWS_BESIDE);
    this.invalidate();
  }
}

/**
 * What the browser says is exact, except where it emulates another screen.
 * @param {number} computed
 * @param {number | undefined} exact
 */
function sizeInPixels(computed, exact) {
  return exact !== undefined && Math.abs(exact - computed) < 2 ? exact : Math.round(computed);
}

/**
 * Rows that touch a part of the list.
 * @param {Placed[]} list @param {number} top @param {number} bottom
 */
export function visibleRows(list, top, bottom) {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (list[middle].top + list[middle].height <= top) low = middle + 1;
    else high = middle;
  }
  let end = low;
  while (end < list.length && list[end].top < bottom) end += 1;
  return list.slice(low, end);
}
