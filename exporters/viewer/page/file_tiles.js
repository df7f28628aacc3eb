// Makes tiles as the server does (docs/viewer-protocol.md), from the data in the file.
import { FLAG_INSTANT, FLAG_LINKS, FLAG_OPEN, FLAG_PATH, SOURCE_SHIFT } from './file_data.js';
import { AGGREGATE, decodeTiles, FROM_BEFORE, GOES_ON, HAS_LINKS, INSTANT, ON_PATH, OPEN_END, STEPS } from './tile.js';

/** @typedef {import('./file_data.js').Events} Events */

const MAGIC = 0x314c5450;
const HEADER = 40;

/** Packs columns after a header. */
class TileBytes {
  /** @param {number} row @param {number} level @param {number} index @param {number} style @param {number} lanes */
  constructor(row, level, index, style, lanes) {
    this.row = row;
    this.level = level;
    this.base = index * STEPS * 2 ** level;
    this.style = style;
    this.lanes = lanes;
  }

  /** @param {(Uint32Array | Uint16Array | Float64Array | Float32Array)[]} columns */
  pack(columns) {
    const bytes = columns.reduce((sum, column) => sum + ((column.byteLength + 7) & ~7), HEADER);
    const packed = new Uint8Array(bytes);
    const head = new DataView(packed.buffer);
    head.setUint32(0, MAGIC, true);
    head.setUint32(4, bytes, true);
    head.setUint32(8, this.row, true);
    head.setUint32(12, columns[0].length, true);
    head.setBigInt64(16, BigInt(this.base), true);
    head.setUint32(24, 1, true);
    head.setUint16(28, this.lanes, true);
    head.setUint8(30, this.level);
    head.setUint8(31, this.style);
    let at = HEADER;
    for (const column of columns) {
      packed.set(new Uint8Array(column.buffer, column.byteOffset, column.byteLength), at);
      at += (column.byteLength + 7) & ~7;
    }
    return packed;
  }
}

/** The first index from `from` to `to` for which `isAfter` holds. It holds for all that follow. */
function bisect(/** @type {number} */ from, /** @type {number} */ to, /** @type {(i: number) => boolean} */ isAfter) {
  let low = from;
  let high = to;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isAfter(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/**
 * The flags of a tile's element.
 * @param {number} flags of the event in the file
 */
function flagsOf(flags) {
  return ((flags >> SOURCE_SHIFT) << 8) | (flags & FLAG_OPEN ? OPEN_END : 0) | (flags & FLAG_LINKS ? HAS_LINKS : 0)
    | (flags & FLAG_INSTANT ? INSTANT : 0);
}

/**
 * Events narrower than a step that start in the same step are one element.
 * @param {Events} events
 * @param {number} level
 * @param {number} index
 */
export function eventTile(events, level, index) {
  const { start, duration, laneAt } = events;
  const step = 2 ** level;
  const unit = Math.max(1, step / 16);
  const base = index * STEPS * step;
  const end = base + STEPS * step;
  const units = (/** @type {number} */ time) => Math.floor((Math.min(Math.max(time, base), end) - base) / unit);
  /** @type {number[][]} */
  const [starts, widths, names, ids, counts, lanes, flags] = [[], [], [], [], [], [], []];
  for (let lane = 0; lane + 1 < laneAt.length; lane += 1) {
    const last = laneAt[lane + 1];
    let i = bisect(laneAt[lane], last, (each) => start[each] >= base || start[each] + duration[each] > base);
    while (i < last && start[i] < end) {
      let next = i + 1;
      let longest = i;
      let path = events.flags[i] & FLAG_PATH;
      if (duration[i] < step) {
        const border = base + (Math.floor(Math.max(0, start[i] - base) / step) + 1) * step;
        for (; next < last && start[next] < border && duration[next] < step; next += 1) {
          if (duration[next] > duration[longest]) longest = next;
          path |= events.flags[next] & FLAG_PATH;
        }
      }
      const until = start[next - 1] + duration[next - 1];
      starts.push(units(start[i]));
      widths.push(units(until) - units(start[i]));
      names.push(events.name[longest]);
      ids.push(events.id[longest]);
      counts.push(next - i);
      lanes.push(lane);
      flags.push(flagsOf(events.flags[longest]) | (next - i > 1 ? AGGREGATE : 0) | (start[i] < base ? FROM_BEFORE : 0)
        | (until > end ? GOES_ON : 0) | (path ? ON_PATH : 0));
      i = next;
    }
  }
  return new TileBytes(events.row, level, index, 0, laneAt.length - 1).pack([
    Uint32Array.from(starts), Uint32Array.from(widths), Uint32Array.from(names), Uint32Array.from(ids),
    Uint32Array.from(counts), Uint16Array.from(lanes), Uint16Array.from(flags),
  ]);
}

/** Values and density of a row: tiles of one level, from which those of all others are made. */
export class StoredTiles {
  /** @param {number} row @param {number} lanes @param {boolean} isCounter */
  constructor(row, lanes, isCounter) {
    this.row = row;
    this.lanes = lanes;
    this.isCounter = isCounter;
    /** @type {Tile[]} in the order of time */
    this.tiles = [];
  }

  /** @param {number} level @param {number} index */
  make(level, index) {
    return this.isCounter ? this.values(level, index) : this.density(level, index);
  }

  /** @param {number} level @param {number} index */
  values(level, index) {
    const step = 2 ** level;
    const base = index * STEPS * step;
    const end = base + STEPS * step;
    const unit = Math.max(1, step / 16);
    /** @type {number[][]} */
    const [min, max, last, start, lanes] = [[], [], [], [], []];
    for (let lane = 0; lane < this.lanes; lane += 1) {
      let stepOfLast = -2;
      for (const { time, tile, i } of this.elements(lane)) {
        if (time >= end) break;
        // Each value before the tile replaces the previous one, so that the last one remains.
        const at = time < base ? -1 : Math.floor((time - base) / step);
        const isSame = at === stepOfLast;
        const place = isSame ? min.length - 1 : min.length;
        const joins = isSame && at >= 0;
        const [least, most] = at < 0 ? [tile.last[i], tile.last[i]] : [tile.min[i], tile.max[i]];
        min[place] = joins ? Math.min(min[place], least) : least;
        max[place] = joins ? Math.max(max[place], most) : most;
        last[place] = tile.last[i];
        start[place] = joins ? start[place] : Math.floor(Math.max(0, time - base) / unit);
        lanes[place] = lane;
        stepOfLast = at;
      }
    }
    return new TileBytes(this.row, level, index, 1, this.lanes).pack([
      Float64Array.from(min), Float64Array.from(max), Float64Array.from(last), Uint32Array.from(start),
      Uint16Array.from(lanes),
    ]);
  }

  /**
   * The elements of a lane, without those that repeat the last value before a tile.
   * @param {number} lane
   */
  * elements(lane) {
    for (const tile of this.tiles) {
      const isFirst = tile === this.tiles[0];
      for (let i = tile.laneAt[lane]; i < tile.laneAt[lane + 1]; i += 1) {
        const repeats = !isFirst && tile.start[i] === 0 && i === tile.laneAt[lane];
        if (!repeats) yield { time: tile.base + tile.start[i] * tile.unit, tile, i };
      }
    }
  }

  /** @param {number} level @param {number} index */
  density(level, index) {
    const step = 2 ** level;
    const base = index * STEPS * step;
    const unit = Math.max(1, step / 16);
    const busy = new Float64Array(STEPS);
    const most = new Float64Array(STEPS);
    const names = new Uint32Array(STEPS);
    for (const tile of this.tiles) {
      if (tile.base >= base + STEPS * step || tile.base + STEPS * 2 ** tile.level <= base) continue;
      for (let i = 0; i < tile.count; i += 1) {
        const from = Math.max(base, tile.base + tile.start[i] * tile.unit);
        const to = Math.min(base + STEPS * step, tile.base + (tile.start[i] + tile.width[i]) * tile.unit);
        for (let at = Math.floor((from - base) / step); at < STEPS && base + at * step < to; at += 1) {
          const part = (Math.min(to, base + (at + 1) * step) - Math.max(from, base + at * step)) / step * tile.busy[i];
          busy[at] += part;
          if (part > most[at]) {
            most[at] = part;
            names[at] = tile.name[i];
          }
        }
      }
    }
    const used = [...busy.keys()].filter((at) => busy[at] > 0);
    return new TileBytes(this.row, level, index, 2, 1).pack([
      Uint32Array.from(used, (at) => at * step / unit), new Uint32Array(used.length).fill(step / unit),
      Uint32Array.from(used, (at) => names[at]), Float32Array.from(used, (at) => Math.min(1, busy[at])),
    ]);
  }
}

/**
 * Adds the tiles of a part to their rows.
 * @param {Uint8Array} bytes
 * @param {Map<number, StoredTiles>} rows
 */
export function storeTiles(bytes, rows) {
  for (const tile of decodeTiles(/** @type {ArrayBuffer} */ (bytes.buffer), 0)) rows.get(tile.row)?.tiles.push(tile);
}

/**
 * One after another.
 * @param {Uint8Array[]} tiles
 * @returns {ArrayBuffer}
 */
export function joined(tiles) {
  const all = new Uint8Array(tiles.reduce((sum, tile) => sum + tile.length, 0));
  let at = 0;
  for (const tile of tiles) {
    all.set(tile, at);
    at += tile.length;
  }
  return /** @type {ArrayBuffer} */ (all.buffer);
}
