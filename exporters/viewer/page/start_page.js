// The start page: the verdict, findings, where the time went, and the facts of the report.
import { button, byId, element, replace } from './dom.js';
import { gpuBar, iterationChart } from './start_charts.js';
import { figuresTable, makeTable } from './table.js';
import { count, duration, percent, visible } from './text.js';

const POLL_MS = 300;

export class StartPage {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    this.box = byId('start');
    /** @type {Summary | null} */
    this.summary = null;
    /** Which of several reports the page is about. */
    this.report = 0;
    this.requests = 0;
    this.drawn = '';
    this.body = element('div');
    this.diff = element('section', { id: 'diff', hidden: true });
  }

  /** Asks for the summary until all its parts are there. */
  async load() {
    if (this.summary?.exact) return;
    this.requests += 1;
    const mine = this.requests;
    if (!this.summary) {
      replace(this.body, element('p', { className: 'muted' }, 'Analyzing the report…'));
      replace(this.box, ...this.chooser(), this.body, this.diff);
    }
    try {
      const summary = await this.app.source.summary(this.report);
      if (mine !== this.requests) return;
      this.summary = summary;
      this.draw(summary);
      if (!summary.exact && !summary.fault) setTimeout(() => { if (mine === this.requests) void this.load(); }, POLL_MS);
      else if (this.app.reports.length === 2 && this.diff.hidden) await this.loadDiff();
    } catch (error) {
      replace(this.body, element('p', { className: 'bad' }, visible(error instanceof Error ? error.message : error)));
    }
  }

  /** Which report the page is about, if there are several. */
  chooser() {
    const { reports } = this.app;
    if (reports.length < 2) return [];
    const list = element('select', { id: 'start-report', 'aria-label': 'Report', onchange: () => {
      this.report = Number(list.value);
      this.summary = null;
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
        element('ul', {}, ...answer.headline.map((line) => element('li', {}, visible(line)))), figuresTable(answer.summary, null),
        element('h2', {}, 'Changes'), figuresTable(answer.changes, null));
    } catch (error) {
      replace(this.diff, element('p', { className: 'muted' }, visible(error instanceof Error ? error.message : error)));
    }
  }

  /** @param {Summary} summary */
  draw(summary) {
    const now = JSON.stringify(summary);
    if (now === this.drawn && this.body.childElementCount > 1) return;
    this.drawn = now;
    const cards = [this.kernels(summary), this.ranges(summary), cpu(summary), facts(summary)];
    replace(this.body, ...[this.head(summary), this.findings(summary), this.gpus(summary), this.iterations(summary),
      element('div', { className: 'cards' }, ...cards.flatMap((each) => each ?? [])), losses(summary)].flatMap((each) => each ?? []));
  }

  /** @param {Summary} summary */
  head({ verdict, span, exact, fault }) {
    const title = verdict ? capitalized(visible(verdict.name, 100)) : exact ? 'No verdict: the report does not say where time went.' : 'Analyzing the report…';
    const open = verdict?.open ? [`${verdict.open}.`] : [];
    const missing = [...open, ...(verdict?.not_recorded ?? [])].map((text) => element('p', { className: 'muted' }, visible(text)));
    return element('header', {}, element('h1', verdict || exact ? { id: 'verdict' } : {}, title),
      verdict ? element('p', { id: 'verdict-sentence' }, visible(verdict.sentence)) : null,
      element('p', { className: 'muted' }, `${duration(span)} recorded.`), ...missing,
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
      element('p', {}, element('strong', {}, visible(finding.sentence))),
      element('p', {}, visible(finding.evidence)),
      finding.remedy ? element('p', { className: 'muted' }, visible(finding.remedy)) : null,
      element('p', {}, finding.at_stake ? `At stake: ${duration(finding.at_stake)} (${percent(finding.share)}). ` : '',
        finding.where ? this.link(finding.where, 'Show it on the timeline') : null)));
    const box = element('ul', { id: 'findings' }, ...list);
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
    return element('section', { id: 'gpu-time' }, element('h2', {}, 'GPU time'), ...bars, tensor ? element('p', { id: 'tensor-cores' },
      `Kernels on tensor cores: ${count(tensor.kernels)}, ${percent(tensor.share_of_gpu_time)} of the GPU's time. ${visible(tensor.note)}`) : null);
  }

  /** @param {Summary} summary */
  iterations({ iterations }) {
    if (!iterations?.times.length) return null;
    return element('section', { id: 'iterations' }, element('h2', {}, 'Iterations'),
      element('p', { className: 'muted' }, `Found by ${visible(iterations.found_by, 200)}`),
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
    return element('section', { id }, element('h2', {}, title), table);
  }

  /** @param {Summary} summary */
  kernels({ kernels }) {
    return this.timeTable('top-kernels', 'Kernels with the most time', kernels);
  }

  /** @param {Summary} summary */
  ranges({ ranges }) {
    return this.timeTable('top-ranges', 'Ranges with the most time', ranges);
  }

}

/** @param {Summary} summary */
function facts({ facts: list, options }) {
  const all = [...(list ?? []), ...(options ?? [])];
  if (!all.length) return null;
  return element('section', { id: 'facts' }, element('h2', {}, 'The recording'), element('table', {}, element('tbody', {},
    ...all.map(([name, value]) => element('tr', {}, element('th', { scope: 'row' }, visible(name, 100)),
      element('td', {}, element('bdi', {}, visible(value, 5000))))))));
}

/** @param {string} text */
function capitalized(text) {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

/** @param {Summary} summary */
function cpu(summary) {
  if (!summary.cpu?.functions.length) return null;
  const columns = [{ header: 'Samples', isNumber: true }, { header: 'Function', isNumber: false }, { header: 'Place', isNumber: false }];
  return element('section', { id: 'top-functions' }, element('h2', {}, 'Functions with the most CPU samples'), makeTable(columns,
    summary.cpu.functions.map(({ name, place, share }) => ({ cells: [percent(share), visible(name, 300), visible(place, 300)] })), null));
}

/** @param {Summary} summary */
function losses(summary) {
  if (!summary.losses?.length) return null;
  return element('section', { id: 'losses' }, element('h2', {}, 'What is missing'), element('ul', {},
    ...summary.losses.map((text) => element('li', {}, visible(text)))));
}
