// The tab of statistics: the figures of `prof stats`, of the selected span or the whole report.
import { button, copyText, element, replace } from './dom.js';
import { figuresTable, tabSeparated } from './table.js';
import { count, visible } from './text.js';

const MOST_ROWS = 500;

export class StatisticsView {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    /** @type {{name: string, title: string}[]} */
    this.list = [];
    this.listed = -1;
    this.chosen = '';
    this.sort = '';
    this.order = 'desc';
    this.requests = 0;
  }

  /** @param {HTMLElement} box */
  async show(box) {
    this.requests += 1;
    const mine = this.requests;
    replace(box, element('p', { className: 'muted' }, 'Computing…'));
    try {
      const { from, to, report } = this.app.drawer.span;
      if (this.listed !== report) this.list = (await this.app.source.statistics(report)).statistics;
      this.listed = report;
      if (!this.list.some((each) => each.name === this.chosen)) this.chosen = this.list[0]?.name ?? '';
      if (!this.chosen) {
        replace(box, element('p', { className: 'muted' }, 'This report has no data for a statistic.'));
        return;
      }
      const table = await this.app.source.statistic(this.chosen, from, to, report);
      if (mine === this.requests && this.app.drawer.tab === 'statistics') this.draw(box, table);
    } catch (error) {
      if (mine !== this.requests) return;
      replace(box, this.chooser(box), element('p', { className: 'bad' }, visible(error instanceof Error ? error.message : error)));
    }
  }

  /** @param {HTMLElement} box */
  chooser(box) {
    const list = element('select', { id: 'statistic', 'aria-label': 'Statistic', onchange: () => {
      this.chosen = list.value;
      this.sort = '';
      void this.show(box);
    } }, ...this.list.map(({ name, title }) => element('option', { value: name }, `${visible(title, 100)} (${name})`)));
    list.value = this.chosen;
    return list;
  }

  /** @param {HTMLElement} box @param {StatisticTable} table */
  draw(box, table) {
    const rows = this.sorted(table);
    const shown = figuresTable({ ...table, rows: rows.slice(0, MOST_ROWS) }, {
      sort: this.sort, order: this.order, choose: (sort) => {
        this.order = this.sort === sort && this.order === 'desc' ? 'asc' : 'desc';
        this.sort = sort;
        this.draw(box, table);
      },
    });
    shown.id = 'statistic-table';
    const all = rows.length + (table.more ?? 0);
    const rest = all > MOST_ROWS ? `The first ${count(Math.min(rows.length, MOST_ROWS))} of ${count(all)} rows. ` : '';
    const headers = table.columns.map(({ header }) => header);
    replace(box, element('div', { className: 'tools' }, this.chooser(box),
      button('Copy table', () => void copyText(tabSeparated(headers, rows.map((row) => row.map((value) => String(value ?? ''))))))),
    rows.length ? shown : element('p', { className: 'muted' }, 'No events in this span.'),
    element('p', { className: 'muted' }, `${rest}${visible(table.note)}`));
  }

  /** @param {StatisticTable} table */
  sorted(table) {
    const column = table.columns.findIndex(({ header }) => header === this.sort);
    if (column < 0) return table.rows;
    const sign = this.order === 'desc' ? -1 : 1;
    return [...table.rows].sort((a, b) => {
      const [x, y] = [a[column], b[column]];
      if (typeof x === 'number' && typeof y === 'number') return sign * (x - y);
      return sign * String(x ?? '').localeCompare(String(y ?? ''));
    });
  }
}
