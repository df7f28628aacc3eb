// The page of kernels: which take the time, and why one of them is slow.
import { button, byId, element, replace } from './dom.js';
import { sourceLines } from './kernel_source.js';
import { sourceFiles } from './kernel_text.js';
import { figuresOfKernel, launchOf, linesOf, listKernels, numberOf, ofLaunch, withoutColumns } from './kernel_tables.js';
import { memoryChart } from './memory_chart.js';
import { listItem, reportChooser } from './part_list.js';
import { rooflineChart, rooflineLegend, roofsOf } from './roofline.js';
import { countedStalls, sampledStalls, stallBars } from './stall_bars.js';
import { figuresTable, figureText } from './table.js';
import { count, percent, visible } from './text.js';

/** @typedef {import('./kernel_tables.js').KernelFigures} KernelFigures */

/** Metrics of hit rates in the boxes of the memory chart. */
const HITS = [['L1', 'l1tex__t_sector_hit_rate.pct'], ['L2', 'lts__t_sector_hit_rate.pct']];
const MOST_KERNELS = 500;

export class KernelPage {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    this.report = 0;
    /** The kernel that is shown; empty: none yet. */
    this.name = '';
    this.launch = '';
    this.requests = 0;
    this.isLoading = false;
    /** @type {Awaited<ReturnType<typeof listKernels>>} */
    this.list = [];
    this.listed = -1;
    /** @type {KernelFigures | null} */
    this.figures = null;
    /**
     * The roofline of the kernel in the other report.
     * @type {KernelFigures | null}
     */
    this.before = null;
    this.names = element('nav', { className: 'part-list', id: 'kernel-list', 'aria-label': 'Kernels' });
    this.main = element('div', { className: 'part-main', id: 'kernel-main' });
    replace(byId('kernels'), this.names, this.main);
  }

  /**
   * Shows a kernel, or without a name the one with the most time.
   * @param {number} report @param {string} name
   */
  async show(report, name) {
    this.requests += 1;
    const mine = this.requests;
    this.report = report;
    this.isLoading = true;
    if (this.figures?.name !== name || this.listed !== report) replace(this.main, element('p', { className: 'muted' }, 'Computing…'));
    try {
      const list = this.listed === report ? this.list : await listKernels(this.app.source, report);
      if (mine !== this.requests) return;
      [this.list, this.listed] = [list, report];
      this.name = name || (this.list.find(({ hasDetails }) => hasDetails) ?? this.list[0])?.name || '';
      this.drawList();
      if (this.name) await this.load(mine);
      else replace(this.main, element('p', { className: 'muted' }, 'This report has no kernels.'));
    } catch (error) {
      if (mine === this.requests) replace(this.main, element('p', { className: 'bad' }, visible(error instanceof Error ? error.message : error)));
    } finally {
      if (mine === this.requests) this.isLoading = false;
    }
  }

  /** @param {number} mine the number of the request */
  async load(mine) {
    const { source, reports } = this.app;
    const [figures, before] = await Promise.all([figuresOfKernel(source, this.report, this.name),
      reports.length === 2 ? figuresOfKernel(source, 1 - this.report, this.name, ['kernel_roofline']) : null]);
    if (mine !== this.requests) return;
    [this.figures, this.before] = [figures, before];
    this.launch = linesOf(figures.tables['kernel_metrics']).map(launchOf)[0] ?? '';
    this.draw(figures);
    this.app.url.save(false);
  }

  drawList() {
    const items = this.list.slice(0, MOST_KERNELS).map(({ name, share, text }) => listItem({ name: shortName(name), title: name, share,
      shareText: share ? percent(share) : '', text, isCurrent: name === this.name, open: () => void this.app.showKernel(this.report, name) }));
    const rest = this.list.length - items.length;
    replace(this.names, ...reportChooser(this.app, this.report, (report) => void this.show(report, this.name)), element('ol', {}, ...items),
      ...(rest > 0 ? [element('p', { className: 'muted' }, `${count(rest)} kernels with less time are not listed.`)] : []));
    this.names.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' });
  }

  /** @param {KernelFigures} figures */
  draw(figures) {
    const { tables } = figures;
    const hasMetrics = Boolean(tables['kernel_metrics']?.rows.length);
    const hasSamples = Boolean(tables['pc_sampling_sum']?.rows.length);
    const parts = [this.head(figures), this.rules(figures), this.launches(figures), hasMetrics ? this.chooser(figures) : null, this.roofline(figures), this.memory(figures),
      this.stalls(figures), this.lines(figures), this.counts(figures), hasMetrics ? this.metrics(figures) : null, missing(hasMetrics, hasSamples)];
    replace(this.main, ...parts.flatMap((each) => each ?? []));
    this.main.scrollTop = 0;
  }

  /** @param {KernelFigures} figures */
  head({ name, tables }) {
    const [line] = linesOf(tables['kernel_profile_sum']);
    const text = (/** @type {string} */ header) => visible(line?.[header] ?? '', 1000);
    const advice = line?.['Reason'] ? [element('p', {}, `${text('Rule')}: ${text('Reason')}. Estimate: at most ${numberOf(line['Estimate (%)']).toFixed(1)} % of its time.`),
      element('p', {}, `Next step: ${text('Next Step')}.`)] : [];
    return element('header', {}, element('h1', {}, element('bdi', { id: 'kernel-name' }, visible(name))),
      line ? element('p', { id: 'kernel-verdict' }, element('strong', {}, text('Verdict'))) : null, ...advice,
      element('p', {}, button('Its launches on the timeline', () => {
        this.app.showTimeline();
        void this.app.search.restore(shortName(name)).then(() => this.app.search.step(1));
      }, { className: 'plain' })));
  }

  /** @param {KernelFigures} figures */
  rules({ tables }) {
    return tableSection('Rules', 'kernel-rules', tables['kernel_rules']);
  }

  /** @param {KernelFigures} figures */
  launches({ tables }) {
    return tableSection('Launches and their occupancy', 'kernel-launches', tables['kernel_occupancy']);
  }

  /**
   * Which launch configuration the metrics are of, if there are several.
   * @param {KernelFigures} figures
   */
  chooser({ tables }) {
    const launches = [...new Set(linesOf(tables['kernel_metrics']).map(launchOf))];
    if (launches.length < 2) return null;
    const list = element('select', { id: 'kernel-launch', 'aria-label': 'Launch', onchange: () => {
      this.launch = list.value;
      if (this.figures) this.draw(this.figures);
    } }, ...launches.map((each) => element('option', { value: each }, each)));
    list.value = this.launch;
    return element('p', {}, 'Grid | block | PID | device: ', list);
  }

  /** @param {KernelFigures} figures */
  roofline({ tables }) {
    const table = ofLaunch(tables['kernel_roofline'], this.launch);
    if (!table?.rows.length) return null;
    const other = this.before?.tables['kernel_roofline'];
    const same = linesOf(other).some((line) => launchOf(line) === this.launch) ? this.launch : launchOf(linesOf(other)[0] ?? {});
    const isBefore = this.report === 1;
    const before = isBefore && other?.rows.length ? roofsOf(ofLaunch(other, same), true) : null;
    const roofs = roofsOf(table);
    const chart = rooflineChart(roofs, before);
    const none = element('p', { className: 'muted' }, 'The kernel has no floating-point operations, so it has no place in a roofline. The table has what it moves.');
    return element('section', { id: 'kernel-roofline' }, element('h2', {}, 'Roofline'), ...(chart ? [chart, rooflineLegend(roofs, Boolean(before?.points.length))] : [none]),
      folded('The same as a table', table, !chart));
  }

  /** @param {KernelFigures} figures */
  memory({ tables }) {
    const table = ofLaunch(tables['kernel_memory'], this.launch);
    const metrics = linesOf(ofLaunch(tables['kernel_metrics'], this.launch));
    const notes = new Map(HITS.flatMap(([level, metric]) => {
      const line = metrics.find((each) => each['Metric'] === metric);
      return line ? [/** @type {[string, string]} */ ([level, `hit ${numberOf(line['Median']).toFixed(1)} %`])] : [];
    }));
    const chart = memoryChart(table, notes);
    return table && chart ? element('section', { id: 'kernel-memory' }, element('h2', {}, 'Memory'), chart, folded('The same as a table', table, false)) : null;
  }

  /** @param {KernelFigures} figures */
  stalls({ tables }) {
    const counted = ofLaunch(tables['kernel_stalls'], this.launch);
    const sampled = tables['pc_sampling_sum'];
    const parts = [];
    if (counted?.rows.length) {
      parts.push(stallBars('By counters', countedStalls(counted), 'Parts of the cycles between two instructions of a warp.'));
    }
    if (sampled?.rows.length) {
      const all = linesOf(sampled).reduce((sum, line) => sum + numberOf(line['Samples']), 0);
      parts.push(stallBars('By PC samples', sampledStalls(sampled), `Parts of ${count(all)} samples. Hatched: the scheduler issued an instruction of another warp.`));
    }
    if (!parts.length) return null;
    const help = linesOf(counted).find((line) => line['What Helps'] && numberOf(line['Wait (%)']) > 0);
    return element('section', { id: 'kernel-stalls' }, element('h2', {}, 'What its warps wait for'), element('div', { className: 'stall-columns' }, ...parts),
      help ? element('p', {}, `What helps with ${visible(help['Stall'], 60)}: ${visible(help['What Helps'], 500)}.`) : null);
  }

  /** @param {KernelFigures} figures */
  lines({ tables }) {
    const lines = tables['pc_sampling_lines'];
    if (!lines?.rows.length) return null;
    return element('section', { id: 'kernel-source' }, element('h2', {}, 'Source lines by PC samples'), sourceLines(lines, tables['pc_sampling_sass']),
      ...sourceFiles(this.app, this.report, lines));
  }

  /**
   * What lines do, as the GPU counted it.
   * @param {KernelFigures} figures
   */
  counts({ tables }) {
    return tableSection('Source lines by counts', 'kernel-counts', tables['kernel_source_lines']);
  }

  /** @param {KernelFigures} figures */
  metrics({ tables, sections }) {
    const table = ofLaunch(tables['kernel_metrics'], this.launch);
    if (!table) return null;
    const byName = new Map(linesOf(table).map((line) => [String(line['Metric']), line]));
    const median = table.columns.find(({ header }) => header === 'Median');
    const shown = sections.flatMap(({ title, metrics }) => {
      const rows = metrics.flatMap(([metric, label]) => {
        const line = byName.get(metric);
        return line && median ? [element('tr', { title: metric }, element('th', { scope: 'row' }, label),
          element('td', { className: 'number' }, `${figureText(numberOf(line['Median']), median)} ${visible(line['Unit'], 40)}`))] : [];
      });
      return rows.length ? [element('section', {}, element('h3', {}, title), element('table', {}, element('tbody', {}, ...rows)))] : [];
    });
    return element('section', { id: 'kernel-metrics' }, element('h2', {}, 'Metrics'), element('div', { className: 'metric-sections' }, ...shown),
      folded(`All ${count(table.rows.length)} metrics`, table, false));
  }
}

/**
 * A name without arguments and template arguments of its function, for lists.
 * @param {string} name
 */
function shortName(name) {
  const plain = name.replace(/^void /, '').replace(/\(anonymous namespace\)/g, '{anonymous}');
  const end = plain.search(/\((?!int\)|unsigned|bool\)|long|char)/);
  return (end > 0 ? plain.slice(0, end) : plain).replaceAll('{anonymous}', '(anonymous namespace)');
}

/**
 * @param {string} title @param {string} id @param {StatisticTable | undefined} table
 */
function tableSection(title, id, table) {
  if (!table?.rows.length) return null;
  const shown = figuresTable({ ...withoutColumns(table, ['Name']), more: 0 }, null);
  return element('section', { id }, element('h2', {}, title), element('div', { className: 'wide-table' }, shown));
}

/** @param {string} title @param {StatisticTable} table @param {boolean} isOpen */
function folded(title, table, isOpen) {
  return element('details', { open: isOpen }, element('summary', {}, title), element('div', { className: 'wide-table' }, figuresTable(table, null)));
}

/**
 * How to get what the report lacks.
 * @param {boolean} hasMetrics @param {boolean} hasSamples
 */
function missing(hasMetrics, hasSamples) {
  const texts = [...(hasMetrics ? [] : ['prof kernel --set full measures metrics: roofline, memory chart, rules.']),
    ...(hasSamples ? [] : ['prof profile --pc-sampling records what warps wait for, by source line.'])];
  return texts.length ? element('p', { className: 'muted' }, `This report lacks: ${texts.join(' ')}`) : null;
}
