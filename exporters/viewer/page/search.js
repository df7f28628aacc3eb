// Searches events by name, and moves from hit to hit.
import { button, byId, element, replace } from './dom.js';
import { Signal } from './signal.js';
import { count, duration, moment, visible } from './text.js';

const PAGE = 200;
const LISTED = 100;
const NAME_LENGTH = 200;
/** The search begins when nothing was typed for this time. */
const PAUSE_MS = 200;

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
    this.timer = 0;
    /** Ends when the hits of the query are there. */
    this.finding = Promise.resolve();
    this.list = byId('hit-list');
    /** @type {Signal<void>} */
    this.changed = new Signal();
    byId('search').addEventListener('submit', (event) => event.preventDefault());
    byId('hit-next').addEventListener('click', () => void this.step(1));
    byId('hit-before').addEventListener('click', () => void this.step(-1));
    this.input.addEventListener('keydown', (event) => this.key(event));
    this.input.addEventListener('input', () => this.typed());
    this.input.addEventListener('focus', () => this.showList());
    byId('search').addEventListener('focusout', (event) => {
      if (!(event.relatedTarget instanceof Node) || !byId('search').contains(event.relatedTarget)) this.list.hidden = true;
    });
    this.list.addEventListener('keydown', (event) => this.moveInList(event));
  }

  /** Searches while the user types, without a jump. */
  typed() {
    clearTimeout(this.timer);
    if (!this.input.value) {
      this.clear();
      return;
    }
    this.timer = window.setTimeout(() => void this.restore(this.input.value).then(() => this.showList()), PAUSE_MS);
  }

  /** Lists the first hits below the field. */
  showList() {
    this.list.hidden = !this.query || this.query !== this.input.value || !byId('search').contains(document.activeElement);
    if (this.list.hidden) return;
    const items = this.hits.slice(0, LISTED).map((hit, place) => this.item(hit, place));
    const more = this.total - items.length;
    const note = this.total ? `${count(this.total)} events${more > 0 ? `, the first ${count(items.length)}` : ''}` : 'no hits';
    replace(this.list, element('p', { className: 'muted' }, note), ...items);
  }

  /** @param {EventLine} hit @param {number} place */
  item(hit, place) {
    const { tree } = this.app;
    const row = tree.byId.get(hit.row);
    const item = button('', () => void this.goTo(place), { role: 'option', 'aria-selected': String(place === this.place), tabIndex: -1 });
    replace(item, element('span', { className: 'number' }, moment(hit.start, 1e3)),
      element('span', { className: 'number' }, hit.end === null ? 'no end' : duration(hit.end - hit.start)),
      element('bdi', {}, visible(hit.name, NAME_LENGTH)),
      element('bdi', {}, row ? visible(tree.path(row).slice(-2).join(' › '), NAME_LENGTH) : ''));
    return item;
  }

  /** @param {KeyboardEvent} event */
  moveInList(event) {
    const items = [...this.list.querySelectorAll('button')];
    const now = items.indexOf(/** @type {HTMLButtonElement} */ (document.activeElement));
    if (event.key === 'Escape') this.input.focus();
    else if (event.key === 'ArrowDown') items[Math.min(items.length - 1, now + 1)]?.focus();
    else if (event.key === 'ArrowUp' && now > 0) items[now - 1].focus();
    else if (event.key === 'ArrowUp') this.input.focus();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** @param {number} place */
  async goTo(place) {
    this.place = place;
    await this.show();
  }

  /** @returns {EventLine | undefined} */
  get current() {
    return this.hits[this.place];
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    if (event.key === 'Enter') void this.step(event.shiftKey ? -1 : 1);
    else if (event.key === 'Escape') this.leave();
    else if (event.key === 'ArrowDown') this.list.querySelector('button')?.focus();
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
    this.list.hidden = true;
    this.tell('');
    this.changed.emit();
  }

  /**
   * Goes to the next hit; a new text is searched for first.
   * @param {number} by
   */
  async step(by) {
    clearTimeout(this.timer);
    try {
      const isNew = this.input.value !== this.query;
      if (isNew) await this.find(this.input.value);
      else await this.finding;
      if (!isNew && !this.total) return;
      if (!isNew) await this.move(by);
    } catch (error) {
      this.tell('');
      this.app.report(error);
      return;
    }
    await this.show();
  }

  /** Shows the hit that the search is at. */
  async show() {
    const hit = this.current;
    this.list.hidden = true;
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
    if (this.input.value !== query) this.input.value = query;
    if (!query) {
      this.clear();
      return;
    }
    try {
      this.finding = this.find(query).then(() => { this.place -= 1; });
      await this.finding;
      if (query !== this.query) return;
      this.tell(this.total ? `${count(this.total)} hit${this.total === 1 ? '' : 's'}` : 'no hits');
      this.changed.emit();
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
