// The texts beside the picture: the verdict and the findings, the chosen rank, the path in sums, and what is missing.
import { button, byId, element, replace } from './dom.js';
import { unitName } from './run_bands.js';
import { stateColor } from './run_image.js';
import { makeTable } from './table.js';
import { count, duration, percent, visible } from './text.js';

const PATH_ROWS = 12;

/** @param {RunApp} app @param {RunVerdict} answer */
export function showVerdict(app, { verdict, job, findings }) {
  if (!verdict) {
    replace(byId('verdict'), element('p', { className: 'muted' }, app.run?.complete ? 'No collective operation of several ranks was found, so the job has no verdict.' :
      'Reading the collective operations …'));
    return;
  }
  const list = findings.map((finding) => element('li', { className: 'finding', 'data-rule': finding.rule }, element('p', {}, element('strong', {},
    `${percent(finding.share)}: `), visible(finding.sentence)), element('p', {}, `${duration(finding.savings)} to save of ${duration(verdict.span)}`),
  finding.evidence ? element('p', {}, visible(finding.evidence)) : null, finding.remedy ? element('p', { className: 'muted' }, visible(finding.remedy)) : null,
  finding.rank === null ? null : element('p', {}, button('Show it', () => showFinding(app, finding), { className: 'plain' }))));
  replace(byId('verdict'), element('h1', {}, visible(verdict.name, 200)), element('p', {}, visible(verdict.sentence)),
    ...job.map((line) => element('p', { className: 'muted' }, visible(line))), ...(list.length ? [element('ul', { className: 'findings' }, ...list)] : []));
}

/** @param {RunApp} app @param {RunVerdict['findings'][number]} finding */
function showFinding(app, { rank, where }) {
  if (rank === null) return;
  app.choose(rank, where ? (where.from + where.to) / 2 : app.time);
  if (!where) return;
  app.selectArea({ start: where.from, end: where.to });
  app.viewport.fit(where.from - 10 * (where.to - where.from), where.to + 10 * (where.to - where.from));
}

/**
 * The figures of a rank are those of the statistics.
 * @param {RunApp} app
 */
export function showRank(app) {
  const rank = app.rank === null ? undefined : app.run?.ranks[app.rank];
  if (!rank || !app.run) {
    replace(byId('chosen'));
    return;
  }
  const sum = rank.times.reduce((all, time) => all + time, 0);
  const lines = app.run.states.slice(0, rank.times.length).map(({ label }, i) => ({ label, time: rank.times[i] })).filter(({ time }) => time > 0);
  const table = makeTable([{ header: 'Time of its GPUs', isNumber: false }, { header: '', isNumber: true }, { header: '', isNumber: true }],
    lines.map(({ label, time }) => ({ cells: [label, duration(time), percent(time / sum)] })), null);
  replace(byId('chosen'), element('h2', {}, `Rank ${rank.rank}${rank.node ? `, ${visible(rank.node, 100)}` : ''}`),
    element('p', { className: 'muted' }, visible(app.run.reports[rank.report], 500)), table,
    element('p', {}, app.run.has_collectives ? `It waits ${duration(rank.waited)} for other ranks${rank.late ? `, and comes ${duration(rank.late)} after the others` : ''}.` :
      app.run.complete ? '' : 'Its waits for other ranks are not known yet.'),
    ...(rank.cause ? [element('p', {}, `Delay: ${duration(rank.delay)} by ${visible(rank.cause, 100)} ${visible(rank.steps, 100)}.`)] : []),
    ...(rank.clock_error === 0 ? [] : [element('p', { className: 'muted' }, clockText(rank.clock_error))]),
    button('Open its timeline (Enter)', () => void app.open(false)));
}

/** @param {number | null} error ns */
function clockText(error) {
  return error === null ? 'Its clock cannot be compared with those of other machines.' : `The error of its clock is at most ${duration(error)}.`;
}

/** @param {RunApp} app */
export function showPath(app) {
  const { path } = app;
  if (!path?.sums.length) {
    replace(byId('path-sums'));
    return;
  }
  const columns = [{ header: 'Time on path', isNumber: true }, { header: 'Rank', isNumber: false }, { header: 'Kind', isNumber: false }, { header: 'Name', isNumber: false }];
  replace(byId('path-sums'), element('h2', {}, 'Critical path'), element('p', { className: 'muted' }, `${duration(path.elapsed)} in all`),
    makeTable(columns, path.sums.slice(0, PATH_ROWS).map(([unit, kind, name, time]) => ({ cells: [`${duration(time)} (${percent(time / path.elapsed)})`,
      unitName(path.units[unit]).replace(/^rank /, ''), visible(kind, 60), visible(name, 120)] })), null));
}

/** @param {RunAnswer} run */
export function showMissing(run) {
  const lines = [...(run.left_out ?? []), ...(run.remarks ?? []), ...run.faults];
  replace(byId('missing'), ...(lines.length ? [element('h2', {}, 'What is missing'), element('ul', {}, ...lines.map((line) => element('li', {}, visible(line, 1000))))] : []));
}

/** @param {RunAnswer} run */
export function showLegend({ states, has_collectives: hasWaits }) {
  replace(byId('legend'), ...states.filter(({ name }) => hasWaits || name !== 'wait').map(({ name, label }) => {
    const swatch = element('span', { className: 'swatch' });
    swatch.style.background = stateColor(name);
    return element('span', {}, swatch, label);
  }), element('span', { className: 'muted' }, 'Steps: band of all ranks, of half of them, median, longest'));
}

/** @param {RunAnswer} run */
export function titleOf(run) {
  const nodes = new Set((run.ranks ?? []).map(({ node }) => node)).size;
  return run.has_ranks ? `${visible(run.name, 200)}: ${count(run.ranks.length)} ranks on ${count(nodes)} ${nodes === 1 ? 'node' : 'nodes'}` : visible(run.name, 200);
}
