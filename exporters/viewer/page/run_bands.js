// What is above the picture of the ranks: the critical path, the ruler, and the steps as bands of quantiles.
import { colorOf, textOn } from './colors.js';
import { byId } from './dom.js';
import { CanvasPen } from './pen.js';
import { paintRuler } from './ruler.js';
import { fit } from './run_heat.js';
import { count, duration, visible } from './text.js';

const LEAST_LABEL = 40;

/** @param {string} id */
function canvasOf(id) {
  return /** @type {HTMLCanvasElement} */ (byId(id));
}

/** @param {RunPath['units'][number] | undefined} unit */
export function unitName(unit) {
  return unit?.rank === null || !unit ? 'other processes' : `rank ${unit.rank}`;
}

export class PathStrip {
  /** @param {RunApp} app */
  constructor(app) {
    this.app = app;
    this.canvas = canvasOf('path');
    this.canvas.addEventListener('pointermove', (event) => this.tip(event));
    this.canvas.addEventListener('pointerleave', () => app.hideTip());
    this.canvas.addEventListener('click', (event) => {
      const time = app.timeAt(event.offsetX);
      const index = this.unitAt(time)?.index ?? null;
      if (index !== null) app.choose(index, time);
    });
  }

  /** @param {number} time */
  pieceAt(time) {
    return this.app.path?.strip.find(([from, to]) => from <= time && time < to);
  }

  /** @param {number} time */
  unitAt(time) {
    const piece = this.pieceAt(time);
    return piece && this.app.path?.units[piece[2]];
  }

  /** @param {PointerEvent} event */
  tip(event) {
    const piece = this.pieceAt(this.app.timeAt(event.offsetX));
    if (piece) this.app.showTip(event, `The critical path: ${unitName(this.app.path?.units[piece[2]])}, ${visible(piece[3], 100)}`);
    else this.app.hideTip();
  }

  draw() {
    const { canvas, app } = this;
    const ratio = devicePixelRatio;
    fit(canvas, ratio);
    const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));
    context.fillStyle = app.theme.background;
    context.fillRect(0, 0, canvas.width, canvas.height);
    const { path } = app;
    if (!path) return;
    const half = Math.round(canvas.height / 2);
    const upper = joined(path.strip, ([, , unit]) => unitName(path.units[unit]));
    const lower = joined(path.strip, ([, , , kind]) => kind);
    for (const [pieces, top] of /** @type {[ReturnType<typeof joined>, number][]} */ ([[upper, 0], [lower, half]])) {
      for (const piece of pieces) this.drawPiece(context, piece, top, half - 1, ratio);
    }
    if (app.area) app.shade(context, app.area, canvas.height);
  }

  /**
   * @param {CanvasRenderingContext2D} context @param {{from: number, to: number, name: string}} piece
   * @param {number} top @param {number} height @param {number} ratio
   */
  drawPiece(context, { from, to, name }, top, height, ratio) {
    const { viewport } = this.app;
    const left = Math.max(0, viewport.toPixel(from));
    const right = Math.min(this.canvas.width, viewport.toPixel(to));
    if (right <= left) return;
    const color = colorOf(name);
    context.fillStyle = color;
    context.fillRect(left, top, Math.max(1, right - left), height);
    if (right - left < LEAST_LABEL * ratio) return;
    context.fillStyle = textOn(color);
    context.font = `${11 * ratio}px "DejaVu Sans", system-ui, sans-serif`;
    context.textBaseline = 'middle';
    context.save();
    context.beginPath();
    context.rect(left, top, right - left, height);
    context.clip();
    context.fillText(name, left + 3 * ratio, top + height / 2);
    context.restore();
  }
}

/**
 * Neighbours with one name become one piece.
 * @param {RunPath['strip']} strip @param {(piece: RunPath['strip'][number]) => string} nameOf
 */
function joined(strip, nameOf) {
  /** @type {{from: number, to: number, name: string}[]} */
  const pieces = [];
  for (const piece of strip) {
    const name = nameOf(piece);
    const last = pieces[pieces.length - 1];
    if (last?.name === name) [, last.to] = piece;
    else pieces.push({ from: piece[0], to: piece[1], name });
  }
  return pieces;
}

export class Ruler {
  /** @param {RunApp} app */
  constructor(app) {
    this.app = app;
    this.canvas = canvasOf('run-ruler');
    this.pen = new CanvasPen(this.canvas, devicePixelRatio);
  }

  draw() {
    const { pen, canvas, app } = this;
    pen.resize(Math.round(canvas.clientWidth * devicePixelRatio), Math.round(canvas.clientHeight * devicePixelRatio), devicePixelRatio);
    pen.begin(app.theme.background);
    paintRuler(pen, app.viewport, app.theme);
    pen.flush();
  }
}

export class StepBands {
  /** @param {RunApp} app */
  constructor(app) {
    this.app = app;
    this.canvas = canvasOf('steps');
    /** The step that is selected. */
    this.chosen = -1;
    this.canvas.addEventListener('pointermove', (event) => {
      const number = this.stepAt(app.timeAt(event.offsetX));
      if (number >= 0) app.showTip(event, this.text(number));
      else app.hideTip();
    });
    this.canvas.addEventListener('pointerleave', () => app.hideTip());
    this.canvas.addEventListener('click', (event) => this.choose(this.stepAt(app.timeAt(event.offsetX))));
  }

  get steps() {
    return this.app.steps?.steps ?? [];
  }

  /**
   * The step whose middle is nearest, of those at this time.
   * @param {number} time
   */
  stepAt(time) {
    let best = -1;
    let distance = Infinity;
    this.steps.forEach(([from, to], i) => {
      const away = Math.abs((from + to) / 2 - time);
      if (from <= time && time < to && away < distance) [best, distance] = [i, away];
    });
    return best;
  }

  /** @param {number} number */
  text(number) {
    const [, , least, , median, , most, longest, ranks] = this.steps[number];
    const rank = longest === null ? '' : ` (rank ${this.app.run?.ranks[longest].rank})`;
    return `Step ${number} of ${count(this.steps.length)}, on ${count(ranks)} ranks: ${duration(least)} to ${duration(most)}${rank}, median ${duration(median)}`;
  }

  /**
   * Selects the time of a step in all views.
   * @param {number} number
   */
  choose(number) {
    const { app } = this;
    if (number < 0 || number >= this.steps.length) return;
    this.chosen = number;
    const [from, to, , , , , , longest] = this.steps[number];
    app.selectArea({ start: from, end: to });
    if (longest !== null) app.choose(longest, (from + to) / 2);
    if (to < app.viewport.target.start || from > app.viewport.target.end) app.viewport.centre((from + to) / 2);
    app.announce(this.text(number));
  }

  draw() {
    const { canvas, app, steps } = this;
    const ratio = devicePixelRatio;
    fit(canvas, ratio);
    const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));
    context.fillStyle = app.theme.background;
    context.fillRect(0, 0, canvas.width, canvas.height);
    if (!steps.length) return;
    const highest = steps.reduce((most, step) => Math.max(most, step[6]), 1);
    const y = (/** @type {number} */ time) => canvas.height - 3 * ratio - (time / highest) * (canvas.height - 8 * ratio);
    const x = (/** @type {RunSteps['steps'][number]} */ step) => app.viewport.toPixel((step[0] + step[1]) / 2);
    if (app.area) app.shade(context, app.area, canvas.height);
    const band = (/** @type {number} */ low, /** @type {number} */ high, /** @type {number} */ alpha) => {
      context.globalAlpha = alpha;
      context.fillStyle = app.theme.seriesColor(0);
      context.beginPath();
      steps.forEach((step) => context.lineTo(x(step), y(Number(step[high]))));
      for (let i = steps.length - 1; i >= 0; i -= 1) context.lineTo(x(steps[i]), y(Number(steps[i][low])));
      context.fill();
      context.globalAlpha = 1;
    };
    band(2, 6, 0.25);
    band(3, 5, 0.45);
    this.line(context, steps.map((step) => [x(step), y(step[4])]), app.theme.seriesColor(0), ratio);
    this.line(context, steps.map((step) => [x(step), y(step[6])]), app.theme.seriesColor(1), ratio);
    context.fillStyle = app.theme.muted;
    context.font = `${11 * ratio}px "DejaVu Sans", system-ui, sans-serif`;
    context.textBaseline = 'top';
    context.fillText(duration(highest), 3 * ratio, 2 * ratio);
  }

  /** @param {CanvasRenderingContext2D} context @param {number[][]} points @param {string} color @param {number} ratio */
  line(context, points, color, ratio) {
    context.strokeStyle = color;
    context.lineWidth = Math.max(1, ratio);
    context.beginPath();
    points.forEach(([x, y]) => context.lineTo(x, y));
    context.stroke();
  }
}
