// Tiles: the bytes of docs/viewer-protocol.md as typed arrays, without copying.

const MAGIC = 0x314c5450;
const HEADER = 40;
export const STEPS = 1024;

export const AGGREGATE = 0x01;
export const OPEN_END = 0x02;
export const FROM_BEFORE = 0x04;
export const GOES_ON = 0x08;
export const HAS_LINKS = 0x10;
export const INSTANT = 0x20;
export const ON_PATH = 0x40;

const EVENTS = 0;
const VALUES = 1;
const NO_U16 = new Uint16Array(0);
const NO_U32 = new Uint32Array(0);
const NO_F32 = new Float32Array(0);
const NO_F64 = new Float64Array(0);

/** Takes columns from the bytes of a tile, one after another. Each begins at a multiple of 8 bytes. */
class Columns {
  /** @param {ArrayBuffer} buffer @param {number} offset @param {number} end @param {number} count */
  constructor(buffer, offset, end, count) {
    this.buffer = buffer;
    this.offset = offset;
    this.end = end;
    this.count = count;
  }

  /**
   * @template T
   * @param {{new (buffer: ArrayBuffer, offset: number, count: number): T, BYTES_PER_ELEMENT: number}} type
   * @returns {T}
   */
  take(type) {
    const bytes = type.BYTES_PER_ELEMENT * this.count;
    if (this.offset + bytes > this.end) throw new Error('a tile is shorter than its header says');
    const column = new type(this.buffer, this.offset, this.count);
    this.offset += (bytes + 7) & ~7;
    return column;
  }
}

/**
 * Offsets of the lanes in columns that are sorted by lane.
 * @param {Uint16Array} lane
 * @param {number} lanes
 */
function laneOffsets(lane, lanes) {
  const offsets = new Uint32Array(lanes + 1);
  let i = 0;
  for (let each = 0; each < lanes; each += 1) {
    while (i < lane.length && lane[i] < each) i += 1;
    offsets[each] = i;
  }
  while (i < lane.length && lane[i] < lanes) i += 1;
  offsets[lanes] = i;
  return offsets;
}

/**
 * @param {ArrayBuffer} buffer
 * @param {number} offset
 * @param {number} index
 * @returns {Tile}
 */
function decodeOne(buffer, offset, index) {
  const head = new DataView(buffer, offset, HEADER);
  const bytes = head.getUint32(4, true);
  if (head.getUint32(0, true) !== MAGIC || bytes < HEADER || bytes % 8 || offset + bytes > buffer.byteLength) {
    throw new Error('this is not a tile');
  }
  const count = head.getUint32(12, true);
  const level = head.getUint8(30);
  const lanes = Math.max(1, head.getUint16(28, true));
  /** @type {Tile} */
  const tile = {
    row: head.getUint32(8, true), level, index, version: head.getUint32(24, true), style: head.getUint8(31),
    sketch: (head.getUint32(32, true) & 1) !== 0, count, lanes, base: Number(head.getBigInt64(16, true)),
    unit: Math.max(1, 2 ** level / 16), bytes, laneAt: NO_U32, start: NO_U32, width: NO_U32, name: NO_U32, id: NO_U32,
    events: NO_U32, flags: NO_U16, min: NO_F64, max: NO_F64, last: NO_F64, busy: NO_F32,
  };
  fill(tile, new Columns(buffer, offset + HEADER, offset + bytes, count));
  return tile;
}

/** @param {Tile} tile @param {Columns} columns */
function fill(tile, columns) {
  if (tile.style === EVENTS) {
    tile.start = columns.take(Uint32Array);
    tile.width = columns.take(Uint32Array);
    tile.name = columns.take(Uint32Array);
    tile.id = columns.take(Uint32Array);
    tile.events = columns.take(Uint32Array);
    tile.laneAt = laneOffsets(columns.take(Uint16Array), tile.lanes);
    tile.flags = columns.take(Uint16Array);
  } else if (tile.style === VALUES) {
    tile.min = columns.take(Float64Array);
    tile.max = columns.take(Float64Array);
    tile.last = columns.take(Float64Array);
    tile.start = columns.take(Uint32Array);
    tile.laneAt = laneOffsets(columns.take(Uint16Array), tile.lanes);
  } else {
    tile.start = columns.take(Uint32Array);
    tile.width = columns.take(Uint32Array);
    tile.name = columns.take(Uint32Array);
    tile.busy = columns.take(Float32Array);
    tile.laneAt = Uint32Array.of(0, tile.count);
  }
}

/**
 * The tiles of an answer, one for each row that was asked for.
 * @param {ArrayBuffer} buffer
 * @param {number} index
 */
export function decodeTiles(buffer, index) {
  const tiles = [];
  for (let offset = 0; offset + HEADER <= buffer.byteLength;) {
    const tile = decodeOne(buffer, offset, index);
    tiles.push(tile);
    offset += tile.bytes;
  }
  return tiles;
}

/**
 * The level whose steps are at most one pixel.
 * @param {number} nsPerPixel
 */
export function levelFor(nsPerPixel) {
  return Math.max(0, Math.floor(Math.log2(Math.max(1, nsPerPixel))));
}

/**
 * How many ns a tile of this level covers.
 * @param {number} level
 */
export function tileSpan(level) {
  return STEPS * 2 ** level;
}

/**
 * The first element from `from` to `to` that ends after a time: elements of a lane do not overlap, so their ends are
 * sorted, too.
 * @param {Tile} tile
 * @param {number} from
 * @param {number} to
 * @param {number} time in units from the tile's base
 */
export function firstEndingAfter(tile, from, to, time) {
  const { start, width } = tile;
  let low = from;
  let high = to;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (start[middle] + width[middle] < time) low = middle + 1;
    else high = middle;
  }
  return low;
}
