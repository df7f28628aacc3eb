// Leaves out rows that have no events on the screen, and keeps in place what the user looks at.
import { byId } from './dom.js';

/** The span must stand still for this time, so that rows do not come and go while it moves. */
const PAUSE_MS = 120;

export class EmptyRows {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    this.timer = 0;
    this.requests = 0;
    /** Nothing is asked for or waited for. */
    this.isSettled = true;
    /** What the rows were asked for last. */
    this.asked = '';
    /** @type {number[] | null} */
    this.answer = null;
    this.button = byId('empty-rows');
    this.button.addEventListener('click', () => this.toggle());
    app.viewport.changed.on(() => this.later());
    app.selection.changed.on(() => this.later());
  }

  /** Asks for the rows of the span as soon as it stands still. */
  later() {
    clearTimeout(this.timer);
    this.isSettled = false;
    this.timer = window.setTimeout(() => void this.ask(), PAUSE_MS);
  }

  /** @param {boolean} [shows] */
  toggle(shows = !this.app.tree.showsEmpty) {
    this.app.tree.showsEmpty = shows;
    this.button.setAttribute('aria-pressed', String(shows));
    this.keepPlace(() => this.app.tree.layout());
  }

  async ask() {
    this.requests += 1;
    const mine = this.requests;
    const { app } = this;
    const { start, end } = app.viewport.target;
    const { whole } = app.viewport;
    const isWhole = start <= whole.start && end >= whole.end;
    const question = isWhole ? 'all' : `${start} ${end} ${app.cache.version}`;
    try {
      const isKnown = question === this.asked;
      const answer = isKnown ? this.answer : isWhole ? null : (await app.source.used(Math.floor(start), Math.ceil(end))).rows;
      if (mine !== this.requests) return;
      this.asked = question;
      this.answer = answer;
      this.take(this.answer);
    } catch (error) {
      app.report(error);
    }
    if (mine === this.requests) this.isSettled = true;
  }

  /**
   * Where nothing happened, all rows are shown: an empty page would look like an error.
   * @param {number[] | null} rows
   */
  take(rows) {
    const { tree, selection, rowList } = this.app;
    const used = rows?.length ? new Set(rows) : null;
    const kept = [selection.ref?.row, rowList.active];
    for (let row = used && tree.byId.get(kept[0] ?? -1); row; row = row.parent === null ? null : tree.byId.get(row.parent)) used?.add(row.id);
    if (kept[1] !== null && kept[1] !== undefined) used?.add(kept[1]);
    if (isSame(used, tree.used)) return;
    this.keepPlace(() => tree.setUsed(used));
  }

  /**
   * Changes the rows. The row under the pointer, the active one, or else the first one stays where it is.
   * @param {() => void} change
   */
  keepPlace(change) {
    const { tree, timeline, pointer, rowList } = this.app;
    const { scroller } = timeline;
    const before = new Map(tree.placed.map(({ row, top }) => [row.id, top - scroller.scrollTop]));
    const isOnScreen = (/** @type {number | null | undefined} */ id) => {
      const top = before.get(id ?? -1);
      return top !== undefined && top >= 0 && top < scroller.clientHeight;
    };
    const anchors = [timeline.rowAt(pointer.x, pointer.y)?.placed.row.id, rowList.active, ...before.keys()].filter(isOnScreen);
    change();
    const places = new Map(tree.placed.map(({ row, top }) => [row.id, top]));
    const anchor = anchors.find((id) => places.has(id ?? -1)) ?? -1;
    if (places.has(anchor)) scroller.scrollTop = (places.get(anchor) ?? 0) - (before.get(anchor) ?? 0);
    timeline.invalidate();
  }
}

/** @param {Set<number> | null} a @param {Set<number> | null} b */
function isSame(a, b) {
  if (a === null || b === null) return a === b;
  return a.size === b.size && [...a].every((each) => b.has(each));
}
