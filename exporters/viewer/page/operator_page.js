// The page of operators: which modules and operators take the GPU's time, and how near they are to its limits.
import { button, byId, element, replace } from './dom.js';
import { linesOf, numberOf } from './kernel_tables.js';
import { figuresOfOperators, isInModule, modulesOf, operatorOf, sumOf } from './operator_tables.js';
import { listItem, reportChooser } from './part_list.js';
import { rooflineChart } from './roofline.js';
import { figureText, figuresTable, makeTable } from './table.js';
import { count, duration, moment, percent, quantity, visible } from './text.js';

/**
 * @typedef {import('./operator_tables.js').Line} Line
 * @typedef {import('./operator_tables.js').OperatorFigures} OperatorFigures
 */

const TERA = 1e12;
const GIGA = 1e9;
const MOST_MODULES = 1000;
const MOST_OPERATORS = 300;
/** What the table of operators shows. */
const COLUMNS = ['Total Time (ns)', 'Calls', 'Roof (%)', 'Bound', 'Headroom (ns)', 'TFLOP/s', 'GB/s', 'Operator', 'Shapes', 'Type', 'Direction', 'Module', 'Line'];
const PARTS = ['Forward (ns)', 'Backward (ns)', 'Recompute (ns)', 'Step (ns)'];

export class OperatorPage {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    this.report = 0;
    /** The path of the module that is shown; empty: all modules. */
    this.module = '';
    /** Whether the figures are those of the selected time. */
    this.isPart = false;
    this.requests = 0;
    this.isLoading = false;
    /** @type {OperatorFigures | null} */
    this.figures = null;
    this.loaded = '';
    this.names = element('nav', { className: 'part-list', id: 'module-list', 'aria-label': 'Modules' });
    this.main = element('div', { className: 'part-main', id: 'operator-main' });
    replace(byId('operators'), this.names, this.main);
  }

  /** The time that the figures are about: null is the whole recording. */
  get span() {
    const { area } = this.app.selection;
    return this.isPart && area ? { from: Math.round(area.start), to: Math.round(area.end) } : { from: null, to: null };
  }

  /** @param {number} report @param {string} module @param {boolean} isPart */
  async show(report, module, isPart) {
    this.requests += 1;
    const mine = this.requests;
    [this.report, this.module, this.isPart] = [report, module, isPart && this.app.selection.area !== null];
    const { from, to } = this.span;
    const wanted = `${report} ${from} ${to}`;
    this.isLoading = true;
    try {
      if (wanted !== this.loaded) {
        replace(this.main, element('p', { className: 'muted' }, 'Computing…'));
        const figures = await figuresOfOperators(this.app.source, report, from, to);
        if (mine !== this.requests) return;
        [this.figures, this.loaded] = [figures, wanted];
      }
      this.draw();
      this.app.url.save(false);
    } catch (error) {
      if (mine !== this.requests) return;
      this.loaded = '';
      replace(this.main, ...this.timeChooser(), element('p', { className: 'bad' }, visible(error instanceof Error ? error.message : error)));
    } finally {
      if (mine === this.requests) this.isLoading = false;
    }
  }

  draw() {
    /** @type {OperatorFigures} */
    const figures = this.figures ?? {};
    this.drawModules(figures);
    const operators = linesOf(figures['operator_sum']).filter((line) => isInModule(line, this.module));
    const parts = [this.head(figures, operators), this.roofline(figures), this.operators(figures, operators), this.memory(figures), this.rates(figures)];
    replace(this.main, ...parts.flatMap((each) => each ?? []));
    this.main.scrollTop = 0;
  }

  /** @param {OperatorFigures} figures */
  drawModules({ module_tree: tree }) {
    const modules = modulesOf(tree);
    const items = [this.item('', 'All modules', 0, null), ...modules.slice(0, MOST_MODULES).map(({ path, name, depth, line }) => this.item(path, name || '(no module)', depth, line))];
    const rest = modules.length - MOST_MODULES;
    replace(this.names, ...reportChooser(this.app, this.report, (report) => void this.show(report, '', this.isPart)), element('ol', {}, ...items),
      ...(rest > 0 ? [element('p', { className: 'muted' }, `${count(rest)} modules are not listed.`)] : []));
    this.names.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' });
  }

  /** @param {string} path @param {string} name @param {number} depth @param {Line | null} line */
  item(path, name, depth, line) {
    const share = line ? numberOf(line['Time (%)']) / 100 : 1;
    const roof = line && line['Roof (%)'] !== null ? `${numberOf(line['Roof (%)']).toFixed(1)} % of the roof, ${String(line['Bound'])}` : '';
    return listItem({ name, title: path, share, shareText: line ? percent(share) : '', text: roof, depth, isCurrent: path === this.module,
      data: { 'data-module': path }, open: () => void this.app.showOperators(this.report, path, this.isPart) });
  }

  /** Which time the figures are about, if a time is selected. */
  timeChooser() {
    const { area } = this.app.selection;
    if (!area) return [];
    const list = element('select', { id: 'operator-time', 'aria-label': 'Time', onchange: () => void this.app.showOperators(this.report, this.module, list.value === 'selected') },
      element('option', { value: 'all' }, 'the whole recording'),
      element('option', { value: 'selected' }, `the selected ${duration(area.end - area.start)} from ${moment(area.start)}`));
    list.value = this.isPart ? 'selected' : 'all';
    return [element('p', {}, 'Operators of ', list)];
  }

  /** @param {OperatorFigures} figures @param {Line[]} operators of the module */
  head({ module_tree: tree }, operators) {
    const title = element('h1', {}, element('bdi', { id: 'operator-module' }, visible(this.module || 'All modules', 1000)));
    const line = modulesOf(tree).find(({ path }) => path === this.module)?.line;
    const total = line ? numberOf(line['Total Time (ns)']) : sumOf(operators, 'Total Time (ns)');
    const parts = line ? PARTS.filter((header) => numberOf(line[header]) > 0).map((header) => `${header.replace(' (ns)', '').toLowerCase()} ${duration(numberOf(line[header]))}`) : [];
    const headroom = sumOf(operators, 'Headroom (ns)');
    const gain = headroom > 0 ? ` At the limits of the GPU the operators with known work would take ${duration(headroom)} less.` : '';
    return element('header', {}, title, ...this.timeChooser(),
      element('p', { id: 'operator-total' }, `${duration(total)} of GPU time in ${count(sumOf(operators, 'Calls'))} calls${parts.length ? ` (${parts.join(', ')})` : ''}.${gain}`));
  }

  /** @param {OperatorFigures} figures */
  roofline({ roofline: table }) {
    const lines = linesOf(table).filter((line) => isInModule(line, this.module)).slice(0, MOST_OPERATORS);
    const rates = (/** @type {string} */ header) => lines.filter((line) => numberOf(line[header]) > 0);
    const compute = peaksOf(rates('Peak TFLOP/s'));
    const memory = new Map(rates('Peak GB/s').map((line) => ['DRAM', numberOf(line['Peak GB/s']) * GIGA]));
    const points = lines.flatMap((line, index) => {
      const [x, y] = [numberOf(line['FLOP/B']), numberOf(line['TFLOP/s']) * TERA];
      return x > 0 && y > 0 ? [{ level: 'DRAM', precision: String(line['Type'] ?? ''), x, y, isBefore: false, index,
        name: `${String(line['Operator'])} ${String(line['Shapes'] ?? '')}, ${String(line['Direction'])}, ${duration(numberOf(line['Total Time (ns)']))}` }] : [];
    });
    const chart = rooflineChart({ compute, memory, points }, null);
    if (!chart) return null;
    chart.addEventListener('click', (event) => {
      const mark = event.target instanceof Element ? event.target.closest('[data-index]') : null;
      if (mark) this.choose(operatorOf(lines[Number(mark.getAttribute('data-index'))]));
    });
    return element('section', { id: 'operator-roofline' }, element('h2', {}, 'Roofline'), chart,
      element('p', { className: 'muted' }, 'A mark is an operator with its shapes. Bytes are the least that it has to move. A click shows its row below.'));
  }

  /** @param {string} key */
  choose(key) {
    for (const row of this.main.querySelectorAll('#operator-table tbody tr')) {
      if (!(row instanceof HTMLElement)) continue;
      const isChosen = row.dataset.operator === key;
      row.classList.toggle('chosen', isChosen);
      if (isChosen) row.scrollIntoView({ block: 'center' });
    }
  }

  /** @param {OperatorFigures} figures @param {Line[]} operators */
  operators({ operator_sum: table }, operators) {
    if (!table || !operators.length) return element('p', { className: 'muted' }, 'No GPU work of this time belongs to an operator.');
    const columns = COLUMNS.flatMap((header) => table.columns.filter((each) => each.header === header));
    const shown = operators.slice(0, MOST_OPERATORS);
    const made = makeTable(columns.map(({ header, kind }) => ({ header: header.replace(' (ns)', ''), isNumber: kind !== 'text' })),
      shown.map((line) => ({ cells: columns.map((column) => figureText(line[column.header], column)), open: () => this.find(line) })), null);
    made.id = 'operator-table';
    made.querySelectorAll('tbody tr').forEach((row, i) => { if (row instanceof HTMLElement) row.dataset.operator = operatorOf(shown[i]); });
    const rest = operators.length - shown.length;
    return element('section', {}, element('h2', {}, 'Operators'),
      element('p', { className: 'muted' }, `${rest > 0 ? `${count(rest)} operators with less time are not listed. ` : ''}A click finds the calls on the timeline.`),
      element('div', { className: 'wide-table' }, made));
  }

  /**
   * Shows the first call on the timeline.
   * @param {Line} line
   */
  find(line) {
    this.app.showTimeline();
    void this.app.search.restore(String(line['Operator'] ?? '')).then(() => this.app.search.step(1));
  }

  /** @param {OperatorFigures} figures */
  memory({ operator_memory: table }) {
    if (!table?.rows.length || this.module) return null;
    return element('section', { id: 'operator-memory' }, element('h2', {}, 'Memory at the peak'), element('div', { className: 'wide-table' }, figuresTable(table, null)));
  }

  /** @param {OperatorFigures} figures */
  rates({ mfu: table }) {
    if (!table?.rows.length || this.module) return null;
    const [whole] = linesOf(table);
    const text = `${quantity(numberOf(whole['TFLOP/s']) * TERA, 'FLOP/s')} of matrix operations: ${numberOf(whole['MFU (%)']).toFixed(1)} % of the GPU's peak rate.`;
    return element('section', { id: 'operator-mfu' }, element('h2', {}, 'Steps'), element('p', {}, text),
      element('details', {}, element('summary', {}, `${count(table.rows.length)} rows`), element('div', { className: 'wide-table' }, figuresTable(table, null))),
      button('Show the timeline', () => this.app.showTimeline(), { className: 'plain' }));
  }
}

/**
 * Peak rates by type. Matrix operations of a type can have a higher one than others.
 * @param {Line[]} lines
 */
function peaksOf(lines) {
  /** @type {Map<string, number>} */
  const peaks = new Map();
  for (const line of [...lines].sort((a, b) => numberOf(b['Peak TFLOP/s']) - numberOf(a['Peak TFLOP/s']))) {
    const [type, rate] = [String(line['Type'] ?? ''), numberOf(line['Peak TFLOP/s']) * TERA];
    if (!peaks.has(type)) peaks.set(type, rate);
    else if (rate < (peaks.get(type) ?? 0)) peaks.set(`${type}, no tensor cores`, rate);
  }
  return peaks;
}
