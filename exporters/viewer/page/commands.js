// Every command, with its keys. For letters that stand for a direction, the place on the keyboard
// counts.
import { ask, showCommands, showMenu } from './dialogs.js';
import { kernelOf } from './details.js';
import { byId, copyText } from './dom.js';
import { saveImage } from './image_export.js';
import { Marks } from './marks.js';
import { count, duration, moment, parseTime } from './text.js';

const ZOOM_STEP = 0.6;
const PAN_STEP = 0.15;
const MARK_REACH = 6;

/** @param {App} app @returns {Command[]} */
export function makeCommands(app) {
  /** @type {[string, Command[]][]} */
  const groups = [['Time', timeCommands(app)], ['Events and the drawer', eventCommands(app)], ['Rows', rowCommands(app)], ['Page', pageCommands(app)]];
  return groups.flatMap(([group, commands]) => commands.map((command) => ({ ...command, group })));
}

/** @param {App} app @returns {Command[]} */
function timeCommands(app) {
  const { viewport, pointer, selection } = app;
  return [
    { id: 'zoom-in', title: 'Zoom in at the pointer', keys: ['W', '+'], run: () => viewport.zoom(ZOOM_STEP, pointer.zoomPixel) },
    { id: 'zoom-out', title: 'Zoom out', keys: ['S', '-'], run: () => viewport.zoom(1 / ZOOM_STEP, pointer.zoomPixel) },
    { id: 'earlier', title: 'Move to earlier times', keys: ['A'], run: () => viewport.pan(-PAN_STEP) },
    { id: 'later', title: 'Move to later times', keys: ['D'], run: () => viewport.pan(PAN_STEP) },
    { id: 'all', title: 'Show the whole report', keys: ['0'], run: () => viewport.jump(viewport.whole) },
    { id: 'back', title: 'Zoom back', keys: ['Backspace'], run: () => viewport.back() },
    { id: 'jump', title: 'Go to a time', keys: ['G'], run: () => ask('Go to a time, such as 1.5 s or 250 ms', '', (text) => {
      const time = parseTime(text);
      if (Number.isNaN(time)) app.say('That is not a time. Examples: 1.5 s, 250 ms, 0.25');
      else viewport.centre(time);
    }) },
    { id: 'mark', title: 'Set or change a mark', keys: ['M'], run: () => mark(app) },
    { id: 'area-zoom', title: 'Zoom into the selected span', keys: ['Z'], run: () => {
      if (selection.area) viewport.jump(selection.area);
    } },
    { id: 'area-event', title: 'Select the span of the selected event', keys: ['R'], run: () => {
      const { details } = selection;
      if (!details) return;
      selection.setArea({ start: details.start, end: details.end ?? viewport.whole.end, row: null });
      app.drawer.showArea();
    } },
    { id: 'area-screen', title: 'Select the span on the screen', keys: ['Shift+R'], run: () => {
      const { start, end } = viewport.target;
      selection.setArea({ start, end, row: app.rowList.active });
      app.announce(`${moment(start)} to ${moment(end)}, ${duration(end - start)} selected`);
      app.drawer.showArea();
    } },
  ];
}

/**
 * A mark at the pointer, or at the selected event if the pointer is elsewhere.
 * @param {App} app
 */
function mark(app) {
  const { viewport, marks, selection, pointer } = app;
  const isOnCanvas = app.timeline.rowAt(pointer.x, pointer.y) !== null;
  const time = Math.round(selection.details && !isOnCanvas ? selection.details.start : viewport.toTime(pointer.zoomPixel));
  const old = marks.near(time, MARK_REACH * viewport.nsPerPixel);
  const at = old?.time ?? time;
  ask(`Note of the mark at ${moment(at)}`, old?.note ?? '', (note) => marks.set(at, note), old ? () => marks.remove(old) : null);
}

/** @param {App} app @returns {Command[]} */
function eventCommands(app) {
  const { viewport, selection, search, drawer, marks } = app;
  let fitted = '';
  return [
    { id: 'focus', title: 'Centre the selected event; again: zoom to it', keys: ['F'], run: () => {
      const { details } = selection;
      if (!details) return;
      const key = `${details.row}/${details.source}/${details.id}`;
      const end = details.end ?? viewport.whole.end;
      if (fitted === key) viewport.fit(details.start, end);
      else viewport.centre((details.start + end) / 2);
      fitted = fitted === key ? '' : key;
    } },
    { id: 'next', title: 'Next event of the row', keys: ['.'], run: () => void selection.step(1) },
    { id: 'before', title: 'Event before in the row', keys: [','], run: () => void selection.step(-1) },
    { id: 'launcher', title: 'Go to what launched it, or the range around it', keys: ['['], run: () => selection.follow(['launched by', 'range', 'part of']) },
    { id: 'launched', title: 'Go to what it launched, or what is inside it', keys: [']'], run: () => selection.follow(['launches', 'inside']) },
    { id: 'same-next', title: 'Next event of the same name', keys: ['Shift+.'], run: () => selection.follow(['same name after']) },
    { id: 'same-before', title: 'Event of the same name before', keys: ['Shift+,'], run: () => selection.follow(['same name before']) },
    { id: 'mark-next', title: 'Go to the next mark', keys: ['Shift+M'], run: () => {
      const middle = (viewport.target.start + viewport.target.end) / 2;
      const next = marks.list.find((each) => each.time > middle + viewport.nsPerPixel * MARK_REACH) ?? marks.list[0];
      if (!next) return;
      viewport.centre(next.time);
      app.announce(Marks.titleOf(next));
    } },
    { id: 'search', title: 'Search events by name', keys: ['/', 'Ctrl+F'], run: () => search.input.select() },
    { id: 'hit-next', title: 'Next hit of the search', keys: ['N'], run: () => void search.step(1) },
    { id: 'hit-before', title: 'Hit before', keys: ['Shift+N'], run: () => void search.step(-1) },
    { id: 'clear', title: 'Clear the selection', keys: ['Escape'], run: () => {
      if (selection.area) selection.setArea(null);
      else if (selection.ref) selection.clear();
      else search.clear();
    } },
    { id: 'path', title: 'Find the critical path of the selected span, or of the screen', keys: ['X'], run: () => void findPath(app) },
    { id: 'drawer', title: 'Open or close the drawer', keys: ['Q'], run: () => drawer.toggle() },
    { id: 'statistics', title: 'Statistics of the selected span', keys: ['1'], run: () => drawer.show('statistics') },
    { id: 'flame', title: 'Flame graph of the selected span', keys: ['2'], run: () => drawer.show('flame') },
    { id: 'events', title: 'Events of the row in the selected span', keys: ['3'], run: () => drawer.show('events') },
    { id: 'event', title: 'Details of the selected event', keys: ['4'], run: () => drawer.show('event') },
    { id: 'kernel', title: 'Why the selected kernel is slow', keys: ['K'], run: () => showKernel(app) },
    { id: 'operators', title: 'Operators of the selected span', keys: ['Shift+K'], run: () => showOperators(app) },
    { id: 'query', title: 'Query the report in SQL', keys: ['5'], run: () => drawer.show('query') },
  ];
}

/**
 * Shows the page of the selected kernel, or of the kernel that was shown last.
 * @param {App} app
 */
function showKernel(app) {
  const kernel = kernelOf(app);
  if (!byId('tab-kernels').hidden) void app.showKernel(kernel?.report ?? app.kernels.report, kernel?.name ?? app.kernels.name);
}

/**
 * Shows the operators of the selected span, or of the whole report.
 * @param {App} app
 */
function showOperators(app) {
  if (!byId('tab-operators').hidden) void app.showOperators(app.drawer.span.report, '', app.selection.area !== null);
}

/**
 * Asks for the critical path of the selected span, or of what is on the screen.
 * @param {App} app
 */
async function findPath(app) {
  const { viewport, selection } = app;
  const { start, end } = selection.area ?? viewport.target;
  const isWhole = start <= viewport.whole.start && end >= viewport.whole.end;
  const [from, to] = isWhole ? [null, null] : [Math.round(start), Math.round(end)];
  try {
    const { pieces, length } = await app.source.path(app.rowList.activeRow?.report ?? 0, from, to);
    await app.refresh();
    app.announce(pieces ? `The critical path: ${duration(length)} in ${count(pieces)} pieces` : 'There is no critical path');
  } catch (error) {
    app.report(error);
  }
}

/**
 * What can be done with a row.
 * @param {App} app @param {() => Row | null} choose @returns {Command[]}
 */
function commandsOfRow(app, choose) {
  const { tree } = app;
  const act = (/** @type {(row: Row) => void} */ action) => () => {
    const row = choose();
    if (row) action(row);
  };
  return [
    { id: 'pin', title: 'Pin or unpin the row', keys: ['P'], run: act((row) => tree.togglePin(row)) },
    { id: 'hide', title: 'Hide the row', keys: ['H'], run: act((row) => tree.hide(row)) },
    { id: 'toggle', title: 'Open or close the row', keys: ['Enter'], run: act((row) => tree.toggle(row)) },
    { id: 'row-up', title: 'Move the row up', keys: ['Shift+ArrowUp'], run: act((row) => tree.move(row, -1)) },
    { id: 'row-down', title: 'Move the row down', keys: ['Shift+ArrowDown'], run: act((row) => tree.move(row, 1)) },
    { id: 'row-events', title: 'List the events of the row', keys: ['E'], run: act((row) => {
      app.rowList.active = row.id;
      if (app.selection.area) app.selection.area.row = row.id;
      app.drawer.show('events');
    }) },
  ];
}

/** @param {App} app @returns {Command[]} */
function rowCommands(app) {
  const { tree, rowList } = app;
  return [
    ...commandsOfRow(app, () => app.pointer.row),
    { id: 'show-hidden', title: 'Show all hidden rows', keys: ['Shift+H'], run: () => tree.showAll() },
    { id: 'empty-rows', title: 'Show or hide rows without events on the screen', keys: ['Shift+E'], run: () => app.emptyRows.toggle() },
    { id: 'open-all', title: 'Open all rows', keys: ['O'], run: () => tree.toggleAll(true) },
    { id: 'close-all', title: 'Close all rows', keys: ['Shift+O'], run: () => tree.toggleAll(false) },
    { id: 'row-next', title: 'Next row', keys: ['ArrowDown'], run: () => rowList.step(1) },
    { id: 'row-before', title: 'Row before', keys: ['ArrowUp'], run: () => rowList.step(-1) },
    { id: 'row-in', title: 'Open the row, or go into it', keys: ['ArrowRight'], run: () => rowList.stepInto(true) },
    { id: 'row-out', title: 'Close the row, or go out of it', keys: ['ArrowLeft'], run: () => rowList.stepInto(false) },
    { id: 'row-menu', title: 'Menu of the row', keys: ['Shift+F10', 'ContextMenu'], run: () => {
      if (rowList.activeRow) openRowMenu(app, rowList.activeRow);
    } },
    { id: 'filter', title: 'Filter rows by name', keys: ['Shift+F'], run: () => byId('filter').focus() },
  ];
}

/** @param {App} app @param {Row} row */
export function openRowMenu(app, row) {
  const { x, y } = app.pointer;
  const box = app.timeline.boxOf(row);
  const isPointer = app.timeline.rowAt(x, y)?.placed.row === row;
  showMenu(row.name, [...commandsOfRow(app, () => row), { id: 'show-hidden', title: 'Show all hidden rows', keys: ['Shift+H'], run: () => app.tree.showAll() }],
    isPointer ? x : 150, isPointer ? y : box?.top ?? 100);
}

/** @param {App} app @returns {Command[]} */
function pageCommands(app) {
  return [
    { id: 'page', title: 'Switch between start page and timeline', keys: ['T'], run: () => (app.page === 'start' ? app.showTimeline() : app.showStart()) },
    { id: 'theme', title: 'Switch between light and dark', keys: ['Shift+T'], run: () => app.switchTheme() },
    { id: 'share', title: 'Copy a link to what is shown', keys: ['L'], run: () => void share(app) },
    { id: 'png', title: 'Save the timeline as PNG', keys: [], run: () => void saveImage(app, 'png') },
    { id: 'svg', title: 'Save the timeline as SVG', keys: [], run: () => void saveImage(app, 'svg') },
    { id: 'report-add', title: 'Add the view to a report of your own', keys: ['Shift+S'], run: () => void app.notebook.add() },
    { id: 'report-save', title: 'Save the report of your own (Markdown and pictures)', keys: [], run: () => void app.notebook.save() },
    { id: 'print', title: 'Print', keys: ['Ctrl+P'], run: () => window.print() },
    { id: 'help', title: 'List of commands', keys: ['?', 'F1'], run: () => showCommands(app.commands) },
  ];
}

/** @param {App} app */
async function share(app) {
  app.url.write(false);
  try {
    await copyText(location.href);
    app.say('The link is copied. The part after # shows the same in any prof view of this report.');
  } catch {
    ask('Copy this link', location.href, () => undefined);
  }
}
