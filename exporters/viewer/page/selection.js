// The selected event, its links, and the selected span of time.
import { Signal } from './signal.js';

/** Relations whose events are highlighted; the others are only listed. */
const CLOSE = new Set(['launches', 'launched by', 'range', 'inside', 'part of', 'critical path']);

export class Selection {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    /** @type {EventRef | null} */
    this.ref = null;
    /** @type {EventDetails | null} */
    this.details = null;
    /** @type {Area | null} */
    this.area = null;
    /**
     * Rows with linked events.
     * @type {Set<number>}
     */
    this.rows = new Set();
    this.requests = 0;
    /** @type {Signal<void>} */
    this.changed = new Signal();
    /** @type {Signal<void>} */
    this.areaChanged = new Signal();
  }

  /** Events that are drawn as linked. */
  get links() {
    return this.details ? this.details.links.filter((link) => CLOSE.has(link.relation)) : [];
  }

  /**
   * Selects an event. With `show` it is brought to the screen.
   * @param {EventRef} ref
   * @param {boolean} [show]
   */
  async select(ref, show = false) {
    this.requests += 1;
    const mine = this.requests;
    this.ref = { row: ref.row, source: ref.source, id: ref.id };
    this.app.timeline.invalidate();
    try {
      const details = await this.app.source.event(this.ref);
      if (mine !== this.requests) return;
      this.details = details;
      this.rows = new Set(this.links.map((link) => link.row));
      if (show) this.show();
      this.changed.emit();
    } catch (error) {
      if (mine === this.requests) this.clear();
      this.app.report(error);
    }
    this.app.timeline.invalidate();
  }

  /**
   * Selects the event that a stretch of the critical path belongs to; if it belongs to none, the stretch.
   * @param {EventRef} ref
   */
  async selectOwner(ref) {
    await this.select(ref);
    const isKnown = this.ref?.id === ref.id && this.details?.id === ref.id;
    const owner = isKnown && this.details?.links.find(({ relation }) => relation === 'part of');
    if (owner) await this.select(owner);
  }

  /** Brings the selected event to the screen. */
  show() {
    const { details } = this;
    if (!details) return;
    const { tree, viewport, timeline } = this.app;
    const row = tree.byId.get(details.row);
    if (row) {
      if (!tree.placed.some((each) => each.row === row)) tree.reveal(row);
      this.app.rowList.active = row.id;
      timeline.scrollTo(row, details.lane);
    }
    const end = details.end ?? viewport.whole.end;
    const { start, end: right } = viewport.target;
    const length = end - details.start;
    const screen = right - start;
    if (details.start >= start && end <= right && length > screen / 200) return;
    if (length > screen || length < screen / 200) viewport.fit(details.start - length, end + length);
    else viewport.centre((details.start + end) / 2);
  }

  /** Scrolls to the row of the selected event, after the room for rows has become smaller. */
  keepInView() {
    const row = this.ref && this.app.tree.byId.get(this.ref.row);
    if (row) this.app.timeline.scrollTo(row, this.details?.id === this.ref?.id ? this.details?.lane : 0);
  }

  clear() {
    this.requests += 1;
    this.ref = null;
    this.details = null;
    this.rows = new Set();
    this.changed.emit();
    this.app.timeline.invalidate();
  }

  /** @param {Area | null} area */
  setArea(area) {
    this.area = area;
    this.areaChanged.emit();
    this.app.timeline.invalidate();
  }

  /**
   * Selects the next event of the same row, or the one before.
   * @param {number} by
   */
  async step(by) {
    const { app, details } = this;
    const row = details ? app.tree.byId.get(details.row) : app.rowList.activeRow;
    if (!row) return;
    const { whole, start, end } = app.viewport;
    const from = details ? (by > 0 ? details.start : whole.start - 1) : start;
    const to = details ? (by > 0 ? whole.end + 1 : details.start + 1) : end;
    try {
      const query = { row: row.id, from, to, sort: 'start', order: by > 0 ? 'asc' : 'desc', offset: 0, limit: 200 };
      const { events } = await app.source.events(query);
      const candidates = details ? events.filter((event) => isBeside(event, details, by)) : events;
      const next = candidates.find((event) => event.lane === details?.lane) ?? candidates[0];
      if (next) await this.select(next, true);
      else app.announce(by > 0 ? 'No later event in this row' : 'No earlier event in this row');
    } catch (error) {
      app.report(error);
    }
  }

  /**
   * Follows the link to what launched the event, or to what it launched.
   * @param {string[]} relations
   */
  follow(relations) {
    const link = this.details?.links.find((each) => relations.includes(each.relation));
    if (link) void this.select(link, true);
    else this.app.announce('The selected event has no such link');
  }
}

/** @param {EventLine} event @param {EventDetails} details @param {number} by */
function isBeside(event, details, by) {
  if (event.row === details.row && event.source === details.source && event.id === details.id) return false;
  return by > 0 ? event.start >= details.start : event.start <= details.start;
}
