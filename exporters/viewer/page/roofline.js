// The roofline of a kernel or of operators: operations a second over operations for each byte, below what the GPU could do.
import { element, svgElement } from './dom.js';
import { linesOf, numberOf } from './kernel_tables.js';
import { quantity, visible } from './text.js';

/**
 * @typedef {{level: string, precision: string, x: number, y: number, isBefore: boolean, name?: string, index?: number}} Point
 * @typedef {{compute: Map<string, number>, memory: Map<string, number>, points: Point[]}} Roofs rates are a second's
 */

const GIGA = 1e9;
const WIDTH = 720;
const HEIGHT = 380;
const PLOT = { left: 64, right: 24, top: 16, bottom: 44 };
const LEVELS = ['DRAM', 'L2', 'L1'];
/** An axis has no more powers of ten than these. */
const MOST_DECADES = 9;
const MARK = 5;

/**
 * @param {Figures | undefined} table @param {boolean} isBefore
 * @returns {Roofs}
 */
export function roofsOf(table, isBefore = false) {
  /** @type {Roofs} */
  const roofs = { compute: new Map(), memory: new Map(), points: [] };
  for (const line of linesOf(table)) {
    const precision = String(line['Precision']);
    const rate = numberOf(line['GFLOP/s']) * GIGA;
    if (numberOf(line['Peak GFLOP/s']) > 0) roofs.compute.set(precision, numberOf(line['Peak GFLOP/s']) * GIGA);
    for (const level of LEVELS) {
      if (numberOf(line[`${level} Peak GB/s`]) > 0) roofs.memory.set(level, numberOf(line[`${level} Peak GB/s`]) * GIGA);
      const x = numberOf(line[`${level} FLOP/byte`]);
      if (rate > 0 && x > 0) roofs.points.push({ level, precision, x, y: rate, isBefore });
    }
  }
  return roofs;
}

/**
 * Whole powers of ten around the values.
 * @param {number[]} values @returns {[number, number]}
 */
function decades(values) {
  const logs = values.filter((each) => each > 0 && Number.isFinite(each)).map(Math.log10);
  const high = Math.ceil(Math.max(...logs) + 0.15);
  return [Math.max(high - MOST_DECADES, Math.floor(Math.min(...logs) - 0.15)), high];
}

class Plot {
  /** @param {number[]} xs @param {number[]} ys */
  constructor(xs, ys) {
    this.x = decades(xs);
    this.y = decades(ys);
    this.width = WIDTH - PLOT.left - PLOT.right;
    this.height = HEIGHT - PLOT.top - PLOT.bottom;
  }

  /** @param {number} value */
  left(value) {
    return PLOT.left + ((Math.log10(value) - this.x[0]) / (this.x[1] - this.x[0])) * this.width;
  }

  /** @param {number} value */
  top(value) {
    return PLOT.top + ((this.y[1] - Math.log10(value)) / (this.y[1] - this.y[0])) * this.height;
  }

  /** Lines and names of the powers of ten. */
  axes() {
    const parts = [svgElement('rect', { class: 'plot-frame', x: PLOT.left, y: PLOT.top, width: this.width, height: this.height })];
    const bottom = PLOT.top + this.height;
    for (let power = this.x[0]; power <= this.x[1]; power += 1) {
      const x = this.left(10 ** power);
      parts.push(svgElement('line', { class: 'plot-grid', x1: x, x2: x, y1: PLOT.top, y2: bottom }),
        svgElement('text', { x, y: bottom + 15, 'text-anchor': 'middle' }, power < -3 || power > 4 ? `1e${power}` : (10 ** power).toLocaleString('en-US', { maximumFractionDigits: 3 })));
    }
    for (let power = this.y[0]; power <= this.y[1]; power += 1) {
      const y = this.top(10 ** power);
      parts.push(svgElement('line', { class: 'plot-grid', x1: PLOT.left, x2: PLOT.left + this.width, y1: y, y2: y }),
        svgElement('text', { x: PLOT.left - 6, y: y + 4, 'text-anchor': 'end' }, quantity(10 ** power).replace(/\.0+(?= )/, '')));
    }
    parts.push(svgElement('text', { x: PLOT.left + this.width / 2, y: HEIGHT - 8, 'text-anchor': 'middle' }, 'FLOP/byte'),
      svgElement('text', { transform: `translate(13 ${PLOT.top + this.height / 2}) rotate(-90)`, 'text-anchor': 'middle' }, 'FLOP/s'));
    return parts;
  }
}

/**
 * The sloped roof of a level of memory, up to the highest roof of arithmetic.
 * @param {Plot} plot @param {string} level @param {number} bandwidth @param {number} peak
 */
function memoryRoof(plot, level, bandwidth, peak) {
  const [low, high] = [10 ** plot.x[0], 10 ** plot.x[1]];
  const begin = Math.max(low, 10 ** plot.y[0] / bandwidth);
  const end = Math.min(high, peak / bandwidth);
  if (end <= begin) return [];
  const [x1, y1, x2, y2] = [plot.left(begin), plot.top(begin * bandwidth), plot.left(end), plot.top(end * bandwidth)];
  const angle = (Math.atan2(y2 - y1, x2 - x1) * 180) / Math.PI;
  const [x, y] = [x1 + (x2 - x1) * 0.06, y1 + (y2 - y1) * 0.06];
  return [svgElement('line', { class: `roof level-${level}`, x1, y1, x2, y2 }),
    svgElement('text', { class: `roof-name level-${level}`, transform: `translate(${x.toFixed(1)} ${y.toFixed(1)}) rotate(${angle.toFixed(2)}) translate(0 -4)` },
      `${level} ${quantity(bandwidth).replace(/(?<=[kMGTP])$/, '')}B/s`)];
}

/**
 * A point: a circle for DRAM, a square for L2, a triangle for L1; hollow if it is of the report before.
 * @param {Plot} plot @param {Point} point
 */
function markOf(plot, point) {
  const [x, y] = [plot.left(point.x), plot.top(point.y)];
  const shape = `mark level-${point.level}${point.isBefore ? ' before' : ''}`;
  const title = svgElement('title', {}, `${point.isBefore ? 'Before: ' : ''}${pointText(point)}`);
  const data = { class: shape, 'data-level': point.level, 'data-precision': point.precision, 'data-x': point.x, 'data-y': point.y,
    ...(point.index === undefined ? {} : { 'data-index': point.index }) };
  if (point.level === 'DRAM') return svgElement('circle', { ...data, cx: x, cy: y, r: MARK }, title);
  if (point.level === 'L2') return svgElement('rect', { ...data, x: x - MARK, y: y - MARK, width: 2 * MARK, height: 2 * MARK }, title);
  return svgElement('path', { ...data, d: `M${x} ${y - MARK - 1}L${x + MARK + 1} ${y + MARK}L${x - MARK - 1} ${y + MARK}Z` }, title);
}

/** @param {Point} point */
function pointText({ level, precision, x, y, name }) {
  const whose = name === undefined ? '' : `${visible(name, 200)}: `;
  return `${whose}${visible(precision, 40)}, ${level}: ${quantity(y, 'FLOP/s')} at ${x.toLocaleString('en-US', { maximumSignificantDigits: 4 })} FLOP/byte`;
}

/**
 * Lines from the points of the report before to those after.
 * @param {Plot} plot @param {Point[]} before @param {Point[]} after
 */
function changes(plot, before, after) {
  return before.flatMap((from) => {
    const to = after.find((each) => each.level === from.level && each.precision === from.precision);
    return to ? [svgElement('line', { class: `change level-${from.level}`, x1: plot.left(from.x), y1: plot.top(from.y), x2: plot.left(to.x), y2: plot.top(to.y) })] : [];
  });
}

/**
 * The precisions of each rate. Their roofs are one line.
 * @param {Map<string, number>} rates
 */
function byRate(rates) {
  /** @type {Map<number, string[]>} */
  const precisions = new Map();
  for (const [precision, rate] of rates) precisions.set(rate, [...(precisions.get(rate) ?? []), precision]);
  return precisions;
}

/**
 * The drawing, or null if the kernel computes nothing or its roofs were not measured.
 * @param {Roofs} roofs @param {Roofs | null} before the same of the report before
 */
export function rooflineChart(roofs, before) {
  const peak = Math.max(0, ...roofs.compute.values());
  const points = [...(before?.points ?? []), ...roofs.points];
  if (!roofs.points.length || peak <= 0 || !roofs.memory.size) return null;
  const ridges = [...roofs.memory.values()].map((each) => peak / each);
  const plot = new Plot([...points.map(({ x }) => x), ...ridges], [...points.map(({ y }) => y), ...roofs.compute.values()]);
  const fastest = Math.max(...roofs.memory.values());
  const parts = plot.axes();
  for (const [level, bandwidth] of roofs.memory) parts.push(...memoryRoof(plot, level, bandwidth, peak));
  for (const [rate, precisions] of byRate(roofs.compute)) {
    const end = PLOT.left + plot.width;
    parts.push(svgElement('line', { class: 'roof', x1: Math.max(PLOT.left, plot.left(rate / fastest)), x2: end, y1: plot.top(rate), y2: plot.top(rate) }),
      svgElement('text', { class: 'roof-name', x: end - 6, y: plot.top(rate) - 4, 'text-anchor': 'end' }, `${precisions.map((each) => visible(each, 40)).join('; ')} ${quantity(rate, 'FLOP/s')}`));
  }
  if (before) parts.push(...changes(plot, before.points, roofs.points));
  parts.push(...points.map((each) => markOf(plot, each)));
  const text = `Roofline. ${roofs.points.map(pointText).join('. ')}.${before?.points.length ? ` Before: ${before.points.map(pointText).join('. ')}.` : ''}`;
  return svgElement('svg', { class: 'roofline', viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: 'img', 'aria-label': text }, ...parts);
}

/**
 * What the marks mean.
 * @param {Roofs} roofs @param {boolean} hasBefore
 */
export function rooflineLegend(roofs, hasBefore) {
  const signs = /** @type {Record<string, string>} */ ({ DRAM: '●', L2: '■', L1: '▲' });
  const parts = [...new Set(roofs.points.map(({ level }) => level))].map((level) => element('span', {}, element('span', { className: `sign level-${level}` }, signs[level]), ` by bytes of ${level}`));
  return element('div', { className: 'legend' }, ...parts, hasBefore ? element('span', {}, 'hollow: before') : null);
}
