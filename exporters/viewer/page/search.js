// Searches events by name, and moves from hit to hit.
import { byId } from './dom.js';
import { Signal } from './signal.js';
import { count } from './text.js';

const PAGE = 200;

export class Search {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    this.input = /** @type {HTMLInputElement} */ (byId('query'));
    this.query = '';
    /** @type {EventLine[]} */
    this.hits = [];
    this.total = 0;
    /**
     * Where the next page begins.
     * @type {number | null}
     */
    this.next = null;
    this.place = -1;
    this.requests = 0;
    /** @type {Signal<void>} */
    this.changed = new Signal();
    byId('search').addEventListener('submit', (event) => event.preventDefault());
    byId('hit-next').addEventListener('click', () => void this.step(1));
    byId('hit-before').addEventListener('click', () => void this.step(-1));
    this.input.addEventListener('keydown', (event) => this.key(event));
    this.input.addEventListener('input', () => { if (!this.input.value) this.clear(); });
  }

  /** @returns {EventLine | undefined} */
  get current() {
    return this.hits[this.place];
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    if (event.key === 'Enter') void this.step(event.shiftKey ? -1 : 1);
    else if (event.key === 'Escape') this.leave();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** Clears the search and gives the keys back to the timeline. */
  leave() {
    this.clear();
    byId('tree').focus();
  }

  clear() {
    this.requests += 1;
    this.query = '';
    this.input.value = '';
    this.hits = [];
    this.total = 0;
    this.next = null;
    this.place = -1;
    this.tell('');
    this.changed.emit();
  }

  /**
   * Goes to the next hit; a new text is searched for first.
   * @param {number} by
   */
  async step(by) {
    try {
      if (this.input.value !== this.query) await this.find(this.input.value);
      else if (this.total) await this.move(by);
      else return;
    } catch (error) {
      this.tell('');
      this.app.report(error);
      return;
    }
    const hit = this.current;
    if (!hit) {
      this.tell(this.query ? 'no hits' : '');
      return;
    }
    this.tell(`${count(this.place + 1)} of ${count(this.total)}`);
    this.app.showTimeline();
    await this.app.selection.select(hit, true);
    this.changed.emit();
  }

  /**
   * Searches without a jump to a hit.
   * @param {string} query
   */
  async restore(query) {
    if (query === this.query) return;
    this.input.value = query;
    if (!query) {
      this.clear();
      return;
    }
    try {
      await this.find(query);
      this.place -= 1;
      this.tell(`${count(this.total)} hits`);
    } catch (error) {
      this.app.report(error);
    }
  }

  /**
   * The first hit is the first one at or after the left edge of the screen.
   * @param {string} query
   */
  async find(query) {
    this.requests += 1;
    const mine = this.requests;
    this.query = query;
    this.hits = [];
    this.total = 0;
    this.place = -1;
    if (!query) return;
    this.tell('…');
    const answer = await this.app.source.find(query, null, PAGE, []);
    if (mine !== this.requests) return;
    this.hits = answer.hits;
    this.total = answer.total;
    this.next = answer.next;
    const { start } = this.app.viewport.target;
    while (this.next !== null && (this.hits.at(-1)?.start ?? start) < start && this.hits.length < 20 * PAGE) await this.more();
    const first = this.hits.findIndex((hit) => (hit.end ?? hit.start) >= start);
    this.place = this.hits.length ? Math.max(0, first) : -1;
  }

  /** Fetches the next page of hits. */
  async more() {
    const { hits, next } = await this.app.source.find(this.query, this.next, PAGE, []);
    this.hits.push(...hits);
    this.next = next;
  }

  /** @param {number} by */
  async move(by) {
    if (by > 0 && this.place + 1 >= this.hits.length && this.next !== null) await this.more();
    if (by < 0 && this.place === 0) while (this.next !== null && this.hits.length < 20 * PAGE) await this.more();
    if (this.place < 0 && by < 0) this.place = 0;
    this.place = (this.place + by + this.hits.length) % this.hits.length;
  }

  /** @param {string} text */
  tell(text) {
    byId('hits').textContent = text;
  }
}
