// The ruler: times at the top, ticks at the bottom. The overlay draws marks between them.
import { moment } from './text.js';

const LABEL_WIDTH = 110;

/**
 * The round step between labels for a span.
 * @param {number} nsPerPixel CSS pixels @param {number} [room]
 */
export function stepFor(nsPerPixel, room = LABEL_WIDTH) {
  const least = nsPerPixel * room;
  const power = 10 ** Math.floor(Math.log10(least));
  for (const factor of [1, 2, 5]) {
    if (power * factor >= least) return Math.max(1, power * factor);
  }
  return Math.max(1, power * 10);
}

/**
 * Times of the labels within a span.
 * @param {Span} span @param {number} step
 */
export function ticks({ start, end }, step) {
  const times = [];
  for (let i = Math.ceil(start / step); i * step <= end; i += 1) times.push(i * step);
  return times;
}

/**
 * @param {Pen} pen
 * @param {import('./viewport.js').Viewport} viewport
 * @param {import('./colors.js').Theme} theme
 */
export function paintRuler(pen, viewport, theme) {
  const step = stepFor(viewport.nsPerPixel * pen.ratio);
  const small = step / 5;
  const line = Math.max(1, Math.round(pen.ratio));
  for (const time of ticks(viewport, small)) {
    pen.rect(Math.round(viewport.toPixel(time)), pen.height - Math.round(4 * pen.ratio), line, Math.round(4 * pen.ratio), theme.muted);
  }
  for (const time of ticks(viewport, step)) {
    const x = Math.round(viewport.toPixel(time));
    pen.rect(x, pen.height - Math.round(10 * pen.ratio), line, Math.round(10 * pen.ratio), theme.text);
    // A label that is cut would be read as another time.
    const text = moment(time, step);
    const left = x + Math.round(4 * pen.ratio);
    if (left + pen.measure(text) <= pen.width) pen.text(left, Math.round(13 * pen.ratio), text, theme.text);
  }
}
