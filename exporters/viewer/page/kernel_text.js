// The source files of a kernel with the samples of their lines, if the server may read them.
import { element, replace } from './dom.js';
import { heatBar, mainStall } from './kernel_source.js';
import { linesOf, numberOf } from './kernel_tables.js';
import { count, visible } from './text.js';

/** @typedef {import('./kernel_tables.js').Line} Line */
/** @typedef {{samples: number, percent: number, main: Line}} Heat of a line; `main` is the row with most of its samples */

const MOST_FILES = 20;
/** Lines without samples that are shown around a line with samples. */
const AROUND = 4;

/**
 * The samples by file and number of line. A line can have several rows: one for each place where it was inlined.
 * @param {Figures} lines
 */
function heatsByFile(lines) {
  /** @type {Map<string, Map<number, Heat>>} */
  const files = new Map();
  for (const line of linesOf(lines)) {
    const found = /^(.*):(\d+)$/.exec(String(line['Line'] ?? ''));
    if (!found) continue;
    const heats = files.get(found[1]) ?? new Map();
    files.set(found[1], heats);
    const heat = heats.get(Number(found[2])) ?? { samples: 0, percent: 0, main: line };
    heat.samples += numberOf(line['Samples']);
    heat.percent += numberOf(line['Kernel (%)']);
    heats.set(Number(found[2]), heat);
  }
  return files;
}

/** @param {Map<number, Heat>} heats */
function percentOf(heats) {
  return [...heats.values()].reduce((sum, { percent }) => sum + percent, 0);
}

/**
 * The files of a kernel, those with the most samples first. Their text is asked for when they are opened.
 * @param {App} app @param {number} report @param {Figures} lines
 */
export function sourceFiles(app, report, lines) {
  const files = [...heatsByFile(lines)].sort(([, a], [, b]) => percentOf(b) - percentOf(a)).slice(0, MOST_FILES);
  return files.map(([file, heats], i) => {
    const box = element('div', { className: 'wide-table' });
    let isAsked = false;
    const details = element('details', { className: 'source-file', open: i === 0, ontoggle: () => {
      if (!details.open || isAsked) return;
      isAsked = true;
      void fill(box, app, report, file, heats);
    } }, element('summary', {}, element('bdi', {}, visible(file, 500)), ` (${percentOf(heats).toFixed(1)} % of the samples)`), box);
    return details;
  });
}

/**
 * @param {HTMLElement} box @param {App} app @param {number} report @param {string} file @param {Map<number, Heat>} heats
 */
async function fill(box, app, report, file, heats) {
  replace(box, element('p', { className: 'muted' }, 'Reading…'));
  try {
    const { lines, missing, path, modified } = await app.source.sourceText(report, file);
    if (!lines) {
      replace(box, element('p', { className: 'muted' }, visible(missing ?? '', 500)));
      return;
    }
    const begin = app.utcStart;
    const isNewer = begin !== null && modified !== undefined && modified > begin + app.viewport.whole.end;
    replace(box, element('p', { className: 'muted' }, `${visible(path, 500)}${isNewer ? ' was changed after the recording: lines may differ.' : ''}`), textTable(lines, heats));
  } catch (error) {
    replace(box, element('p', { className: 'bad' }, visible(error instanceof Error ? error.message : error)));
  }
}

/**
 * The lines with samples and those around them.
 * @param {string[]} lines @param {Map<number, Heat>} heats
 */
function textTable(lines, heats) {
  const rows = [];
  let last = 0;
  const shown = new Set([...heats.keys()].flatMap((number) => Array.from({ length: 2 * AROUND + 1 }, (_, i) => number - AROUND + i)));
  for (const number of [...shown].filter((each) => each >= 1 && each <= lines.length).sort((a, b) => a - b)) {
    if (number > last + 1) rows.push(element('tr', { className: 'muted' }, element('td', { colSpan: 6 }, '⋮')));
    last = number;
    rows.push(textRow(number, lines[number - 1], heats.get(number)));
  }
  const beyond = [...heats.keys()].filter((number) => number > lines.length).length;
  return element('div', {}, element('table', { className: 'source-text' }, element('tbody', {}, ...rows)),
    beyond ? element('p', { className: 'bad' }, `The file has ${count(lines.length)} lines, and ${count(beyond)} lines with samples are beyond its end: it is another version.`) : null);
}

/** @param {number} number @param {string} text @param {Heat | undefined} heat */
function textRow(number, text, heat) {
  const row = element('tr', { className: heat ? 'hot' : '', 'data-line': String(number) }, element('td', { className: 'number muted' }, String(number)),
    element('td', { className: 'number' }, heat ? `${heat.percent.toFixed(1)} %` : ''), element('td', { className: 'stall-bar', 'aria-hidden': 'true' }, heat ? heatBar(heat.percent) : null),
    element('td', { className: 'number' }, heat ? count(heat.samples) : ''), element('td', {}, heat ? mainStall(heat.main) : ''),
    element('td', { className: 'code' }, element('code', {}, visible(text.replace(/\t/g, '    '), 1000))));
  if (heat) row.style.background = `color-mix(in srgb, var(--heat) ${Math.min(45, 6 + heat.percent * 0.6).toFixed(0)}%, transparent)`;
  return row;
}
