// The tab of SQL: a query on the report's tables. A row with a start leads to the timeline.
import { commonTime } from './clock.js';
import { button, copyText, element, replace } from './dom.js';
import { makeTable, tabSeparated } from './table.js';
import { count, visible } from './text.js';

const MOST_ROWS = 1000;
const TABLES = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%' ORDER BY name";
/** A query for each table that a report may have. Reports lack the tables of what was not recorded. */
const EXAMPLES = [
  ['CUPTI_ACTIVITY_KIND_KERNEL', 'The longest kernels', `SELECT value AS name, end - start AS ns, start, end, streamId
FROM CUPTI_ACTIVITY_KIND_KERNEL JOIN StringIds ON StringIds.id = demangledName
ORDER BY ns DESC LIMIT 20`],
  ['CUPTI_ACTIVITY_KIND_MEMCPY', 'The largest copies', `SELECT bytes, end - start AS ns, start, end, copyKind
FROM CUPTI_ACTIVITY_KIND_MEMCPY ORDER BY bytes DESC LIMIT 20`],
  ['NVTX_EVENTS', 'The longest NVTX ranges', `SELECT COALESCE(text, value) AS name, end - start AS ns, start, end
FROM NVTX_EVENTS LEFT JOIN StringIds ON StringIds.id = textId
WHERE end IS NOT NULL ORDER BY ns DESC LIMIT 20`],
  ['OSRT_API', 'Time in OS-runtime calls, by name', `SELECT value AS name, count(*) AS calls, sum(end - start) AS ns, min(start) AS start, max(end) AS end
FROM OSRT_API JOIN StringIds ON StringIds.id = nameId
GROUP BY nameId ORDER BY ns DESC LIMIT 20`],
  ['COMPOSITE_EVENTS', 'CPU samples by thread', `SELECT globalTid % 0x1000000 AS tid, count(*) AS samples, min(start) AS start, max(start) AS end
FROM COMPOSITE_EVENTS GROUP BY globalTid ORDER BY samples DESC LIMIT 20`],
  ['PROF_PYTHON_SAMPLES', 'Innermost Python functions', `SELECT value AS name, count(*) AS samples, min(start) AS start, max(start) AS end
FROM PROF_PYTHON_SAMPLES AS s JOIN PROF_PYTHON_CALLCHAINS AS c ON c.id = s.callchainId AND c.stackDepth = 0
JOIN StringIds ON StringIds.id = c.symbol
GROUP BY value ORDER BY samples DESC LIMIT 20`],
  ['StringIds', 'The tables of the report', TABLES],
];

export class QueryView {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    this.text = '';
    this.requests = 0;
    /** The report that the tables are of. */
    this.listed = -1;
    /** @type {string[]} */
    this.tables = [];
    this.result = element('div', { id: 'query-result' });
  }

  /** @param {HTMLElement} box */
  async show(box) {
    const { report } = this.app.drawer.span;
    if (this.listed !== report) {
      try {
        const { rows } = await this.app.source.query(TABLES, report, MOST_ROWS);
        this.tables = rows.map(([name]) => String(name));
        this.listed = report;
      } catch (error) {
        replace(box, element('p', { className: 'muted' }, visible(error instanceof Error ? error.message : error)));
        return;
      }
      if (this.app.drawer.tab !== 'query') return;
    }
    this.draw(box);
  }

  /** @param {HTMLElement} box */
  draw(box) {
    const examples = EXAMPLES.filter(([table]) => this.tables.includes(table));
    if (!this.text) this.text = examples[0]?.[2] ?? TABLES;
    const text = element('textarea', { id: 'query-text', 'aria-label': 'Query in SQL', rows: 4, spellcheck: false, value: this.text,
      oninput: () => { this.text = text.value; },
      onkeydown: (/** @type {KeyboardEvent} */ event) => {
        if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) void this.run();
      } });
    const put = (/** @type {string} */ sql) => {
      this.text = sql;
      text.value = sql;
      void this.run();
    };
    const example = element('select', { 'aria-label': 'Example', id: 'query-example', onchange: () => {
      if (example.value) put(example.value);
    } }, element('option', { value: '' }, 'Examples'), ...examples.map(([, title, sql]) => element('option', { value: sql }, title)));
    const table = element('select', { 'aria-label': 'Table', id: 'query-table', onchange: () => {
      if (table.value) put(`SELECT * FROM "${table.value.replaceAll('"', '""')}" LIMIT 100`);
    } }, element('option', { value: '' }, 'Tables'), ...this.tables.map((name) => element('option', { value: name }, visible(name, 100))));
    replace(box, text, element('div', { className: 'tools' }, button('Run', () => void this.run(), { id: 'query-run', title: 'Ctrl+Enter' }), example, table,
      element('span', { className: 'muted' }, 'Queries only read, and stop after 10 s. Click a row with a start to see it on the timeline.')), this.result);
  }

  async run() {
    this.requests += 1;
    const mine = this.requests;
    const { report } = this.app.drawer.span;
    replace(this.result, element('p', { className: 'muted' }, 'Running…'));
    try {
      const answer = await this.app.source.query(this.text, report, MOST_ROWS);
      if (mine === this.requests) this.drawRows(answer, report);
    } catch (error) {
      if (mine === this.requests) replace(this.result, element('p', { className: 'bad', role: 'alert' }, visible(error instanceof Error ? error.message : error)));
    }
  }

  /** @param {QueryAnswer} answer @param {number} report */
  drawRows({ columns, rows, rest }, report) {
    const [start, end] = [columns.indexOf('start'), columns.indexOf('end')];
    const isNumber = columns.map((_, i) => rows.some((row) => typeof row[i] === 'number') && !rows.some((row) => typeof row[i] === 'string'));
    const table = makeTable(columns.map((header, i) => ({ header: visible(header, 100), isNumber: isNumber[i] })), rows.map((row) => {
      const [from, to] = [row[start], row[end]];
      return {
        cells: row.map((value) => (typeof value === 'number' ? value.toLocaleString('en-US', { maximumFractionDigits: 6 }) : visible(value ?? '', 500))),
        open: typeof from === 'number' ? () => void this.open(from, typeof to === 'number' && to > from ? to : from, report) : undefined,
      };
    }), null);
    table.id = 'query-rows';
    replace(this.result, element('div', { className: 'tools' }, element('span', { id: 'query-count', role: 'status' }, `${count(rows.length)} rows. ${visible(rest)}`),
      button('Copy table', () => void copyText(tabSeparated(columns, rows.map((row) => row.map((value) => String(value ?? ''))))))), rows.length ? table : '');
  }

  /**
   * Shows a row's time on the timeline, and selects the event that has exactly this time.
   * @param {number} from @param {number} to @param {number} report
   */
  async open(from, to, report) {
    const { app } = this;
    const [start, end] = [commonTime(app.reports[report], from), commonTime(app.reports[report], to)];
    const event = await this.eventAt(start, end, report);
    if (event) {
      await app.selection.select(event, true);
      return;
    }
    if (end > start) {
      app.selection.setArea({ start, end, row: null });
      app.viewport.begin(start, end);
    } else {
      app.viewport.centre(start);
    }
  }

  /**
   * @param {number} start @param {number} end @param {number} report
   * @returns {Promise<EventLine | null>}
   */
  async eventAt(start, end, report) {
    for (const row of this.app.tree.byId.values()) {
      if (row.parent !== null || (row.report ?? 0) !== report) continue;
      const { events } = await this.app.source.events({ row: row.id, from: start, to: start, sort: 'start', order: 'desc', offset: 0, limit: 1000 });
      const found = events.find((event) => event.start === start && (event.end === end || end === start));
      if (found) return found;
    }
    return null;
  }
}
