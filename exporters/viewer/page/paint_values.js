// Paints rows of curves and of busy shares, pixel by pixel.
import { pixel } from './colors.js';
import { quantity } from './text.js';

/** @typedef {import('./paint_events.js').Picture} Picture */

/** Least, greatest and last value of each pixel of one series. */
class Curve {
  /** @param {number} width */
  constructor(width) {
    this.least = new Float64Array(width).fill(NaN);
    this.most = new Float64Array(width).fill(NaN);
    this.last = new Float64Array(width).fill(NaN);
  }

  /** @param {number} x @param {number} least @param {number} most @param {number} last */
  add(x, least, most, last) {
    this.least[x] = this.least[x] < least ? this.least[x] : least;
    this.most[x] = this.most[x] > most ? this.most[x] : most;
    this.last[x] = last;
  }

  /**
   * Takes the values of a lane. Each holds until the next one.
   * @param {Picture} picture @param {Segment} segment @param {number} lane
   */
  take({ start: viewStart, nsPerPixel, pen }, { tile, from, to }, lane) {
    if (lane >= tile.lanes) return;
    const scale = tile.unit / nsPerPixel;
    const origin = (tile.base - viewStart) / nsPerPixel;
    const leftEnd = Math.max(0, Math.floor((from - viewStart) / nsPerPixel));
    const rightEnd = Math.min(pen.width, Math.ceil((to - viewStart) / nsPerPixel));
    const end = tile.laneAt[lane + 1];
    for (let i = tile.laneAt[lane]; i < end; i += 1) {
      const x = Math.floor(origin + tile.start[i] * scale);
      const next = i + 1 < end ? Math.floor(origin + tile.start[i + 1] * scale) : rightEnd;
      if (x >= rightEnd) break;
      if (next < leftEnd) continue;
      if (x >= leftEnd) this.add(x, tile.min[i], tile.max[i], tile.last[i]);
      const held = tile.last[i];
      for (let each = Math.max(x + 1, leftEnd); each < Math.min(next, rightEnd); each += 1) this.add(each, held, held, held);
    }
  }
}

/**
 * A counter: filled up to its last value, with a line from the least to the greatest value of each pixel.
 * @param {Picture} picture
 * @param {Placed} placed
 * @param {number} y
 * @param {Segment[]} segments
 */
export function paintCounter(picture, placed, y, segments) {
  const { pen, theme } = picture;
  const lanes = Math.max(1, placed.row.series?.length ?? placed.row.lanes);
  const curves = Array.from({ length: lanes }, () => new Curve(pen.width));
  curves.forEach((curve, lane) => segments.forEach((segment) => curve.take(picture, segment, lane)));
  const [lowest, highest] = limits(curves);
  const height = Math.round(placed.laneHeight * pen.ratio);
  const top = Math.round(y + 2 * pen.ratio);
  if (highest === -Infinity) return;
  const offset = pen.raster(top, height, height);
  const scale = (height - 1) / (highest - lowest || 1);
  curves.forEach((curve, lane) => drawCurve(pen, curve, offset, height, (value) => (value - lowest) * scale, theme.seriesColor(lane)));
  const series = placed.row.series && lanes > 1 ? `${placed.row.series.join(', ')}: ` : '';
  const text = `${series}${lowest < 0 ? `${quantity(lowest, placed.row.unit)} to ` : 'up to '}${quantity(highest, placed.row.unit)}`;
  // The label stands on the curve, which may have any height there.
  pen.rect(Math.round(2 * pen.ratio), top, Math.round(pen.measure(text) + 4 * pen.ratio), Math.round(15 * pen.ratio), `${theme.background}dd`);
  pen.text(Math.round(4 * pen.ratio), top + Math.round(11 * pen.ratio), text, theme.muted);
}

/**
 * Shares of a whole, one above the other: the first is at the bottom.
 * @param {Picture} picture
 * @param {Placed} placed
 * @param {number} y
 * @param {Segment[]} segments
 */
export function paintStack(picture, placed, y, segments) {
  const { pen, theme } = picture;
  const series = placed.row.series ?? [];
  const curves = series.map(() => new Curve(pen.width));
  curves.forEach((curve, lane) => segments.forEach((segment) => curve.take(picture, segment, lane)));
  const height = Math.round(placed.laneHeight * pen.ratio);
  const top = Math.round(y + 2 * pen.ratio);
  const offset = pen.raster(top, height, height);
  const colors = series.map((_, lane) => pixel(theme.seriesColor(lane), 190));
  for (let x = 0; x < pen.width; x += 1) {
    let sum = 0;
    curves.forEach(({ last }, lane) => {
      const bottom = height - Math.round((sum * height) / 100);
      sum += Number.isNaN(last[x]) ? 0 : last[x];
      for (let row = Math.max(0, height - Math.round((sum * height) / 100)); row < bottom; row += 1) pen.pixels[offset + row * pen.width + x] = colors[lane];
    });
  }
  paintLegend(picture, series, top, offset, height);
}

/**
 * What the colors mean. It is a part of the picture of the row, so that nothing is between it and its texts.
 * @param {Picture} picture @param {string[]} series @param {number} top @param {number} offset @param {number} height
 */
function paintLegend({ pen, theme }, series, top, offset, height) {
  const [size, gap, end] = [9, 3, 15].map((each) => Math.round(each * pen.ratio));
  let x = gap;
  for (const [lane, name] of series.entries()) {
    const next = Math.min(pen.width, x + size + Math.round(pen.measure(name)) + 4 * gap);
    for (let row = 0; row < Math.min(end, height); row += 1) {
      pen.pixels.fill(pixel(theme.background, 221), offset + row * pen.width + x - gap, offset + row * pen.width + next - gap);
      if (row >= gap && row < gap + size) pen.pixels.fill(pixel(theme.seriesColor(lane)), offset + row * pen.width + x, offset + row * pen.width + x + size);
    }
    pen.text(x + size + gap, top + Math.round(11 * pen.ratio), name, theme.muted);
    x = next;
    if (x >= pen.width - size) break;
  }
}

/** @param {Curve[]} curves @returns {[number, number]} */
function limits(curves) {
  let lowest = 0;
  let highest = -Infinity;
  for (const { least, most } of curves) {
    for (let x = 0; x < most.length; x += 1) {
      if (most[x] > highest) highest = most[x];
      if (least[x] < lowest) lowest = least[x];
    }
  }
  return [lowest, highest];
}

/** @param {Pen} pen @param {Curve} curve @param {number} offset @param {number} height @param {(value: number) => number} level @param {string} color */
function drawCurve(pen, curve, offset, height, level, color) {
  const line = pixel(color);
  const filling = pixel(color, 70);
  const thick = Math.max(1, Math.round(pen.ratio));
  const zero = height - 1 - Math.round(level(0));
  let before = NaN;
  for (let x = 0; x < curve.last.length; x += 1) {
    const last = curve.last[x];
    if (Number.isNaN(last)) {
      before = NaN;
      continue;
    }
    const high = Math.max(curve.most[x], Number.isNaN(before) ? -Infinity : before);
    const low = Math.min(curve.least[x], Number.isNaN(before) ? Infinity : before);
    const top = height - 1 - Math.round(level(high));
    const bottom = Math.min(height - 1, Math.max(height - 1 - Math.round(level(low)), top + thick - 1));
    for (let row = Math.max(0, top); row <= bottom; row += 1) pen.pixels[offset + row * pen.width + x] = line;
    for (let row = bottom + 1; row <= zero; row += 1) {
      if (pen.pixels[offset + row * pen.width + x] === 0) pen.pixels[offset + row * pen.width + x] = filling;
    }
    before = last;
  }
}

/**
 * A group: the height is the busy share of the pixel's time, the color is that of its longest event.
 * @param {Picture} picture
 * @param {Placed} placed
 * @param {number} y
 * @param {Segment[]} segments
 */
export function paintDensity(picture, placed, y, segments) {
  const { pen } = picture;
  const height = Math.round(placed.laneHeight * pen.ratio);
  const top = Math.round(y + 2 * pen.ratio);
  const shares = new Float32Array(pen.width);
  const names = new Uint32Array(pen.width);
  let isEmpty = true;
  for (const segment of segments) isEmpty = !takeShares(picture, segment, shares, names) && isEmpty;
  if (isEmpty) return;
  const offset = pen.raster(top, height, height);
  for (let x = 0; x < pen.width; x += 1) {
    if (shares[x] <= 0) continue;
    const color = picture.names.get(names[x]).faint;
    const filled = Math.min(height, Math.max(1, Math.round(shares[x] * height)));
    for (let row = height - filled; row < height; row += 1) pen.pixels[offset + row * pen.width + x] = color;
  }
}

/** @param {Picture} picture @param {Segment} segment @param {Float32Array} shares @param {Uint32Array} names */
function takeShares({ start: viewStart, nsPerPixel, pen }, { tile, from, to }, shares, names) {
  const scale = tile.unit / nsPerPixel;
  const origin = (tile.base - viewStart) / nsPerPixel;
  const leftEnd = Math.max(0, Math.round((from - viewStart) / nsPerPixel));
  const rightEnd = Math.min(pen.width, Math.round((to - viewStart) / nsPerPixel));
  let hasAny = false;
  for (let i = 0; i < tile.count; i += 1) {
    const left = origin + tile.start[i] * scale;
    if (left >= rightEnd) break;
    const right = left + tile.width[i] * scale;
    const first = Math.max(leftEnd, Math.floor(left));
    const end = Math.min(rightEnd, Math.max(first + 1, Math.round(right)));
    for (let x = first; x < end; x += 1) {
      if (tile.busy[i] >= shares[x]) {
        shares[x] = tile.busy[i];
        names[x] = tile.name[i];
        hasAny = true;
      }
    }
  }
  return hasAny;
}
