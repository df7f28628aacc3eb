// The tree of rows: what is shown, in which order, how high.
import { Signal } from './signal.js';
import { count, hash } from './text.js';

const FEW_ROWS = 80;
const FEW_THREADS = 12;
const FEW_PROCESSES = 8;
const GROUPS = new Set(['report', 'process', 'gpus', 'gpu', 'context', 'stream', 'group']);
/** Rows that stand for several others, which are listed below them. */
const FOLDS = new Set(['threads', 'processes']);
/** Groups that are closed at first, besides folds. */
const CLOSED = new Set(['cpus']);
/** A stream with a smaller share of the busy time of its siblings is closed at first. */
const IDLE_SHARE = 0.02;
/** The same, where there are several streams. */
const SMALL_SHARE = 0.25;
const FEW_STREAMS = 2;
const HEIGHTS = { instants: 18, states: 16, counter: 48, density: 24 };

/** @param {Row} row @param {boolean} isCompact */
function sizeOf(row, isCompact) {
  if (row.style !== 'events') return { height: HEIGHTS[row.style] + 4, laneHeight: HEIGHTS[row.style] };
  let laneHeight = row.lanes <= 8 ? 18 : row.lanes <= 24 ? 12 : 6;
  if (isCompact && row.lanes > 1) laneHeight = Math.max(2, Math.min(4, 36 / row.lanes));
  return { height: Math.max(20, Math.ceil(row.lanes * laneHeight)) + 4, laneHeight };
}

export class RowTree {
  constructor() {
    /** @type {Map<number, Row>} */
    this.byId = new Map();
    /** @type {Map<number | null, Row[]>} */
    this.children = new Map();
    /**
     * Keys of rows stay the same for each server of the same report.
     * @type {Map<number, string>}
     */
    this.keys = new Map();
    /** @type {Map<string, boolean>} by key: what the user opened or closed */
    this.choices = new Map();
    /**
     * What the user did with all rows.
     * @type {boolean | null}
     */
    this.choiceOfAll = null;
    /** @type {Set<string>} */
    this.hidden = new Set();
    /** @type {string[]} */
    this.pinned = [];
    /**
     * Keys of the children of a row in the order that the user chose.
     * @type {Map<string, string[]>}
     */
    this.orders = new Map();
    this.filter = '';
    /**
     * Rows that have events on the screen; null: all have.
     * @type {Set<number> | null}
     */
    this.used = null;
    this.showsEmpty = false;
    /**
     * The only group below a group, which would be drawn the same: its rows are listed below the outer one.
     * @type {Map<number, Row>}
     */
    this.inner = new Map();
    this.threads = 0;
    this.processes = 0;
    /** @type {Placed[]} */
    this.placed = [];
    /** @type {Placed[]} */
    this.placedPins = [];
    this.height = 0;
    this.pinHeight = 0;
    /** @type {Signal<void>} */
    this.changed = new Signal();
  }

  /** @param {Row[]} rows in the order of display, parents first */
  update(rows) {
    this.byId = new Map(rows.map((row) => [row.id, row]));
    this.children = new Map();
    const listed = rows.filter((row) => !this.isInFold(row));
    this.threads = listed.filter((row) => row.kind === 'thread').length;
    this.processes = listed.filter((row) => row.kind === 'process').length;
    const taken = new Set();
    for (const row of rows) {
      const siblings = this.children.get(row.parent);
      if (siblings) siblings.push(row);
      else this.children.set(row.parent, [row]);
      const above = row.parent === null ? '' : this.keys.get(row.parent) ?? '';
      let key = '';
      for (let same = 0; key === '' || taken.has(key); same += 1) {
        key = hash(`${above}/${row.kind}/${row.name}/${row.note ?? ''}/${same}`).toString(36);
      }
      taken.add(key);
      this.keys.set(row.id, key);
    }
    this.inner = new Map();
    for (const row of rows) {
      const groups = (this.children.get(row.id) ?? []).filter((each) => this.hasChildren(each));
      const isPlain = groups.length === 1 && row.kind !== 'report' && ![row, groups[0]].some(({ kind }) => FOLDS.has(kind));
      if (isPlain && groups[0].style === 'density') this.inner.set(row.id, groups[0]);
    }
    this.layout();
  }

  /**
   * The row itself and the groups that it stands for.
   * @param {Row} row
   */
  chain(row) {
    const rows = [row];
    for (let each = this.inner.get(row.id); each; each = this.inner.get(each.id)) rows.push(each);
    return rows;
  }

  /**
   * The row that stands for a row: the row itself, unless it is the only group of the row above it.
   * @param {Row} row @returns {Row}
   */
  shownFor(row) {
    const above = row.parent === null ? undefined : this.byId.get(row.parent);
    return above && this.inner.get(above.id) === row ? this.shownFor(above) : row;
  }

  /**
   * What a row is called, with what it says about the groups that it stands for.
   * @param {Row} row
   */
  title(row) {
    const chain = this.chain(row);
    const [first, ...others] = chain.filter(({ kind }) => chain.length === 1 || (kind !== 'gpus' && kind !== 'context'));
    if (!first) return { name: row.name, note: row.note ?? '' };
    if (FOLDS.has(row.kind)) return { name: row.name, note: (row.note ?? '').replace(/^\d+/, (number) => count(Number(number))) };
    const notes = [first.note ?? ''];
    for (const { name, note = '' } of others) {
      const number = note.replace(/^tid /, '');
      notes.push(name === first.name ? '' : name, `pid ${number}` === first.note ? '' : note);
    }
    return { name: first.name, note: notes.filter(Boolean).join(', ') };
  }

  /** @param {Row} row */
  keyOf(row) {
    return this.keys.get(row.id) ?? '';
  }

  /** @param {string} key */
  byKey(key) {
    for (const [id, each] of this.keys) {
      if (each === key) return this.byId.get(id) ?? null;
    }
    return null;
  }

  /** @param {Row} row */
  hasChildren(row) {
    return this.children.has(row.id);
  }

  /**
   * Rows without others below them can be made flat if they have several lanes.
   * @param {Row} row
   */
  canClose(row) {
    return this.hasChildren(row) || (row.style === 'events' && row.lanes > 1);
  }

  /** @param {Row} row */
  isOpen(row) {
    const choice = this.choices.get(this.keyOf(row));
    if (choice !== undefined) return choice;
    if (!this.hasChildren(row)) return true;
    if (this.choiceOfAll !== null) return this.choiceOfAll;
    return this.chain(row).every((each) => this.isOpenAtFirst(each));
  }

  /** @param {Row} row */
  isOpenAtFirst(row) {
    if (FOLDS.has(row.kind) || CLOSED.has(row.kind) || this.isInFold(row)) return false;
    if (row.kind === 'stream' && (row.share ?? 1) < this.leastShare(row)) return false;
    if (this.byId.size <= FEW_ROWS || GROUPS.has(row.kind)) return true;
    return row.kind === 'thread' && (this.threads <= FEW_THREADS || this.isMainThread(row));
  }

  /** @param {Row} stream */
  leastShare(stream) {
    const streams = (this.children.get(stream.parent) ?? []).filter(({ kind }) => kind === 'stream').length;
    return streams > FEW_STREAMS ? SMALL_SHARE : IDLE_SHARE;
  }

  /** @param {Row} row */
  isInFold(row) {
    return row.parent !== null && FOLDS.has(this.byId.get(row.parent)?.kind ?? '');
  }

  /**
   * Whether a row is left out because it has no events on the screen.
   * @param {Row} row
   */
  isEmpty(row) {
    return !this.showsEmpty && this.used !== null && !this.used.has(row.id);
  }

  /** @param {Set<number> | null} used */
  setUsed(used) {
    this.used = used;
    this.layout();
  }

  /**
   * The first thread of a process, if there are not many processes.
   * @param {Row} row
   */
  isMainThread(row) {
    const siblings = this.children.get(row.parent) ?? [];
    return this.processes <= FEW_PROCESSES && siblings.find(({ kind }) => kind === 'thread') === row;
  }

  /** @param {Row} row @returns {Row[]} */
  childrenOf(row) {
    return this.ordered(this.keyOf(row), this.listed(row));
  }

  /** @param {Row} row @returns {Row[]} */
  listed(row) {
    const inner = this.inner.get(row.id);
    return (this.children.get(row.id) ?? []).flatMap((each) => (each === inner ? this.listed(each) : [each]));
  }

  /** @param {string} parent @param {Row[]} rows */
  ordered(parent, rows) {
    const order = this.orders.get(parent);
    if (!order) return rows;
    const places = new Map(order.map((key, place) => [key, place]));
    const place = (/** @type {Row} */ row) => places.get(this.keyOf(row)) ?? order.length;
    return [...rows].sort((a, b) => place(a) - place(b));
  }

  /** Places all rows that can be seen. */
  layout() {
    this.placed = [];
    this.height = 0;
    const matching = this.filter ? this.matching() : null;
    const visit = (/** @type {Row} */ row, /** @type {number} */ depth) => {
      const key = this.keyOf(row);
      if (this.hidden.has(key) || (matching ? !matching.has(row.id) : this.isEmpty(row))) return;
      this.height += this.place(this.placed, row, depth, this.height);
      if (this.isOpen(row) || matching) this.childrenOf(row).forEach((child) => visit(child, depth + 1));
    };
    this.ordered('', this.children.get(null) ?? []).forEach((row) => visit(row, 0));
    this.placedPins = [];
    this.pinHeight = 0;
    for (const key of this.pinned) {
      const row = this.byKey(key);
      if (row) this.pinHeight += this.place(this.placedPins, row, 0, this.pinHeight);
    }
    this.changed.emit();
  }

  /** @param {Placed[]} list @param {Row} row @param {number} depth @param {number} top */
  place(list, row, depth, top) {
    const { height, laneHeight } = sizeOf(row, !this.hasChildren(row) && !this.isOpen(row));
    list.push({ row, top, height, laneHeight, depth });
    return height;
  }

  /** Rows whose name or note has the text of the filter, those above them and those below them. */
  matching() {
    const wanted = this.filter.toLowerCase();
    const matched = new Set();
    const shown = new Set();
    for (const row of this.byId.values()) {
      const matches = `${row.name} ${row.note ?? ''}`.toLowerCase().includes(wanted);
      if (!matches && (row.parent === null || !matched.has(row.parent))) continue;
      matched.add(row.id);
      for (let each = /** @type {Row | undefined} */ (row); each && !shown.has(each.id);) {
        shown.add(each.id);
        each = each.parent === null ? undefined : this.byId.get(each.parent);
      }
    }
    return shown;
  }

  /** @param {string} text */
  setFilter(text) {
    this.filter = text;
    this.layout();
  }

  /** @param {Row} row @param {boolean} [open] */
  toggle(row, open = !this.isOpen(row)) {
    this.choices.set(this.keyOf(row), open);
    this.layout();
  }

  /** @param {boolean} open */
  toggleAll(open) {
    this.choices.clear();
    this.choiceOfAll = open;
    this.layout();
  }

  /** @param {Row} row */
  togglePin(row) {
    const key = this.keyOf(row);
    this.pinned = this.pinned.includes(key) ? this.pinned.filter((each) => each !== key) : [...this.pinned, key];
    this.layout();
  }

  /** @param {Row} row */
  hide(row) {
    this.hidden.add(this.keyOf(row));
    this.layout();
  }

  showAll() {
    this.hidden.clear();
    this.layout();
  }

  /**
   * The rows that are listed beside a row, with itself.
   * @param {Row} row @returns {Row[]}
   */
  siblings(row) {
    const pins = this.pinned.includes(this.keyOf(row)) ? this.placedPins.map((each) => each.row) : [];
    if (pins.includes(row)) return pins;
    const above = row.parent === null ? undefined : this.byId.get(row.parent);
    const all = above ? this.childrenOf(this.shownFor(above)) : this.ordered('', this.children.get(null) ?? []);
    return this.filter ? all : all.filter((each) => !this.isEmpty(each) && !this.hidden.has(this.keyOf(each)));
  }

  /**
   * Moves a row among its siblings.
   * @param {Row} row @param {number} by
   */
  move(row, by) {
    const key = this.keyOf(row);
    if (this.pinned.includes(key)) {
      this.pinned = moved(this.pinned, key, by);
    } else {
      const above = row.parent === null ? undefined : this.byId.get(row.parent);
      const parent = above && this.shownFor(above);
      const all = parent ? this.childrenOf(parent) : this.ordered('', this.children.get(null) ?? []);
      const seen = this.siblings(row);
      const other = seen[Math.max(0, Math.min(seen.length - 1, seen.indexOf(row) + by))];
      this.orders.set(parent ? this.keyOf(parent) : '', moved(all.map((each) => this.keyOf(each)), key, all.indexOf(other) - all.indexOf(row)));
    }
    this.layout();
  }

  /**
   * Opens all rows above a row.
   * @param {Row} row
   */
  reveal(row) {
    for (let id = row.parent; id !== null;) {
      const above = this.byId.get(id);
      if (!above) break;
      const shown = this.shownFor(above);
      if (!this.isOpen(shown)) this.choices.set(this.keyOf(shown), true);
      this.hidden.delete(this.keyOf(shown));
      this.used?.add(shown.id);
      id = shown.parent;
    }
    this.hidden.delete(this.keyOf(row));
    this.used?.add(row.id);
    this.filter = '';
    this.layout();
  }

  /**
   * A row's names from the top of the tree.
   * @param {Row} row
   */
  path(row) {
    const names = [];
    for (let each = /** @type {Row | undefined} */ (row); each;) {
      names.unshift(each.note ? `${each.name} ${each.note}` : each.name);
      each = each.parent === null ? undefined : this.byId.get(each.parent);
    }
    return names;
  }
}

/** @param {string[]} list @param {string} each @param {number} by */
function moved(list, each, by) {
  const place = list.indexOf(each);
  const others = list.filter((other) => other !== each);
  others.splice(Math.max(0, Math.min(others.length, place + by)), 0, each);
  return others;
}
