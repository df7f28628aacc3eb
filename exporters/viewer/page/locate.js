// Finds the event at a point, and the place where an event is drawn.
import { FROM_BEFORE, GOES_ON, firstEndingAfter } from './tile.js';

const REACH = 3;

/**
 * The event of a lane that is at a time, or the nearest one within three pixels.
 * @param {Segment[]} segments
 * @param {number} lane
 * @param {number} time
 * @param {number} reach in ns
 * @returns {Hit | null}
 */
function nearest(segments, lane, time, reach) {
  /** @type {Hit | null} */
  let best = null;
  let distance = reach;
  for (const { tile, from, to } of segments) {
    if (lane >= tile.lanes || tile.style !== 0 || from - reach > time || to + reach < time) continue;
    const end = tile.laneAt[lane + 1];
    const first = firstEndingAfter(tile, tile.laneAt[lane], end, (time - reach - tile.base) / tile.unit);
    for (let i = first; i < end; i += 1) {
      const begin = tile.base + tile.start[i] * tile.unit;
      if (begin > time + reach) break;
      const away = Math.max(0, begin - time, time - begin - tile.width[i] * tile.unit);
      if (away > distance || (best && away === distance)) continue;
      distance = away;
      best = hitOf(tile, i, lane);
    }
  }
  return best;
}

/** @param {Tile} tile @param {number} i @param {number} lane @returns {Hit} */
function hitOf(tile, i, lane) {
  const start = tile.base + tile.start[i] * tile.unit;
  return {
    ref: { row: tile.row, source: tile.flags[i] >> 8, id: tile.id[i] }, lane, name: tile.name[i],
    events: tile.events[i], flags: tile.flags[i] & 0xff, start, end: start + tile.width[i] * tile.unit,
  };
}

/**
 * An event whose parts in several tiles are joined. Its flags say at which ends it goes on outside of them.
 * @param {Segment[]} segments @param {Hit} hit @returns {Hit}
 */
function joined(segments, hit) {
  const parts = [hit];
  for (const { tile } of segments) {
    if (tile.style !== 0 || hit.lane >= tile.lanes) continue;
    for (const i of [tile.laneAt[hit.lane], tile.laneAt[hit.lane + 1] - 1]) {
      if (i < tile.laneAt[hit.lane] || tile.id[i] !== hit.ref.id || tile.flags[i] >> 8 !== hit.ref.source) continue;
      parts.push(hitOf(tile, i, hit.lane));
    }
  }
  const first = parts.reduce((a, b) => (b.start < a.start ? b : a));
  const last = parts.reduce((a, b) => (b.end > a.end ? b : a));
  const flags = (hit.flags & ~(FROM_BEFORE | GOES_ON)) | (first.flags & FROM_BEFORE) | (last.flags & GOES_ON);
  return { ...hit, start: first.start, end: last.end, flags };
}

/**
 * What is at a point of a row. `y` is in CSS pixels from the top of the row.
 * @param {Placed} placed
 * @param {Segment[]} segments
 * @param {number} time
 * @param {number} y
 * @param {number} nsPerPixel
 */
export function hitInRow(placed, segments, time, y, nsPerPixel) {
  if (placed.row.style === 'counter' || placed.row.style === 'density') return null;
  const lane = Math.floor((y - 2) / placed.laneHeight);
  if (lane < 0 || lane >= Math.max(1, placed.row.lanes)) return null;
  const hit = nearest(segments, lane, time, REACH * nsPerPixel);
  return hit && hit.events === 1 && hit.flags & (FROM_BEFORE | GOES_ON) ? joined(segments, hit) : hit;
}

/**
 * The lane of an event, −1 if its tile shows it only together with others.
 * @param {Segment[]} segments
 * @param {EventRef} ref
 * @param {number} start
 */
export function laneOf(segments, ref, start) {
  for (const { tile } of segments) {
    if (tile.style !== 0) continue;
    const units = (start - tile.base) / tile.unit;
    for (let lane = 0; lane < tile.lanes; lane += 1) {
      const end = tile.laneAt[lane + 1];
      for (let i = firstEndingAfter(tile, tile.laneAt[lane], end, units - 1); i < end && tile.start[i] <= units + 1; i += 1) {
        if (tile.id[i] === ref.id && tile.flags[i] >> 8 === ref.source) return lane;
      }
    }
  }
  return -1;
}

/**
 * How busy a group is at a time, and the name of its longest event there.
 * @param {Segment[]} segments
 * @param {number} time
 */
export function busyAt(segments, time) {
  for (const { tile, from, to } of segments) {
    if (tile.style !== 2 || time < from || time >= to) continue;
    const units = (time - tile.base) / tile.unit;
    const i = firstEndingAfter(tile, 0, tile.count, units);
    if (i < tile.count && tile.start[i] <= units) return { busy: tile.busy[i], name: tile.name[i] };
  }
  return null;
}

/**
 * What a row's curves have as value at a time: the last value before it of each series.
 * @param {Segment[]} segments
 * @param {number} lanes
 * @param {number} time
 */
export function valuesAt(segments, lanes, time) {
  const values = new Array(lanes).fill(NaN);
  for (const { tile, from, to } of segments) {
    if (tile.style !== 1 || time < from || time >= to) continue;
    for (let lane = 0; lane < Math.min(lanes, tile.lanes); lane += 1) {
      for (let i = tile.laneAt[lane]; i < tile.laneAt[lane + 1]; i += 1) {
        if (tile.base + tile.start[i] * tile.unit > time) break;
        values[lane] = tile.last[i];
      }
    }
  }
  return values;
}
