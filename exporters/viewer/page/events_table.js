// The tab of events: the same events as the timeline, as a table that is sorted and paged.
import { button, copyText, element, replace } from './dom.js';
import { makeTable, tabSeparated } from './table.js';
import { count, duration, moment, visible } from './text.js';

const PAGE = 200;
const MOST_COPIED = 100000;
const COLUMNS = [{ header: 'Start', isNumber: true, sort: 'start' }, { header: 'Duration', isNumber: true, sort: 'duration' },
  { header: 'Name', isNumber: false, sort: 'name' }, { header: 'Row', isNumber: false }];

export class EventsView {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    this.sort = 'start';
    this.order = 'asc';
    this.offset = 0;
    this.requests = 0;
    this.about = '';
  }

  /** The row whose events are listed: that of the selected area, or the active one. */
  get row() {
    const { selection, rowList, tree } = this.app;
    const id = selection.area?.row ?? rowList.active;
    return (id === null ? undefined : tree.byId.get(id)) ?? tree.placed[0]?.row ?? null;
  }

  /** @param {number} offset @param {number} limit @returns {EventsQuery | null} */
  query(offset, limit) {
    const { row } = this;
    if (!row) return null;
    const { from, to } = this.app.drawer.span;
    const { whole } = this.app.viewport;
    return { row: row.id, from: from ?? whole.start, to: to ?? whole.end, sort: this.sort, order: this.order, offset, limit };
  }

  /** @param {HTMLElement} box */
  async show(box) {
    const query = this.query(0, PAGE);
    if (!query) return;
    const about = `${query.row} ${query.from} ${query.to}`;
    if (about !== this.about) this.offset = 0;
    this.about = about;
    this.requests += 1;
    const mine = this.requests;
    try {
      const answer = await this.app.source.events({ ...query, offset: this.offset });
      if (mine === this.requests && this.app.drawer.tab === 'events') this.draw(box, answer);
    } catch (error) {
      if (mine === this.requests) replace(box, element('p', { className: 'bad' }, visible(error instanceof Error ? error.message : error)));
    }
  }

  /** @param {HTMLElement} box @param {EventsAnswer} answer */
  draw(box, answer) {
    const { app } = this;
    const table = makeTable(COLUMNS, answer.events.map((event) => ({
      cells: this.cells(event),
      open: () => void app.selection.select(event, true),
    })), { sort: this.sort, order: this.order, choose: (sort) => {
      this.order = this.sort === sort && this.order === 'asc' ? 'desc' : 'asc';
      this.sort = sort;
      this.offset = 0;
      void this.show(box);
    } });
    table.id = 'events-table';
    const last = answer.offset + answer.events.length;
    const turn = (/** @type {number} */ by) => {
      this.offset = Math.max(0, this.offset + by);
      void this.show(box);
    };
    replace(box, element('div', { className: 'tools' },
      element('bdi', {}, `${this.row ? app.tree.path(this.row).map((name) => visible(name, 80)).join(' › ') : ''} and below`),
      element('span', { id: 'events-count', role: 'status' }, `${count(answer.events.length ? answer.offset + 1 : 0)}–${count(last)} of ${count(answer.total)} events`),
      button('Previous page', () => turn(-PAGE), { disabled: answer.offset === 0 }),
      button('Next page', () => turn(PAGE), { disabled: last >= answer.total }),
      button('Copy all', () => void this.copy())), table);
  }

  /** @param {EventLine} event */
  cells(event) {
    const row = this.app.tree.byId.get(event.row);
    const length = event.end === null ? 'no end' : row?.style === 'instants' ? '' : duration(event.end - event.start);
    return [moment(event.start), length, visible(event.name, 500),
      row ? this.app.tree.path(row).slice(-2).map((name) => visible(name, 80)).join(' › ') : ''];
  }

  /** Copies the events of all pages. */
  async copy() {
    const lines = [];
    try {
      for (let offset = 0; offset < MOST_COPIED;) {
        const query = this.query(offset, 1000);
        if (!query) return;
        const { events, total } = await this.app.source.events(query);
        for (const event of events) {
          lines.push([String(event.start), event.end === null ? '' : String(event.end - event.start), event.name, this.cells(event)[3]]);
        }
        offset += events.length;
        if (!events.length || offset >= total) break;
      }
      await copyText(tabSeparated(['Start (ns)', 'Duration (ns)', 'Name', 'Row'], lines));
      this.app.announce(`${count(lines.length)} events copied${lines.length >= MOST_COPIED ? ', the rest is left out' : ''}`);
    } catch (error) {
      this.app.report(error);
    }
  }
}
