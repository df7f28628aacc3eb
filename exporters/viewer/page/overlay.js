// Draws over the timeline: the selection, its links, marks, the selected span.
import { byId } from './dom.js';
import { laneOf } from './locate.js';
import { fontFor } from './pen.js';
import { duration, visible } from './text.js';

const MOST_LINES = 100;
/** Where marks begin in the ruler, below its numbers. */
const MARKS_TOP = 17;

export class Overlay {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    this.canvas = /** @type {HTMLCanvasElement} */ (byId('overlay'));
    /**
     * A time under the pointer.
     * @type {number | null}
     */
    this.pointer = null;
    app.timeline.drawn.on(() => this.draw());
  }

  draw() {
    const { app, canvas } = this;
    const { selection, marks } = app;
    const isEmpty = !selection.details && !selection.area && !marks.list.length && !app.search.current;
    canvas.hidden = isEmpty;
    if (isEmpty) return;
    const ruler = byId('ruler').getBoundingClientRect();
    const body = app.timeline.body;
    const box = body.canvas.getBoundingClientRect();
    this.ratio = body.ratio;
    this.top = ruler.top;
    this.rulerHeight = ruler.height;
    const height = box.bottom - ruler.top;
    canvas.style.top = `${ruler.top - byId('timeline').getBoundingClientRect().top}px`;
    canvas.style.width = `${box.width}px`;
    canvas.style.height = `${height}px`;
    const context = this.prepare(body.width, Math.round(height * this.ratio));
    if (!context) return;
    context.scale(this.ratio, this.ratio);
    this.scale = box.width / (app.viewport.end - app.viewport.start);
    this.width = box.width;
    this.bottom = height;
    if (selection.area) this.drawArea(context, selection.area);
    for (const mark of marks.list) this.drawMark(context, mark);
    if (selection.details) this.drawSelection(context, selection.details);
  }

  /** @param {number} width @param {number} height */
  prepare(width, height) {
    const { canvas } = this;
    if (canvas.width !== width) canvas.width = width;
    if (canvas.height !== height) canvas.height = height;
    const context = canvas.getContext('2d');
    context?.setTransform(1, 0, 0, 1, 0, 0);
    context?.clearRect(0, 0, width, height);
    return context;
  }

  ratio = 1;
  top = 0;
  rulerHeight = 0;
  scale = 1;
  width = 0;
  bottom = 0;

  /** @param {number} time */
  x(time) {
    return (time - this.app.viewport.start) * this.scale;
  }

  /** @param {CanvasRenderingContext2D} context @param {Area} area */
  drawArea(context, area) {
    const left = this.x(area.start);
    const right = this.x(area.end);
    context.fillStyle = `${this.app.theme.accent}26`;
    context.fillRect(left, MARKS_TOP, right - left, this.bottom - MARKS_TOP);
    context.fillStyle = this.app.theme.accent;
    context.fillRect(Math.round(left), MARKS_TOP, 1, this.bottom - MARKS_TOP);
    context.fillRect(Math.round(right), MARKS_TOP, 1, this.bottom - MARKS_TOP);
    const text = duration(area.end - area.start);
    context.font = fontFor(1);
    const room = context.measureText(text).width;
    const middle = Math.max(room / 2 + 4, Math.min(this.width - room / 2 - 4, (left + right) / 2));
    context.fillRect(middle - room / 2 - 4, MARKS_TOP, room + 8, 16);
    context.fillStyle = this.app.theme.background;
    context.fillText(text, middle - room / 2, MARKS_TOP + 12);
  }

  /** @param {CanvasRenderingContext2D} context @param {Mark} mark */
  drawMark(context, mark) {
    const x = Math.round(this.x(mark.time));
    if (x < -200 || x > this.width) return;
    context.fillStyle = this.app.theme.text;
    for (let y = MARKS_TOP + 3; y < this.bottom; y += 8) context.fillRect(x, y, 1, 4);
    context.beginPath();
    context.moveTo(x - 5, MARKS_TOP + 3);
    context.lineTo(x + 6, MARKS_TOP + 3);
    context.lineTo(x, MARKS_TOP + 11);
    context.fill();
    context.font = fontFor(1);
    context.fillText(visible(mark.note, 60), x + 8, MARKS_TOP + 13);
  }

  /** @param {CanvasRenderingContext2D} context @param {EventDetails} details */
  drawSelection(context, details) {
    const from = this.boxOf(details);
    for (const link of this.app.selection.links.slice(0, MOST_LINES)) {
      const to = this.boxOf(link);
      this.drawTick(context, link.start);
      if (!to) continue;
      this.outline(context, to, 2);
      if (from && (link.relation === 'launches' || link.relation === 'launched by')) {
        if (link.relation === 'launches') this.line(context, from, to);
        else this.line(context, to, from);
      }
    }
    this.drawTick(context, details.start);
    if (from) this.outline(context, from, 3);
  }

  /**
   * A tick in the ruler, an arrow at its edge if the event is not on the screen.
   * @param {CanvasRenderingContext2D} context @param {number} time
   */
  drawTick(context, time) {
    const x = this.x(time);
    context.fillStyle = this.app.theme.accent;
    if (x >= 0 && x <= this.width) {
      context.fillRect(Math.round(x) - 1, MARKS_TOP + 5, 3, 12);
      return;
    }
    const edge = x < 0 ? 1 : this.width - 1;
    const by = x < 0 ? 9 : -9;
    context.beginPath();
    context.moveTo(edge, MARKS_TOP + 11);
    context.lineTo(edge + by, MARKS_TOP + 5);
    context.lineTo(edge + by, MARKS_TOP + 17);
    context.fill();
  }

  /**
   * Where an event is on the overlay; the row that stands for it, if its row is closed.
   * @param {EventRef & {start: number, end: number | null, lane?: number}} event
   */
  boxOf(event) {
    const { tree, timeline, viewport } = this.app;
    let row = tree.byId.get(event.row);
    let box = row ? timeline.boxOf(row) : null;
    while (row && !box) {
      row = row.parent === null ? undefined : tree.byId.get(row.parent);
      box = row ? timeline.boxOf(row) : null;
    }
    if (!row || !box) return null;
    const isOwn = row.id === event.row && row.style !== 'density';
    const lane = isOwn ? event.lane ?? laneOf(timeline.segmentsOf(row), event, event.start) : -1;
    const left = Math.max(-20, this.x(event.start));
    const right = Math.min(this.width + 20, Math.max(this.x(event.end ?? viewport.whole.end), left + 2));
    const { laneHeight, height } = box.placed;
    const top = box.top - this.top + 2 + (lane > 0 ? lane * laneHeight : 0);
    return { left, right, top, bottom: top + (lane < 0 ? height - 4 : Math.max(3, laneHeight - 1)), isOff: box.isOff };
  }

  /** @typedef {{left: number, right: number, top: number, bottom: number, isOff: boolean}} Box */

  /** @param {CanvasRenderingContext2D} context @param {Box} box @param {number} thickness */
  outline(context, box, thickness) {
    if (box.isOff || box.right < 0 || box.left > this.width) return;
    const { left, right, top, bottom } = box;
    context.strokeStyle = this.app.theme.background;
    context.lineWidth = thickness + 2;
    context.strokeRect(left - 1, top - 1, right - left + 2, bottom - top + 2);
    context.strokeStyle = this.app.theme.accent;
    context.lineWidth = thickness;
    context.strokeRect(left - 1, top - 1, right - left + 2, bottom - top + 2);
  }

  /**
   * From the end of a call to the begin of its work.
   * @param {CanvasRenderingContext2D} context @param {Box} from @param {Box} to
   */
  line(context, from, to) {
    const clamp = (/** @type {number} */ y) => Math.max(this.rulerHeight, Math.min(this.bottom, y));
    const isDown = to.top > from.top;
    const start = { x: Math.max(0, Math.min(this.width, from.left)), y: clamp(isDown ? from.bottom : from.top) };
    const end = { x: Math.max(0, Math.min(this.width, to.left)), y: clamp(isDown ? to.top : to.bottom) };
    context.strokeStyle = this.app.theme.accent;
    context.lineWidth = 1.5;
    context.beginPath();
    context.moveTo(start.x, start.y);
    const middle = (start.y + end.y) / 2;
    context.bezierCurveTo(start.x, middle, end.x, middle, end.x, end.y);
    context.stroke();
    context.beginPath();
    context.fillStyle = this.app.theme.accent;
    const by = isDown ? -7 : 7;
    context.moveTo(end.x, end.y);
    context.lineTo(end.x - 4, end.y + by);
    context.lineTo(end.x + 4, end.y + by);
    context.fill();
  }
}
