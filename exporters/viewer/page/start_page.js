// The start page: the verdict, findings, where the time went, and the facts of the report.
import { button, byId, element, replace } from './dom.js';
import { gpuBar, iterationChart, severityBar, timeBar } from './start_charts.js';
import { figuresTable, makeTable } from './table.js';
import { count, duration, percent, visible } from './text.js';

const POLL_MS = 300;
/** Two reports are shown side by side, more of them one at a time. */
const SIDE_BY_SIDE = 2;

export class StartPage {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    this.box = byId('start');
    /** @type {ReportSummary[]} */
    this.shown = [];
    /** Which of many reports the page is about. */
    this.report = 0;
    this.diff = element('section', { id: 'diff', hidden: true });
    this.changes = element('section', { className: 'changes' });
  }

  /** Asks for the summaries until all their parts are there. */
  async load() {
    if (!this.shown.length) {
      const { reports } = this.app;
      const numbers = reports.length > SIDE_BY_SIDE ? [this.report] : reports.length ? reports.map((_, i) => i) : [0];
      this.shown = numbers.map((number) => new ReportSummary(this.app, number, numbers.length > 1));
      replace(this.box, ...this.chooser(), this.diff, element('div', { className: 'reports' }, ...this.shown.map(({ box }) => box)), this.changes);
    }
    await Promise.all(this.shown.map((each) => each.load()));
    if (this.app.reports.length === SIDE_BY_SIDE && this.diff.hidden && this.shown.every(({ summary }) => summary?.exact)) await this.loadDiff();
  }

  /** Which report the page is about, if there are several. */
  chooser() {
    const { reports } = this.app;
    if (reports.length <= SIDE_BY_SIDE) return [];
    const list = element('select', { id: 'start-report', 'aria-label': 'Report', onchange: () => {
      this.report = Number(list.value);
      this.shown = [];
      void this.load();
    } }, ...reports.map(({ name }, i) => element('option', { value: String(i) }, visible(name, 100))));
    list.value = String(this.report);
    return [list];
  }

  /** What `prof diff` says of two reports. */
  async loadDiff() {
    this.diff.hidden = false;
    try {
      const answer = await this.app.source.diff();
      replace(this.diff, element('h2', {}, `${visible(this.app.reports[1].name, 100)} compared with ${visible(this.app.reports[0].name, 100)}`),
        element('ul', {}, ...answer.headline.map((line) => element('li', {}, visible(line)))), figuresTable(answer.summary, null));
      replace(this.changes, element('h2', {}, 'Changes'), figuresTable(answer.changes, null));
    } catch (error) {
      replace(this.diff, element('p', { className: 'muted' }, visible(error instanceof Error ? error.message : error)));
    }
  }

}

/** The summary of one report. */
class ReportSummary {
  /** @param {App} app @param {number} report @param {boolean} isOneOfSeveral */
  constructor(app, report, isOneOfSeveral) {
    this.app = app;
    this.report = report;
    this.isOneOfSeveral = isOneOfSeveral;
    /** @type {Summary | null} */
    this.summary = null;
    this.drawn = '';
    this.isLoading = false;
    this.areFactsOpen = false;
    this.box = element('div', { className: 'report' }, element('p', { className: 'muted' }, 'Analyzing the report…'));
  }

  /**
   * The id of a part. Only the first of several reports has ids without a number.
   * @param {string} name
   */
  id(name) {
    return this.isOneOfSeveral && this.report > 0 ? `${name}-${this.report}` : name;
  }

  async load() {
    if (this.isLoading) return;
    this.isLoading = true;
    try {
      while (!this.summary?.exact) {
        this.summary = await this.app.source.summary(this.report);
        this.draw(this.summary);
        if (this.summary.exact || this.summary.fault) break;
        await new Promise((resolve) => { setTimeout(resolve, POLL_MS); });
      }
    } catch (error) {
      replace(this.box, element('p', { className: 'bad' }, visible(error instanceof Error ? error.message : error)));
    }
    this.isLoading = false;
  }

  /** @param {Summary} summary */
  draw(summary) {
    const now = JSON.stringify(summary);
    if (now === this.drawn) return;
    this.drawn = now;
    const cards = [this.kernels(summary), this.ranges(summary), ...this.functions(summary), this.facts(summary)];
    replace(this.box, ...[this.head(summary), this.findings(summary), this.gpus(summary), this.iterations(summary),
      element('div', { className: 'cards' }, ...cards.flatMap((each) => each ?? [])), losses(summary)].flatMap((each) => each ?? []));
  }

  /** @param {Summary} summary */
  head({ verdict, gpus, exact, fault }) {
    const title = verdict ? capitalized(visible(verdict.name, 100)) : exact ? 'No verdict: the report does not say where time went.' : 'Analyzing the report…';
    const gain = verdict?.gain ? [element('p', { id: this.id('verdict-gain') }, visible(`Gain: ${verdict.gain}.`))] : [];
    const open = verdict?.open ? [`${verdict.open}.`] : [];
    const missing = [...open, ...(verdict?.not_recorded ?? []).map((text) => `Not recorded: ${text}`)].map((text) => element('p', { className: 'muted' }, visible(text)));
    const name = this.isOneOfSeveral ? element('p', { className: 'muted' }, visible(this.app.reports[this.report]?.name ?? '', 100)) : null;
    const bar = verdict?.shares?.length ? timeBar(verdict.shares, gpus?.length ? 'GPU' : 'thread') : null;
    return element('header', {}, name, element('h1', verdict || exact ? { id: this.id('verdict') } : {}, title), bar,
      verdict ? element('p', { id: this.id('verdict-sentence') }, visible(verdict.sentence)) : null, ...gain, ...missing,
      fault ? element('p', { className: 'bad' }, visible(fault)) : null);
  }

  /**
   * Shows a place on the timeline.
   * @param {Where} where
   */
  open(where) {
    const { app } = this;
    app.showTimeline();
    app.selection.setArea({ start: where.from, end: where.to, row: where.row });
    app.viewport.begin(where.from, where.to);
    const row = where.row === null ? undefined : app.tree.byId.get(where.row);
    if (!row) return;
    if (!app.tree.placed.some((each) => each.row === row)) app.tree.reveal(row);
    app.rowList.activate(row);
    if (where.source !== undefined && where.id !== undefined && where.source !== null && where.id !== null) {
      void app.selection.select({ row: row.id, source: where.source, id: where.id }, true);
    }
  }

  /** @param {Where | null} where @param {string} text @param {string} [className] */
  link(where, text, className = 'plain') {
    return where ? button(text, () => this.open(where), { className, 'data-where': `${where.from},${where.to}` }) : element('bdi', {}, text);
  }

  /** @param {Summary} summary */
  findings({ findings }) {
    if (!findings) return null;
    const list = findings.map((finding) => element('li', { className: 'finding', 'data-rule': finding.rule },
      severityBar(finding),
      element('p', {}, element('strong', {}, visible(finding.sentence))),
      element('p', {}, visible(finding.evidence)),
      finding.remedy ? element('p', { className: 'muted' }, visible(finding.remedy)) : null,
      finding.where ? element('p', {}, this.link(finding.where, 'Show it on the timeline')) : null));
    const box = element('ul', { id: this.id('findings'), className: 'findings' }, ...list);
    return element('section', {}, element('h2', {}, 'Findings'), list.length ? box : element('p', {}, 'No problems found.'));
  }

  /** @param {Summary} summary */
  gpus({ gpus, tensor_cores: tensor }) {
    if (!gpus?.length) return null;
    const bars = gpus.map((gpu) => gpuBar(gpu, () => {
      this.app.showTimeline();
      const row = this.app.tree.byId.get(gpu.row);
      if (!row) return;
      if (!this.app.tree.placed.some((each) => each.row === row)) this.app.tree.reveal(row);
      this.app.rowList.activate(row);
    }));
    return element('section', { id: this.id('gpu-time') }, element('h2', {}, 'GPU time of the whole recording'), ...bars, tensor ? element('p', { className: 'muted' },
      `Kernels on tensor cores: ${count(tensor.kernels)}, ${percent(tensor.share_of_gpu_time)} of the GPU's time. ${visible(tensor.note)}`) : null);
  }

  /** @param {Summary} summary */
  iterations({ iterations }) {
    if (!iterations?.times.length) return null;
    return element('section', { id: this.id('iterations') }, element('h2', {}, `Iterations by ${visible(iterations.found_by, 200)}`),
      iterationChart(iterations, (from, to) => this.open({ from, to, row: null })));
  }

  /** @param {string} id @param {string} title @param {NamedTime[] | null} list */
  timeTable(id, title, list) {
    if (!list?.length) return null;
    const hasShare = list.some(({ share }) => share !== undefined);
    const columns = [...(hasShare ? [{ header: 'Share', isNumber: true }] : []), { header: 'Total', isNumber: true },
      { header: 'Count', isNumber: true }, { header: 'Average', isNumber: true }, { header: 'Name', isNumber: false }];
    const table = makeTable(columns, list.map((each) => ({ cells: [...(hasShare ? [percent(each.share ?? 0)] : []), duration(each.total), count(each.count),
      duration(each.average), element('span', {}, this.link(each.where, visible(each.name, 300)), each.tensor_cores ? ' (tensor cores)' : '')] })), null);
    return element('section', { id: this.id(id) }, element('h2', {}, title), table);
  }

  /** @param {Summary} summary */
  kernels({ kernels }) {
    return this.timeTable('top-kernels', 'Kernels with the most time', kernels);
  }

  /** @param {Summary} summary */
  ranges({ ranges }) {
    return this.timeTable('top-ranges', 'Ranges with the most time', ranges);
  }

  /**
   * The functions with the most samples of Python, and of the CPU.
   * @param {Summary} summary
   */
  functions({ cpu }) {
    const columns = [{ header: 'Share', isNumber: true }, { header: 'Samples', isNumber: true }, { header: 'Function', isNumber: false },
      { header: 'Place', isNumber: false }];
    return [['python_sample_sum', 'Python', 'top-python-functions'], ['cpu_sample_sum', 'CPU', 'top-functions']].map(([statistic, kind, id]) => {
      const list = (cpu?.functions ?? []).filter((each) => each.statistic === statistic && each.samples > 0);
      if (!list.length) return null;
      return element('section', { id: this.id(id) }, element('h2', {}, `Functions with the most ${kind} samples`), makeTable(columns,
        list.map(({ name, place, share, samples }) => ({ cells: [percent(share), count(samples), element('bdi', { className: 'function' }, visible(name, 300)),
          element('bdi', { title: visible(place, 300) }, visible(place.replace(/^\/.*\//, ''), 300))] })), null));
    });
  }

  /**
   * What people ask for is shown, and the options of the recording are folded.
   * @param {Summary} summary
   */
  facts({ facts: list, options }) {
    if (!list?.length && !options?.length) return null;
    const folded = element('details', { open: this.areFactsOpen, ontoggle: () => { this.areFactsOpen = folded.open; } },
      element('summary', {}, `Options of the recording (${count(options?.length ?? 0)})`), pairsTable(options ?? []));
    return element('section', { id: this.id('facts'), className: 'facts' }, element('h2', {}, 'The recording'), pairsTable(list ?? []),
      options?.length ? folded : null);
  }
}

/** @param {[string, string][]} list */
function pairsTable(list) {
  return element('table', {}, element('tbody', {}, ...list.map(([name, value]) => element('tr', {},
    element('th', { scope: 'row' }, visible(name, 100)), element('td', {}, element('bdi', {}, visible(value, 5000)))))));
}

/** @param {string} text */
function capitalized(text) {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

/** @param {Summary} summary */
function losses(summary) {
  if (!summary.losses?.length) return null;
  return element('section', { className: 'losses' }, element('h2', {}, 'What is missing'), element('ul', {},
    ...summary.losses.map((text) => element('li', {}, visible(text)))));
}
