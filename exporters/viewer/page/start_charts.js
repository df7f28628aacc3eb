// Charts of the start page, as elements: where the time went, the GPU's time, the weight of a finding, and iterations.
import { FALLING, PLAIN, RISING } from './colors.js';
import { button, element } from './dom.js';
import { count, duration, moment, percent, visible } from './text.js';

/** @typedef {{title: string, share: number, color: string, pattern: number, detail?: string, isApart?: boolean}} Part a part of a bar */

const IDLE = 'var(--idle)';
/** @type {[keyof GpuTime, string, string, number][]} */
const PARTS = [
  ['compute', 'Computation', '#009e73', PLAIN],
  ['exposed_communication', 'Communication, exposed', '#d55e00', RISING],
  ['hidden_communication', 'Communication during computation', '#e8a58f', PLAIN],
  ['exposed_copies', 'Copies, exposed', '#e69f00', FALLING],
  ['hidden_copies', 'Copies during computation', '#f2c879', PLAIN],
  ['idle', 'Idle', IDLE, PLAIN],
];
/** Parts that pass at the same time as computation: not in the bar, which adds up to the span. */
const HIDDEN = new Set(['hidden_communication', 'hidden_copies']);
/**
 * Colors by what a share of the verdict is called. The first that fits counts.
 * @type {[RegExp, string, number][]}
 */
const VERDICT = [[/^computing/, '#009e73', PLAIN], [/CPU work|OS-runtime calls/, '#7fbf7b', PLAIN], [/communication|network/, '#d55e00', RISING],
  [/copies|files/, '#e69f00', FALLING], [/lock|late process/, '#cc79a7', RISING], [/for a CPU/, '#f0e442', FALLING], [/launches|input or output/, '#56b4e9', PLAIN],
  [/synchronization|data loading/, '#b5a1d8', PLAIN]];
const SHARE_WITH_TEXT = 0.06;
/** From these shares on a finding is high, or medium. */
const HIGH = 0.25;
const MEDIUM = 0.1;
const LEAST_GAIN = 0.0005;
/** The axis of iterations ends at this multiple of the median. */
const MOST_MEDIANS = 3;
const MOST_BARS = 300;
/** A bar with its gap, in pixels. */
const WIDEST_BAR = 29;

/** @param {string} color @param {number} pattern */
function background(color, pattern) {
  if (pattern === PLAIN) return color;
  const angle = pattern === RISING ? 135 : 45;
  return `repeating-linear-gradient(${angle}deg, ${color} 0 5px, color-mix(in srgb, ${color} 75%, black) 5px 7px)`;
}

/**
 * A bar of shares with a legend.
 * @param {Part[]} parts
 */
function barOf(parts) {
  const bar = element('div', { className: 'bar-chart', role: 'img', 'aria-label': parts.map(({ title, share }) => `${title} ${percent(share)}`).join(', ') });
  const legend = element('div', { className: 'legend' });
  for (const { title, share, color, pattern, detail, isApart } of parts) {
    const text = `${title} ${percent(share)}${detail ? ` (${detail})` : ''}`;
    if (!isApart) {
      // The text is on the plain color, not on the pattern.
      const label = share > SHARE_WITH_TEXT ? element('span', {}, percent(share)) : null;
      if (label) label.style.background = color;
      const part = element('div', { className: `bar-part${color === IDLE ? ' idle' : ''}`, title: text }, label);
      part.style.width = `${share * 100}%`;
      part.style.background = background(color, pattern);
      bar.append(part);
    }
    const swatch = element('span', { className: 'swatch' });
    swatch.style.background = background(color, pattern);
    legend.append(element('span', {}, swatch, text));
  }
  return [bar, legend];
}

/**
 * Where the time went that the verdict is about.
 * @param {[string, number][]} shares
 * @param {string} whose
 */
export function timeBar(shares, whose) {
  const parts = shares.map(([name, share]) => {
    const [, color, pattern] = VERDICT.find(([words]) => words.test(name)) ?? [null, IDLE, PLAIN];
    return { title: capitalized(visible(name, 100)), share, color, pattern };
  });
  return element('div', { className: 'time-bar' }, element('div', { className: 'muted' }, `Where the time of the ${whose}s went that the verdict is about`),
    ...barOf(parts));
}

/** @param {string} text */
function capitalized(text) {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

/**
 * The time of one GPU as a bar with a legend.
 * @param {GpuTime} gpu @param {() => void} open
 */
export function gpuBar(gpu, open) {
  const parts = PARTS.filter(([key]) => Number(gpu[key]) > 0).map(([key, title, color, pattern]) => ({ title, color, pattern,
    share: Number(gpu[key]) / gpu.span, detail: duration(Number(gpu[key])), isApart: HIDDEN.has(key) }));
  return element('div', { className: 'gpu-time' }, element('div', {}, button(visible(gpu.name, 200), open, { className: 'plain' }),
    element('span', { className: 'muted' }, ` ${duration(gpu.span)}, from its first to its last operation`)), ...barOf(parts));
}

/**
 * How much a finding weighs: a word, and its share of the time as a bar.
 * @param {Finding} finding
 */
export function severityBar({ share, at_stake: stake, gain, gain_share: gained }) {
  const saved = gain === undefined || gained === undefined ? '' : gained < LEAST_GAIN ? ', no gain' : `, gain ${duration(gain)} (${percent(gained)})`;
  const severity = share >= HIGH ? 'high' : share >= MEDIUM ? 'medium' : 'low';
  const part = element('div', { className: `severity-part ${severity}` });
  part.style.width = `${Math.min(1, share) * 100}%`;
  return element('div', { className: 'severity' }, element('span', { className: `severity-word ${severity}` }, severity),
    element('div', { className: 'severity-bar', 'aria-hidden': 'true' }, part),
    element('span', {}, stake ? `${percent(share)}, ${duration(stake)} at stake${saved}` : ''));
}

/**
 * Joins neighbours until there are at most MOST_BARS: a bar is the longest of its neighbours.
 * @param {[number, number][]} times
 */
function joined(times) {
  const size = Math.ceil(times.length / MOST_BARS);
  /** @type {number[]} */
  const longest = [];
  times.forEach(([start, end], i) => {
    const at = Math.floor(i / size);
    const [from, to] = times[longest[at] ?? i];
    if (longest[at] === undefined || end - start > to - from) longest[at] = i;
  });
  return { size, longest };
}

/**
 * Iterations as bars with an axis, the slow ones marked. The axis ends at three medians, so that a warm-up does not hide the rest. If there
 * are very many, each bar is the longest of several.
 * @param {Iterations} iterations
 * @param {(start: number, end: number) => void} open
 */
export function iterationChart({ times, median, slow, slow_rule: rule, slow_count: slowCount, count: all, group: answered }, open) {
  const isSlow = new Set(slow);
  const longest = Math.max(...times.map(([start, end]) => end - start), 1);
  const top = median > 0 ? Math.min(longest, MOST_MEDIANS * median) : longest;
  const chart = element('div', { className: 'iterations', role: 'list', 'aria-label': 'Iterations' });
  let cut = 0;
  const { size, longest: shown } = joined(times);
  const group = size * answered;
  const firstOf = (/** @type {number} */ i) => (group > 1 ? Math.floor(i / size) * group : i) + 1;
  shown.forEach((i) => {
    const [start, end] = times[i];
    const place = group > 1 ? `one of ${count(firstOf(i))} to ${count(Math.min(all, firstOf(i) + group - 1))}` : count(i + 1);
    const text = `Iteration ${place}: ${duration(end - start)} at ${moment(start)}${isSlow.has(i) ? ', slow' : ''}`;
    const isCut = end - start > top;
    cut += isCut ? 1 : 0;
    const bar = button('', () => open(start, end), { className: `iteration${isSlow.has(i) ? ' slow' : ''}${isCut ? ' cut' : ''}`, title: text, 'aria-label': text,
      tabIndex: i === 0 || isSlow.has(i) ? 0 : -1 });
    bar.style.height = `${Math.max(2, Math.min(1, (end - start) / top) * 100)}%`;
    chart.append(bar);
  });
  chart.addEventListener('keydown', (event) => {
    const bar = event.target instanceof HTMLElement && event.target.classList.contains('iteration') ? event.target : null;
    const next = event.key === 'ArrowRight' ? bar?.nextElementSibling : event.key === 'ArrowLeft' ? bar?.previousElementSibling : null;
    if (next instanceof HTMLElement) next.focus();
  });
  const middle = element('span', { className: 'axis-middle' }, duration(median));
  middle.style.bottom = `${(median / top) * 100}%`;
  const isMedianApart = median / top > 0.15 && median / top < 0.85;
  const axis = element('div', { className: 'axis', 'aria-hidden': 'true' }, element('span', {}, duration(top)), isMedianApart ? middle : null, element('span', {}, '0'));
  const numbers = element('div', { className: 'axis-numbers muted' }, element('span', {}, '1'), element('span', {}, count(all)));
  for (const each of [chart, numbers]) each.style.maxWidth = `${shown.length * WIDEST_BAR}px`;
  const longer = cut ? ` ${count(cut)} longer than the axis, up to ${duration(longest)}.` : '';
  const sum = `${count(all)} iterations, median ${duration(median)}, ${count(slowCount)} slow (${visible(rule, 100)}).${longer}`;
  return element('div', { className: 'iteration-chart' }, axis, chart, numbers,
    element('p', { className: 'muted' }, group > 1 ? `${sum} Each bar is the longest of ${count(group)}.` : sum));
}
