// The strip above the ruler: the whole recording, with a frame around what the screen shows.
import { byId } from './dom.js';
import { paintDensity } from './paint_values.js';
import { CanvasPen } from './pen.js';
import { levelFor } from './tile.js';

const MOST_STRIPS = 4;
const EDGE = 6;
const LEAST_FRAME = 4;

export class Minimap {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    this.box = byId('minimap');
    this.frame = byId('minimap-frame');
    const canvas = /** @type {HTMLCanvasElement} */ (byId('minimap-canvas'));
    this.pen = new CanvasPen(canvas, devicePixelRatio);
    this.isStale = true;
    /** @type {{part: 'all' | 'left' | 'right', grip: number} | null} */
    this.drag = null;
    const renew = () => {
      this.isStale = true;
      app.timeline.invalidate();
    };
    for (const signal of [app.cache.arrived, app.names.arrived, app.tree.changed]) signal.on(renew);
    new ResizeObserver(() => {
      this.pen.resize(Math.round(canvas.clientWidth * devicePixelRatio), Math.round(canvas.clientHeight * devicePixelRatio), devicePixelRatio);
      renew();
    }).observe(canvas);
    this.listen();
  }

  listen() {
    const { box } = this;
    box.addEventListener('pointerdown', (event) => this.down(event));
    box.addEventListener('pointermove', (event) => this.move(event));
    for (const end of ['pointerup', 'pointercancel']) box.addEventListener(end, () => { this.drag = null; });
  }

  /** The times at the ends of the strip. */
  get whole() {
    return this.app.viewport.whole;
  }

  /** @param {PointerEvent} event */
  timeAt(event) {
    const { left, width } = this.box.getBoundingClientRect();
    return this.whole.start + ((event.clientX - left) / width) * (this.whole.end - this.whole.start);
  }

  /** @param {PointerEvent} event */
  down(event) {
    if (event.button !== 0) return;
    const { viewport } = this.app;
    this.box.setPointerCapture(event.pointerId);
    const { left, right } = this.frame.getBoundingClientRect();
    const time = this.timeAt(event);
    const isBeside = event.clientX < left - EDGE || event.clientX > right + EDGE;
    if (isBeside) viewport.centre(time);
    const isSmall = right - left < 4 * EDGE;
    const part = isBeside || isSmall ? 'all' : event.clientX < left + EDGE ? 'left' : event.clientX > right - EDGE ? 'right' : 'all';
    this.drag = { part, grip: time - viewport.target.start };
    event.preventDefault();
  }

  /** @param {PointerEvent} event */
  move(event) {
    if (!this.drag) return;
    const { viewport } = this.app;
    const { start, end } = viewport.target;
    const time = this.timeAt(event);
    if (this.drag.part === 'left') viewport.set({ start: Math.min(time, end), end });
    else if (this.drag.part === 'right') viewport.set({ start, end: Math.max(time, start) });
    else viewport.set({ start: time - this.drag.grip, end: time - this.drag.grip + end - start });
  }

  /** Draws the strip if it has changed, and puts the frame around the span of the screen. */
  draw() {
    const { viewport } = this.app;
    const length = this.whole.end - this.whole.start;
    const width = this.box.clientWidth;
    const left = Math.max(0, Math.min(width - LEAST_FRAME, ((viewport.start - this.whole.start) / length) * width));
    const right = Math.max(left + LEAST_FRAME, Math.min(width, ((viewport.end - this.whole.start) / length) * width));
    this.frame.style.left = `${left}px`;
    this.frame.style.width = `${right - left}px`;
    // Tiles are asked for in each frame, because the cache drops wishes that are not repeated.
    const strips = this.strips().map((row) => ({ row, segments: this.segmentsOf(row) }));
    if (!this.isStale || !this.pen.height) return;
    this.isStale = false;
    this.paint(strips);
  }

  /** The groups at the top of the tree. */
  strips() {
    return (this.app.tree.children.get(null) ?? []).filter(({ style }) => style === 'density').slice(0, MOST_STRIPS);
  }

  /** @param {Row} row */
  segmentsOf(row) {
    const perPixel = (this.whole.end - this.whole.start) / Math.max(1, this.pen.width);
    return this.app.cache.segments(row, levelFor(perPixel), this.whole.start, this.whole.end);
  }

  /** @param {{row: Row, segments: Segment[]}[]} strips */
  paint(strips) {
    const { pen, app } = this;
    pen.begin(app.theme.stripe);
    const picture = { pen, names: app.names, theme: app.theme, start: this.whole.start, nsPerPixel: (this.whole.end - this.whole.start) / pen.width };
    const height = pen.height / pen.ratio / Math.max(1, strips.length);
    strips.forEach(({ row, segments }, i) => {
      paintDensity(picture, { row, top: 0, height, laneHeight: Math.max(1, height - 1), depth: 0 }, (i * height - 1) * pen.ratio, segments);
    });
    pen.flush();
  }
}
