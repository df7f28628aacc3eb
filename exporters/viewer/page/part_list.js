// The lists beside the pages of kernels and operators.
import { element } from './dom.js';
import { visible } from './text.js';

/**
 * A choice of the report that the page is about; nothing if there is one.
 * @param {App} app @param {number} report @param {(report: number) => void} choose
 */
export function reportChooser({ reports }, report, choose) {
  if (reports.length < 2) return [];
  const chooser = element('select', { 'aria-label': 'Report', onchange: () => choose(Number(chooser.value)) },
    ...reports.map(({ name }, i) => element('option', { value: String(i) }, visible(name, 100))));
  chooser.value = String(report);
  return [chooser];
}

/**
 * A part of the GPU's time. `share` is at most 1.
 * @param {{name: string, title: string, share: number, shareText: string, text: string, depth?: number, isCurrent: boolean, data?: Record<string, string>, open: () => void}} part
 */
export function listItem({ name, title, share, shareText, text, depth = 0, isCurrent, data = {}, open }) {
  const bar = element('div', { className: 'heat-part' });
  bar.style.width = `${Math.min(1, share) * 100}%`;
  const label = element('bdi', {}, visible(name, 200));
  label.style.paddingLeft = `${depth}em`;
  return element('li', {}, element('button', { type: 'button', className: 'kernel', title: visible(title, 500), 'aria-current': isCurrent ? 'true' : null, onclick: open, ...data },
    element('span', { className: 'number' }, shareText), label, element('div', { className: 'stall-track' }, bar), element('span', { className: 'muted' }, visible(text, 200))));
}
