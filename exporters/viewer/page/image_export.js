// Saves the visible part of the timeline as a picture: ruler, names of rows, rows.
import { byId, download } from './dom.js';
import { fontFor } from './pen.js';
import { paintRuler } from './ruler.js';
import { SvgPen } from './svg_pen.js';
import { cutEnd, visible } from './text.js';
import { visibleRows } from './timeline.js';

const NAME_LETTERS = 40;

/** @typedef {{placed: Placed, top: number}} Name */

/**
 * Names of the rows on the screen and where they are, below the ruler.
 * @param {App} app @returns {Name[]}
 */
function shownNames(app) {
  const { tree, timeline } = app;
  const { scrollTop, clientHeight } = timeline.scroller;
  const pins = tree.placedPins.map((placed) => ({ placed, top: placed.top }));
  const rows = visibleRows(tree.placed, scrollTop, scrollTop + clientHeight);
  return [...pins, ...rows.map((placed) => ({ placed, top: placed.top - scrollTop + tree.pinHeight }))];
}

/** @param {Name} name @param {App['tree']} tree */
function textOf({ placed }, tree) {
  const { name, note } = tree.title(placed.row);
  return '  '.repeat(placed.depth) + cutEnd(visible(`${name} ${note}`, 200), NAME_LETTERS);
}

/** @param {App} app */
function measures(app) {
  const ruler = app.timeline.ruler;
  const { body, pins } = app.timeline;
  const names = byId('corner').getBoundingClientRect().width;
  const ratio = body.ratio;
  return { names, ratio, ruler: ruler.height / ratio, pins: byId('pins').hidden ? 0 : pins.height / ratio,
    width: body.width / ratio, body: body.height / ratio };
}

/**
 * The visible part of the timeline as PNG.
 * @param {App} app
 */
export async function picture(app) {
  app.timeline.draw();
  const { timeline, theme } = app;
  const size = measures(app);
  const canvas = document.createElement('canvas');
  canvas.width = Math.round((size.names + size.width) * size.ratio);
  canvas.height = Math.round((size.ruler + size.pins + size.body) * size.ratio);
  const context = canvas.getContext('2d');
  if (!context) return null;
  context.fillStyle = theme.background;
  context.fillRect(0, 0, canvas.width, canvas.height);
  const left = Math.round(size.names * size.ratio);
  context.drawImage(timeline.ruler.canvas, left, 0);
  if (size.pins) context.drawImage(timeline.pins.canvas, left, timeline.ruler.height);
  context.drawImage(timeline.body.canvas, left, Math.round((size.ruler + size.pins) * size.ratio));
  const overlay = /** @type {HTMLCanvasElement} */ (byId('overlay'));
  if (!overlay.hidden) context.drawImage(overlay, left, 0);
  context.fillStyle = theme.background;
  context.fillRect(0, timeline.ruler.height, left, canvas.height);
  context.fillStyle = theme.text;
  context.font = fontFor(size.ratio);
  for (const name of shownNames(app)) {
    context.fillText(textOf(name, app.tree), 6 * size.ratio, (size.ruler + name.top + 14) * size.ratio, left - 8);
  }
  return new Promise((/** @type {(blob: Blob | null) => void} */ resolve) => { canvas.toBlob(resolve, 'image/png'); });
}

/** @param {App} app */
function svg(app) {
  const { timeline, theme, tree, viewport } = app;
  const size = measures(app);
  const height = size.ruler + size.pins + size.body;
  const ratio = timeline.body.ratio;
  const pen = new SvgPen(size.names + size.width, height, (text) => timeline.body.measure(text) / ratio);
  pen.rect(0, 0, size.names + size.width, height, theme.background);
  for (const name of shownNames(app)) pen.text(6, size.ruler + name.top + 14, textOf(name, app.tree), theme.text);
  // The ruler is drawn after the names, so that it covers names of rows that are scrolled out at
  // the top.
  pen.openPart(size.names, 0, Math.round(size.width), size.ruler);
  pen.rect(0, 0, size.width, size.ruler, theme.background);
  const width = viewport.width;
  viewport.width = pen.width;
  paintRuler(pen, viewport, theme);
  viewport.width = width;
  if (size.pins) {
    pen.openPart(size.names, size.ruler, Math.round(size.width), size.pins);
    timeline.paintRows(pen, tree.placedPins, 0, 1);
  }
  pen.openPart(size.names, size.ruler + size.pins, Math.round(size.width), size.body);
  const { scrollTop, clientHeight } = timeline.scroller;
  timeline.paintRows(pen, visibleRows(tree.placed, scrollTop, scrollTop + clientHeight), scrollTop, 1);
  return new Blob([pen.toText()], { type: 'image/svg+xml' });
}

/** @param {App} app @param {'png' | 'svg'} kind */
export async function saveImage(app, kind) {
  app.showTimeline();
  app.timeline.draw();
  const content = kind === 'png' ? await picture(app) : svg(app);
  if (content) download(`timeline.${kind}`, content);
}
