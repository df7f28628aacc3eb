// Keeps fetched tiles, the most recently used ones first, and requests the tiles that the screen
// needs.
import { Signal } from './signal.js';
import { decodeTiles, tileSpan } from './tile.js';

const ROOM = 64 << 20;
const REQUESTS_AT_ONCE = 4;
const ROWS_OF_A_REQUEST = 16;
const COARSER_LEVELS = 8;
const TOP_LEVEL = 43;

/** @typedef {{tile: Tile, frame: number, version: number}} Entry */
/** @typedef {{level: number, index: number, rows: Row[], abort: AbortController}} Flight */

export class TileCache {
  /** @param {Source} source */
  constructor(source) {
    this.source = source;
    /** @type {Map<string, Entry>} */
    this.entries = new Map();
    /** @type {Flight[]} */
    this.flights = [];
    /**
     * Rows to fetch, by level and index.
     * @type {Map<string, {level: number, index: number, early: boolean, rows: Set<Row>}>}
     */
    this.wanted = new Map();
    this.bytes = 0;
    this.frame = 0;
    this.version = 0;
    this.failed = new Set();
    /** @type {Signal<Tile[]>} */
    this.arrived = new Signal();
    /** @type {Signal<unknown>} */
    this.refused = new Signal();
  }

  /**
   * Tiles of rows that changed are drawn until their new ones arrive.
   * @param {number} version of the answer of rows
   */
  renew(version) {
    this.version = version;
    this.failed.clear();
  }

  beginFrame() {
    this.frame += 1;
    this.wanted.clear();
  }

  /**
   * The best tiles at hand for a span, in the order of time, and a wish for those that are missing.
   * @param {Row} row
   * @param {number} level
   * @param {number} from
   * @param {number} to
   * @returns {Segment[]}
   */
  segments(row, level, from, to) {
    const span = tileSpan(level);
    /** @type {Segment[]} */
    const found = [];
    for (let index = Math.floor(from / span); index * span < to; index += 1) {
      const tile = this.find(row, level, index);
      if (tile) found.push({ tile, from: index * span, to: (index + 1) * span });
      else this.substitute(found, row, level, index);
      if (!tile || tile.version < row.version) this.wish(row, level, index, false);
    }
    return found;
  }

  /**
   * A coarser tile, or finer ones, in the place of a missing tile.
   * @param {Segment[]} found
   * @param {Row} row
   * @param {number} level
   * @param {number} index
   */
  substitute(found, row, level, index) {
    const from = index * tileSpan(level);
    const to = from + tileSpan(level);
    for (let up = 1; up <= COARSER_LEVELS; up += 1) {
      const tile = this.find(row, level + up, Math.floor(index / 2 ** up));
      if (!tile) continue;
      const before = found[found.length - 1];
      if (before?.tile === tile && before.to === from) before.to = to;
      else found.push({ tile, from, to });
      return;
    }
    if (level === 0) return;
    for (const child of [index * 2, index * 2 + 1]) {
      const tile = this.find(row, level - 1, child);
      const span = tileSpan(level - 1);
      if (tile) found.push({ tile, from: child * span, to: (child + 1) * span });
    }
  }

  /** @param {Row} row @param {number} level @param {number} index */
  find(row, level, index) {
    const key = `${row.id}/${level}/${index}`;
    const entry = this.entries.get(key);
    if (entry && entry.frame !== this.frame) {
      entry.frame = this.frame;
      this.entries.delete(key);
      this.entries.set(key, entry);
    }
    return entry?.tile;
  }

  /** @param {Row} row @param {number} level @param {number} index @param {boolean} early wanted for later frames */
  wish(row, level, index, early) {
    const key = `${level}/${index}`;
    const group = this.wanted.get(key);
    if (!group) this.wanted.set(key, { level, index, early, rows: new Set([row]) });
    else {
      group.rows.add(row);
      group.early &&= early;
    }
  }

  /**
   * Wishes for the tiles beside the span and for the next level.
   * @param {Row} row @param {number} level @param {Span} span
   */
  wishNeighbours(row, level, { start, end }) {
    const size = tileSpan(level);
    this.wishIfMissing(row, level, Math.floor(start / size) - 1);
    this.wishIfMissing(row, level, Math.floor(end / size) + 1);
    if (level < TOP_LEVEL) {
      const coarse = tileSpan(level + 1);
      this.wishIfMissing(row, level + 1, Math.floor(start / coarse));
      this.wishIfMissing(row, level + 1, Math.floor(end / coarse));
    }
    if (level > 0) this.wishIfMissing(row, level - 1, Math.floor((start + end) / 2 / tileSpan(level - 1)));
  }

  /**
   * Wishes for the tiles of a span, for later frames.
   * @param {Row} row @param {number} level @param {Span} span
   */
  wishSpan(row, level, { start, end }) {
    const size = tileSpan(level);
    for (let index = Math.floor(start / size); index * size < end; index += 1) this.wishIfMissing(row, level, index);
  }

  /** @param {Row} row @param {number} level @param {number} index */
  wishIfMissing(row, level, index) {
    const entry = this.entries.get(`${row.id}/${level}/${index}`);
    if (!entry || entry.version < row.version) this.wish(row, level, index, true);
  }

  /** Fetches what the frame missed, and aborts what it did not ask for. */
  endFrame() {
    for (const flight of [...this.flights]) {
      if (!this.wanted.has(`${flight.level}/${flight.index}`)) {
        flight.abort.abort();
        this.flights = this.flights.filter((each) => each !== flight);
      }
    }
    this.fetchNext();
  }

  fetchNext() {
    const groups = [...this.wanted.values()].sort((a, b) => Number(a.early) - Number(b.early));
    for (const group of groups) {
      if (group.early && this.flights.length > 0) return;
      for (;;) {
        if (this.flights.length >= REQUESTS_AT_ONCE) return;
        const rows = [...group.rows].filter((row) => !this.isUnderWay(row, group)).slice(0, ROWS_OF_A_REQUEST);
        if (!rows.length) break;
        void this.fetch(group.level, group.index, rows);
      }
    }
  }

  /** @param {Row} row @param {{level: number, index: number}} place */
  isUnderWay(row, { level, index }) {
    const key = `${row.id}/${level}/${index}`;
    const entry = this.entries.get(key);
    if (this.failed.has(key) || (entry && entry.version >= row.version)) return true;
    return this.flights.some((each) => each.level === level && each.index === index && each.rows.includes(row));
  }

  /** @param {number} level @param {number} index @param {Row[]} rows */
  async fetch(level, index, rows) {
    const flight = { level, index, rows, abort: new AbortController() };
    this.flights.push(flight);
    const versions = new Map(rows.map((row) => [row.id, row.version]));
    try {
      const ids = rows.map((row) => row.id);
      const tiles = decodeTiles(await this.source.tiles(ids, level, index, this.version, flight.abort.signal), index);
      for (const tile of tiles) this.store(tile, versions.get(tile.row) ?? 0);
      for (const id of ids) {
        if (!tiles.some((tile) => tile.row === id)) this.failed.add(`${id}/${level}/${index}`);
      }
      this.arrived.emit(tiles);
    } catch (error) {
      if (flight.abort.signal.aborted) return;
      for (const row of rows) this.failed.add(`${row.id}/${level}/${index}`);
      this.refused.emit(error);
    } finally {
      this.flights = this.flights.filter((each) => each !== flight);
    }
    this.fetchNext();
  }

  /** @param {Tile} tile @param {number} version */
  store(tile, version) {
    const key = `${tile.row}/${tile.level}/${tile.index}`;
    const old = this.entries.get(key);
    if (old) this.bytes -= old.tile.bytes;
    this.entries.delete(key);
    tile.version = Math.max(tile.version, version);
    this.entries.set(key, { tile, frame: this.frame, version: tile.version });
    this.bytes += tile.bytes;
    for (const [oldest, entry] of this.entries) {
      if (this.bytes <= ROOM || entry.frame === this.frame) break;
      this.entries.delete(oldest);
      this.bytes -= entry.tile.bytes;
    }
  }

  /** Nothing is on its way that the last frame needs. */
  get isQuiet() {
    return this.flights.length === 0;
  }
}
