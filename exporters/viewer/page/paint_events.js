// Paints rows of events: events narrower than three pixels go into a strip of pixels, the others
// are rectangles with labels.
import { HOLLOW, PLAIN } from './colors.js';
import { Merger } from './merged.js';
import { count } from './text.js';
import { AGGREGATE, FROM_BEFORE, GOES_ON, INSTANT, ON_PATH, OPEN_END, firstEndingAfter } from './tile.js';

const NARROW = 3;
const LABEL_ROOM = 24;
const FADING = ['bb', '77', '33'];

/**
 * Draws rows of one picture. All x are device pixels.
 * @typedef {{pen: Pen, names: import('./names.js').Names, theme: import('./colors.js').Theme, start: number, nsPerPixel: number}} Picture
 */
export class EventPainter {
  /** @param {Picture} picture */
  constructor(picture) {
    this.picture = picture;
    this.strip = -1;
    this.merger = new Merger(picture);
    this.cover = new Float32Array(picture.pen.width);
    // True if there is a piece of an event that may go on in the next tile.
    this.hasPiece = false;
    this.left = 0;
    this.right = 0;
    this.id = 0;
    this.flags = 0;
    this.name = 0;
    this.events = 0;
    // The position of the lane that is being drawn.
    this.y = 0;
    this.height = 0;
    this.isLabelled = false;
    this.isTicks = false;
    this.tick = -1;
    this.tickName = 0;
  }

  /**
   * @param {Placed} placed
   * @param {number} y
   * @param {Segment[]} segments
   */
  row(placed, y, segments) {
    const { pen } = this.picture;
    const lanes = Math.max(1, placed.row.lanes);
    this.isTicks = placed.row.style === 'instants';
    const gap = placed.laneHeight >= 6 ? 1 : 0;
    for (let lane = 0; lane < lanes; lane += 1) {
      const top = Math.round(y + (lane * placed.laneHeight + 2) * pen.ratio);
      const bottom = Math.round(y + ((lane + 1) * placed.laneHeight + 2 - gap) * pen.ratio);
      if (bottom < 0 || top > pen.height) continue;
      this.y = top;
      this.height = Math.max(1, bottom - top);
      this.isLabelled = placed.laneHeight >= 10;
      this.strip = -1;
      this.hasPiece = false;
      this.tick = -1;
      for (const segment of segments) this.segment(segment, lane);
      this.finishPiece();
      this.finishTick(pen.width);
      this.finishMerged();
    }
  }

  /** @param {Segment} segment @param {number} lane */
  segment({ tile, from, to }, lane) {
    if (lane >= tile.lanes) return;
    const { start: viewStart, nsPerPixel, pen } = this.picture;
    const scale = tile.unit / nsPerPixel;
    const origin = (tile.base - viewStart) / nsPerPixel;
    const leftEnd = Math.max(-4, (from - viewStart) / nsPerPixel);
    const rightEnd = Math.min(pen.width + 4, (to - viewStart) / nsPerPixel);
    const { start, width, id, flags } = tile;
    const last = tile.laneAt[lane + 1];
    let i = firstEndingAfter(tile, tile.laneAt[lane], last, (leftEnd - origin) / scale);
    for (; i < last; i += 1) {
      let left = origin + start[i] * scale;
      if (left >= rightEnd) break;
      let right = left + width[i] * scale;
      if (left < leftEnd) left = leftEnd;
      if (right > rightEnd) right = rightEnd;
      const isNext = this.hasPiece && this.id === id[i] && this.flags >> 8 === flags[i] >> 8;
      if (isNext && left - this.right < 1.5 && (flags[i] & FROM_BEFORE || left === leftEnd)) {
        this.right = right;
        this.flags = (this.flags & ~GOES_ON) | flags[i];
        continue;
      }
      this.finishPiece();
      if (right - left < NARROW) this.narrow(left, right, tile, i);
      else this.beginPiece(left, right, tile, i);
    }
  }

  finishMerged() {
    this.merger.finish(this.strip, this.isLabelled ? this.baseline() : 0);
  }

  /** @param {number} left @param {number} right @param {Tile} tile @param {number} i */
  beginPiece(left, right, tile, i) {
    this.finishMerged();
    this.hasPiece = true;
    this.left = left;
    this.right = right;
    this.id = tile.id[i];
    this.flags = tile.flags[i];
    this.name = tile.name[i];
    this.events = tile.events[i];
  }

  /** @param {number} left @param {number} right @param {Tile} tile @param {number} i */
  narrow(left, right, tile, i) {
    const { pen, names } = this.picture;
    if (this.strip < 0) {
      this.strip = pen.raster(this.y, this.height, 1);
      this.cover.fill(0);
    }
    if (this.merger.isEndedBy(left)) this.finishMerged();
    this.merger.add(left, right, tile.name[i]);
    const name = names.get(tile.name[i]);
    const color = tile.flags[i] & AGGREGATE ? name.faint : name.pixel;
    const first = Math.max(0, Math.floor(left));
    const isTick = this.isTicks || (tile.flags[i] & INSTANT) !== 0;
    const end = Math.min(pen.width, Math.max(first + (isTick ? Math.round(pen.ratio) : 1), Math.round(right)));
    const size = right - left + 1e-6;
    for (let x = first; x < end; x += 1) {
      if (size >= this.cover[x]) {
        this.cover[x] = size;
        pen.pixels[this.strip + x] = color;
      }
    }
    if (isTick) {
      this.finishTick(left);
      this.tick = tile.events[i] === 1 ? right : -1;
      this.tickName = tile.name[i];
    }
  }

  /**
   * The label of a mark stands at its right side, if there is room up to the next one.
   * @param {number} next
   */
  finishTick(next) {
    if (this.tick < 0 || !this.isLabelled) return;
    const { pen, names, theme } = this.picture;
    const room = next - this.tick - 8 * pen.ratio;
    if (room > LABEL_ROOM * pen.ratio) {
      const text = names.fit(names.get(this.tickName), room, pen);
      if (text) pen.text(Math.round(this.tick + 4 * pen.ratio), this.baseline(), text, theme.text);
    }
    this.tick = -1;
  }

  baseline() {
    return Math.round(this.y + this.height / 2 + 4 * this.picture.pen.ratio);
  }

  finishPiece() {
    if (!this.hasPiece) return;
    this.hasPiece = false;
    if (this.isTicks) this.finishTick(this.left);
    const { pen, names, theme } = this.picture;
    const name = names.get(this.name);
    const left = Math.round(this.left);
    const right = Math.max(left + 1, Math.round(this.right));
    // A gap of one pixel shows where the next event begins.
    const width = right - left > 3 && !(this.flags & GOES_ON) ? right - left - 1 : right - left;
    const isAggregate = (this.flags & AGGREGATE) !== 0 && this.events > 1;
    const isHollow = name.pattern === HOLLOW && !isAggregate;
    if (isAggregate) pen.rect(left, this.y, width, this.height, `${name.color}be`);
    else if (isHollow) this.hollow(left, width, name.color);
    else if (this.flags & OPEN_END) this.fade(left, width, name.color);
    else pen.rect(left, this.y, width, this.height, name.color);
    if (name.pattern !== PLAIN && !isHollow) pen.hatch(left, this.y, width, this.height, name.pattern, name.ink);
    if (this.flags & ON_PATH) pen.outline(left, this.y, width, this.height, theme.text, Math.max(1, Math.round(1.5 * pen.ratio)));
    if (!this.isLabelled || right - left < LABEL_ROOM * pen.ratio) return;
    const from = Math.max(left, 0) + Math.round(4 * pen.ratio);
    const room = Math.min(left + width, pen.width) - from - 2 * pen.ratio;
    const text = isAggregate ? severalEvents(this.events, room, pen) : names.fit(name, room, pen);
    if (text) pen.text(from, this.baseline(), text, isHollow || isAggregate ? theme.text : name.ink);
  }

  /** @param {number} left @param {number} width @param {string} color */
  hollow(left, width, color) {
    const { pen } = this.picture;
    pen.rect(left, this.y, width, this.height, `${color}44`);
    pen.outline(left, this.y, width, this.height, color, Math.max(1, Math.round(pen.ratio)));
  }

  /**
   * An event without an end in the report.
   * @param {number} left @param {number} width @param {string} color
   */
  fade(left, width, color) {
    const { pen } = this.picture;
    const part = Math.min(Math.round(12 * pen.ratio), Math.floor(width / 4));
    const solid = width - part * FADING.length;
    pen.rect(left, this.y, solid, this.height, color);
    FADING.forEach((alpha, i) => pen.rect(left + solid + i * part, this.y, part, this.height, color + alpha));
  }
}

/** @param {number} events @param {number} room @param {Pen} pen */
function severalEvents(events, room, pen) {
  const text = `${count(events)} events`;
  return pen.measure(text) <= room ? text : '';
}
