// Answers requests from the data in a page that is one file. This module replaces source.js and has
// the same exports.
import { ownTime } from './clock.js';
import { decodeEvents, FLAG_OPEN, readJson, readParts, SOURCE_SHIFT } from './file_data.js';
import { BY_NAME, sumsByName } from './file_sums.js';
import { eventTile, joined, storeTiles, StoredTiles } from './file_tiles.js';

/** @typedef {import('./file_data.js').Events} Events */
/** @typedef {{events: Events, i: number, lane: number}} Place */

/** What this file does not have, with a text for the user. */
export class Failure extends Error {
  /** @param {string} text @param {number} status */
  constructor(text, status) {
    super(text);
    this.status = status;
  }
}

class FileData {
  async load() {
    this.rows = /** @type {RowsAnswer} */ (await readJson('rows'));
    this.names = /** @type {(string | [string, string])[]} */ (await readJson('names'));
    this.answers = await readJson('answers');
    this.details = (await readJson('details')) ?? {};
    /** @type {Map<number, Events>} */
    this.events = new Map();
    for await (const part of readParts('events')) for (const row of decodeEvents(part)) this.events.set(row.row, row);
    /** @type {Map<number, StoredTiles>} */
    this.tiles = new Map();
    for (const row of this.rows.rows) {
      if (row.style === 'counter' || row.style === 'density') {
        this.tiles.set(row.id, new StoredTiles(row.id, Math.max(1, row.lanes), row.style === 'counter'));
      }
    }
    for await (const part of readParts('tiles')) storeTiles(part, this.tiles);
    return this;
  }

  /** @param {number} number */
  nameOf(number) {
    const name = this.names?.[number] ?? '';
    return typeof name === 'string' ? name : name[0];
  }

  /** @param {Place} place @returns {EventLine} */
  line({ events, i, lane }) {
    const flags = events.flags[i];
    return {
      row: events.row, source: flags >> SOURCE_SHIFT, id: events.id[i], name: this.nameOf(events.name[i]), lane,
      start: events.start[i], end: flags & FLAG_OPEN ? null : events.start[i] + events.duration[i],
    };
  }

  /**
   * These rows and all below them; all rows if there are none.
   * @param {number[]} ids
   */
  rowsBelow(ids) {
    const wanted = new Set(ids);
    for (const row of this.rows?.rows ?? []) {
      if (!ids.length || (row.parent !== null && wanted.has(row.parent))) wanted.add(row.id);
    }
    return wanted;
  }

  /** @param {number[]} ids @returns {Generator<Place>} */
  * places(ids) {
    for (const row of this.rowsBelow(ids)) {
      const events = this.events?.get(row);
      if (!events) continue;
      for (let lane = 0; lane + 1 < events.laneAt.length; lane += 1) {
        for (let i = events.laneAt[lane]; i < events.laneAt[lane + 1]; i += 1) yield { events, i, lane };
      }
    }
  }

  /** @param {EventRef} ref @returns {EventDetails} */
  event(ref) {
    const known = this.details?.[`${ref.row}:${ref.source}:${ref.id}`];
    if (known) return known;
    for (const place of this.places([ref.row])) {
      const { events, i } = place;
      if (events.row === ref.row && events.id[i] === ref.id && events.flags[i] >> SOURCE_SHIFT === ref.source) {
        const row = this.rows?.rows.find((each) => each.id === ref.row);
        const note = { name: '', value: null, text: 'The other details of this event are not in this file.' };
        return {
          ...this.line(place), table: row?.tables[ref.source] ?? '', columns: [note], chain: [], links: [], more_links: 0,
        };
      }
    }
    throw new Failure('There is no such event in this file.', 404);
  }

  /** @param {string} q @param {number | null} after @param {number} limit @param {number[]} rows @returns {FindAnswer} */
  find(q, after, limit, rows) {
    const matches = matcher(q);
    const named = (this.names ?? []).map((_, number) => matches(this.nameOf(number)));
    // Ranges on the GPU are ranges of threads once more, what a CPU ran are states of threads, and the critical path
    // consists of calls and operations.
    const again = new Set((this.rows?.rows ?? []).filter(({ kind }) => !rows.length && ['nvtx_gpu', 'cpu', 'path'].includes(kind)).map(({ id }) => id));
    const hits = [...this.places(rows)].filter(({ events, i }) => named[events.name[i]] && !again.has(events.row))
      .sort((a, b) => a.events.start[a.i] - b.events.start[b.i]);
    const first = after === null ? 0 : hits.findIndex(({ events, i }) => events.start[i] > after);
    const rest = first < 0 ? [] : hits.slice(first);
    const startOf = (/** @type {Place} */ place) => place.events.start[place.i];
    let end = Math.min(limit, rest.length);
    while (end > 0 && end < rest.length && startOf(rest[end]) === startOf(rest[end - 1])) end += 1;
    return {
      hits: rest.slice(0, end).map((place) => this.line(place)), total: hits.length,
      next: end < rest.length ? startOf(rest[end - 1]) : null,
    };
  }

  /**
   * Rows that have events in a span, and the rows above them. Curves are shown with the rows beside them.
   * @param {number} from @param {number} to
   */
  used(from, to) {
    const rows = this.rows?.rows ?? [];
    const used = new Set();
    for (const row of [...rows].reverse()) {
      const events = this.events?.get(row.id);
      const isUsed = used.has(row.id) || (row.kind !== 'state' && events && hasEvents(events, from, to));
      if (isUsed) used.add(row.id).add(row.parent);
    }
    for (const row of rows) {
      if ((row.kind === 'state' || row.style === 'counter') && (row.parent === null || used.has(row.parent))) used.add(row.id);
    }
    return rows.filter(({ id }) => used.has(id)).map(({ id }) => id);
  }

  /** @param {EventsQuery} query @returns {EventsAnswer} */
  table(query) {
    const { from, to, offset, limit } = query;
    const sign = query.order === 'desc' ? -1 : 1;
    const found = [...this.places([query.row])].filter(({ events, i }) => {
      const start = events.start[i];
      return (to ?? Infinity) >= start && start + events.duration[i] >= (from ?? -Infinity);
    });
    const key = {
      start: (/** @type {Place} */ a, /** @type {Place} */ b) => a.events.start[a.i] - b.events.start[b.i],
      duration: (/** @type {Place} */ a, /** @type {Place} */ b) => a.events.duration[a.i] - b.events.duration[b.i],
      name: (/** @type {Place} */ a, /** @type {Place} */ b) => {
        const [x, y] = [this.nameOf(a.events.name[a.i]), this.nameOf(b.events.name[b.i])];
        return x < y ? -1 : Number(x > y);
      },
    }[query.sort] ?? (() => 0);
    found.sort((a, b) => sign * key(a, b));
    return { total: found.length, offset, events: found.slice(offset, offset + limit).map((place) => this.line(place)) };
  }
}

/** @param {Events} events @param {number} from @param {number} to */
function hasEvents({ laneAt, start, duration }, from, to) {
  for (let lane = 0; lane + 1 < laneAt.length; lane += 1) {
    const i = firstEnding(start, duration, laneAt[lane], laneAt[lane + 1], from);
    if (i < laneAt[lane + 1] && start[i] <= to) return true;
  }
  return false;
}

/**
 * The first event of a lane that ends at a time or later.
 * @param {Float64Array} start @param {Float64Array} duration @param {number} from @param {number} to @param {number} time
 */
function firstEnding(start, duration, from, to, time) {
  let [low, high] = [from, to];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (start[middle] + duration[middle] < time) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** @param {FileData} data @param {number | null} row */
function reportOf(data, row) {
  return data.rows?.rows.find((each) => each.id === row)?.report ?? 0;
}

const THREAD_BITS = 24n;

/**
 * Selects the samples of a row's thread or process. Null: the row belongs to neither.
 * @param {FileData} data
 * @param {number | null} id
 * @returns {((thread: string) => boolean) | null}
 */
function selectorOf(data, id) {
  const row = data.rows?.rows.find((each) => each.id === id);
  if (row?.thread !== undefined) return (thread) => thread === row.thread;
  if (row?.process === undefined) return null;
  const process = BigInt(row.process) >> THREAD_BITS;
  return (thread) => BigInt(thread) >> THREAD_BITS === process;
}

/**
 * The flame graph of a part of the time or of the threads.
 * @param {FlameAnswer} answer @param {number} from @param {number} to
 * @param {((thread: string) => boolean) | null} selects
 * @returns {FlameAnswer}
 */
function flameOfPart(answer, from, to, selects) {
  const nodes = answer.nodes.map(([parent, number]) => /** @type {[number, number, number, number]} */ ([parent, number, 0, 0]));
  let [samples, total, start] = [0, 0, 0];
  const list = answer.list ?? { start: [], value: [], node: [], threads: [] };
  const selected = list.threads.flatMap(([thread, number]) => Array(number).fill(!selects || selects(thread)));
  for (let i = 0; i < list.start.length; i += 1) {
    const [value, node] = [list.value[i], list.node[i]];
    start += list.start[i];
    if (!selected[i]) continue;
    const inside = answer.calls ? Math.min(start + value, to) - Math.max(start, from) : start >= from && start <= to ? value : 0;
    if (inside <= 0) continue;
    samples += 1;
    total += inside;
    if (node >= 0) nodes[node][3] += inside;
  }
  for (let i = nodes.length - 1; i >= 0; i -= 1) {
    const [parent, , whole, own] = nodes[i];
    nodes[i][2] = whole + own;
    if (parent >= 0) nodes[parent][2] += nodes[i][2];
  }
  return { ...answer, samples, total, nodes };
}

/**
 * The rows of one kernel, or all rows.
 * @param {StatisticTable} table @param {string} [kernel]
 * @returns {StatisticTable}
 */
function ofKernel(table, kernel) {
  if (!kernel) return table;
  const name = table.columns.findIndex(({ header }) => header === 'Name');
  return { ...table, rows: table.rows.filter((row) => row[name] === kernel) };
}

/**
 * Does a name match what was typed?
 * @param {string} q
 * @returns {(name: string) => boolean}
 */
function matcher(q) {
  if (q.length > 2 && q.startsWith('/') && q.endsWith('/')) {
    try {
      const expression = new RegExp(q.slice(1, -1), 'i');
      return (name) => expression.test(name);
    } catch (error) {
      throw new Failure(`not a regular expression: ${/** @type {Error} */ (error).message}`, 400);
    }
  }
  const part = q.toLowerCase();
  return (name) => name.toLowerCase().includes(part);
}

/**
 * The source that all data of the page comes from.
 * @returns {Source}
 */
export function openSource() {
  const counters = { requests: 0, pending: 0, aborted: 0, failed: 0, slowest: 0, slowestPath: '' };
  const loading = new FileData().load();

  /** @template T @param {(data: FileData) => T} make @returns {Promise<T>} */
  async function from(make) {
    counters.requests += 1;
    return make(await loading);
  }
  /**
   * An answer that was saved.
   * @param {string} name
   * @param {string} [key]
   */
  const saved = (name, key) => from(({ answers }) => {
    const answer = key === undefined ? answers[name] : answers[name]?.[key];
    if (!answer) throw new Failure('This file does not have that. It has what prof view --html wrote.', 404);
    if (answer.error) throw new Failure(answer.error, 409);
    return answer;
  });
  /** @param {number | null | undefined} first @param {number | null | undefined} last */
  const isPartOfTime = async (first, last) => {
    const { rows } = await loading;
    const span = rows?.span ?? { start: 0, end: 0 };
    return (first ?? span.start) > span.start || (last ?? span.end) < span.end;
  };

  return {
    counters,
    rows: () => from((data) => /** @type {RowsAnswer} */ (data.rows)),
    names: (first) => from((data) => ({ from: first, names: (data.names ?? []).slice(first) })),
    tiles: (rows, level, index) => from(({ events, tiles }) => joined(rows.map((row) => {
      const stored = events?.get(row);
      if (stored) return eventTile(stored, level, index);
      return (tiles?.get(row) ?? new StoredTiles(row, 1, false)).make(level, index);
    }))),
    event: (ref) => from((data) => data.event(ref)),
    find: (q, after, limit, rows) => from((data) => data.find(q, after, limit, rows)),
    events: (query) => from((data) => data.table(query)),
    statistics: async (report) => {
      const { statistics } = await saved('statistics', `${report ?? 0}`);
      return { statistics: [...statistics, BY_NAME] };
    },
    statistic: async (name, first, last, report, kernel) => {
      const isPart = await isPartOfTime(first, last);
      if (name !== BY_NAME.name && !isPart) return ofKernel(await saved('statistic', `${report ?? 0}:${name}`), kernel);
      const { span } = /** @type {RowsAnswer} */ ((await loading).rows);
      return sumsByName(await loading, name, first ?? span.start, last ?? span.end, report ?? 0);
    },
    flame: async (kind, row, first, last) => {
      const data = await loading;
      const report = reportOf(data, row);
      const answer = await saved('flame', `${report}:${kind}`);
      const selects = selectorOf(data, row);
      if (!selects && !await isPartOfTime(first, last)) return answer;
      const clock = data.rows?.reports[report];
      return flameOfPart(answer, ownTime(clock, first ?? -Infinity), ownTime(clock, last ?? Infinity), selects);
    },
    used: (first, last) => from((data) => ({ rows: data.used(first, last) })),
    sections: () => saved('sections'),
    sourceText: async (_, file) => ({ file, missing: 'This file has no source text. prof view --sources=FOLDER with the report shows it.' }),
    summary: (report) => saved('summary', `${report ?? 0}`),
    diff: () => saved('diff'),
    path: async () => {
      throw new Failure('This file has the path that it shows. prof view with the report finds others.', 404);
    },
    query: async () => {
      throw new Failure('This file cannot be queried in SQL. prof view with the report can.', 404);
    },
  };
}
