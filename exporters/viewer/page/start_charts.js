// Charts of the start page, as elements: the GPU's time, and iterations.
import { RISING, FALLING, PLAIN } from './colors.js';
import { button, element } from './dom.js';
import { count, duration, moment, percent, visible } from './text.js';

/** @type {[keyof GpuTime, string, string, number][]} */
const PARTS = [
  ['compute', 'Computation', '#009e73', PLAIN],
  ['exposed_communication', 'Communication, exposed', '#d55e00', RISING],
  ['hidden_communication', 'Communication during computation', '#e8a58f', PLAIN],
  ['exposed_copies', 'Copies, exposed', '#e69f00', FALLING],
  ['hidden_copies', 'Copies during computation', '#f2c879', PLAIN],
  ['idle', 'Idle', '#c4cad3', PLAIN],
];
/** Parts that pass at the same time as computation: not in the bar, which adds up to the span. */
const HIDDEN = new Set(['hidden_communication', 'hidden_copies']);

/** @param {string} color @param {number} pattern */
function background(color, pattern) {
  if (pattern === PLAIN) return color;
  const angle = pattern === RISING ? 135 : 45;
  return `repeating-linear-gradient(${angle}deg, ${color} 0 5px, color-mix(in srgb, ${color} 60%, black) 5px 7px)`;
}

/**
 * The time of one GPU as a bar with a legend.
 * @param {GpuTime} gpu @param {() => void} open
 */
export function gpuBar(gpu, open) {
  const parts = PARTS.filter(([key]) => Number(gpu[key]) > 0);
  const bar = element('div', { className: 'bar-chart', role: 'img',
    'aria-label': parts.map(([key, title]) => `${title} ${percent(Number(gpu[key]) / gpu.span)}`).join(', ') });
  const legend = element('div', { className: 'legend' });
  for (const [key, title, color, pattern] of parts) {
    const share = Number(gpu[key]) / gpu.span;
    if (!HIDDEN.has(key)) {
      const part = element('div', { className: 'bar-part', title: `${title}: ${duration(Number(gpu[key]))}` }, share > 0.06 ? percent(share) : '');
      part.style.width = `${share * 100}%`;
      part.style.background = background(color, pattern);
      part.style.color = '#000000';
      bar.append(part);
    }
    const swatch = element('span', { className: 'swatch' });
    swatch.style.background = background(color, pattern);
    legend.append(element('span', {}, swatch, `${title} ${percent(share)} (${duration(Number(gpu[key]))})`));
  }
  return element('div', { className: 'gpu-time' }, element('div', {}, button(visible(gpu.name, 200), open, { className: 'plain' }),
    element('span', { className: 'muted' }, ` ${duration(gpu.span)}`)), bar, legend);
}

/**
 * Iterations as bars, the slow ones marked. If there are very many, each bar is the longest of several.
 * @param {Iterations} iterations
 * @param {(start: number, end: number) => void} open
 */
export function iterationChart({ times, median, slow, slow_rule: rule, slow_count: slowCount, count: all, group }, open) {
  const isSlow = new Set(slow);
  const longest = Math.max(...times.map(([start, end]) => end - start), 1);
  const chart = element('div', { className: 'iterations', role: 'list', 'aria-label': 'Iterations' });
  times.forEach(([start, end], i) => {
    const place = group > 1 ? `one of ${count(i * group + 1)} to ${count(Math.min(all, (i + 1) * group))}` : count(i + 1);
    const text = `Iteration ${place}: ${duration(end - start)} at ${moment(start)}${isSlow.has(i) ? ', slow' : ''}`;
    const bar = button('', () => open(start, end), { className: `iteration${isSlow.has(i) ? ' slow' : ''}`, title: text, 'aria-label': text,
      tabIndex: i === 0 || isSlow.has(i) ? 0 : -1 });
    bar.style.height = `${Math.max(2, ((end - start) / longest) * 100)}%`;
    chart.append(bar);
  });
  chart.addEventListener('keydown', (event) => {
    const bar = event.target instanceof HTMLElement && event.target.classList.contains('iteration') ? event.target : null;
    const next = event.key === 'ArrowRight' ? bar?.nextElementSibling : event.key === 'ArrowLeft' ? bar?.previousElementSibling : null;
    if (next instanceof HTMLElement) next.focus();
  });
  const sum = `${count(all)} iterations, median ${duration(median)}, ${count(slowCount)} slow (${visible(rule, 100)})`;
  return element('div', {}, chart, element('p', { className: 'muted' }, group > 1 ? `${sum}. Each bar is the longest of ${group}.` : `${sum}.`));
}
