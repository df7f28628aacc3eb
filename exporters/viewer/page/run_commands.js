// The commands of the page of a job, with their keys, as on the page of a report.
import { showCommands } from './dialogs.js';
import { byId } from './dom.js';
import { keyNames } from './keys.js';
import { ORDER_NAMES } from './run_heat.js';

const ZOOM_STEP = 0.6;
const PAN_STEP = 0.15;

/** @param {RunApp} app @returns {Command[]} */
export function makeRunCommands(app) {
  const { viewport, heat, bands } = app;
  const middle = () => app.pointer ?? viewport.toPixel(app.time);
  const row = () => (app.rank === null ? 0 : Math.max(0, heat.rowOf(app.rank)));
  const y = () => ((row() + 0.5 - heat.first) / Math.max(1, heat.last - heat.first)) * heat.canvas.clientHeight;
  /** @type {Command[]} */
  const time = [
    { id: 'zoom-in', title: 'Zoom in at the pointer', keys: ['W', '+'], run: () => viewport.zoom(ZOOM_STEP, middle()) },
    { id: 'zoom-out', title: 'Zoom out', keys: ['S', '-'], run: () => viewport.zoom(1 / ZOOM_STEP, middle()) },
    { id: 'earlier', title: 'Move to earlier times', keys: ['A'], run: () => viewport.pan(-PAN_STEP) },
    { id: 'later', title: 'Move to later times', keys: ['D'], run: () => viewport.pan(PAN_STEP) },
    { id: 'all', title: 'Show the whole job', keys: ['0'], run: () => {
      viewport.jump(viewport.whole);
      heat.showRows(0, app.run?.ranks?.length ?? 0);
    } },
    { id: 'back', title: 'Zoom back', keys: ['Backspace'], run: () => viewport.back() },
    { id: 'next-step', title: 'Select the next step', keys: ['.'], run: () => bands.choose(bands.chosen + 1) },
    { id: 'step-before', title: 'Select the step before', keys: [','], run: () => bands.choose(bands.chosen - 1) },
    { id: 'area-zoom', title: 'Zoom into the selected span', keys: ['Z'], run: () => {
      if (app.area) viewport.jump(app.area);
    } },
    { id: 'clear', title: 'Clear the selection', keys: ['Escape'], run: () => app.selectArea(null) },
  ];
  const step = (/** @type {number} */ by) => () => {
    const next = Math.max(0, Math.min(heat.order.length - 1, app.rank === null ? 0 : row() + by));
    if (heat.order.length) app.choose(heat.order[next], app.time);
  };
  const shift = (/** @type {number} */ by) => () => {
    if (app.rank !== null) app.choose(app.rank, app.time + by * (heat.heat?.width ?? 0));
  };
  /** @type {Command[]} */
  const ranks = [
    { id: 'open', title: 'Open the timeline of the rank at this time', keys: ['Enter'], run: () => void app.open(false) },
    { id: 'next-rank', title: 'Choose the next rank', keys: ['ArrowDown'], run: step(1) },
    { id: 'rank-before', title: 'Choose the rank before', keys: ['ArrowUp'], run: step(-1) },
    { id: 'page-down', title: 'Choose a rank further down', keys: ['PageDown'], run: () => step(Math.max(1, Math.floor(heat.last - heat.first) - 1))() },
    { id: 'page-up', title: 'Choose a rank further up', keys: ['PageUp'], run: () => step(-Math.max(1, Math.floor(heat.last - heat.first) - 1))() },
    { id: 'time-later', title: 'Choose a later time', keys: ['ArrowRight'], run: shift(1) },
    { id: 'time-earlier', title: 'Choose an earlier time', keys: ['ArrowLeft'], run: shift(-1) },
    { id: 'rows-in', title: 'Show fewer ranks', keys: ['Shift+W'], run: () => heat.zoomRows(ZOOM_STEP, y()) },
    { id: 'rows-out', title: 'Show more ranks', keys: ['Shift+S'], run: () => heat.zoomRows(1 / ZOOM_STEP, y()) },
    { id: 'sort', title: 'Order the ranks in another way', keys: ['O'], run: () => {
      const now = ORDER_NAMES.findIndex(([key]) => key === app.sort);
      app.setSort(ORDER_NAMES[(now + 1) % ORDER_NAMES.length][0]);
    } },
    { id: 'color', title: 'Color by another state', keys: ['C'], run: () => {
      const names = ['largest', ...(app.run?.states ?? []).map(({ name }) => name)];
      app.setState(names[(names.indexOf(app.state) + 1) % names.length]);
    } },
  ];
  /** @type {Command[]} */
  const page = [
    { id: 'theme', title: 'Switch between light and dark', keys: ['Shift+T'], run: () => app.switchTheme() },
    { id: 'help', title: 'Show all commands', keys: ['?'], run: () => showCommands(app.commands) },
  ];
  return [['Time', time], ['Ranks', ranks], ['Page', page]].flatMap(([group, commands]) =>
    /** @type {Command[]} */ (commands).map((command) => ({ ...command, group: /** @type {string} */ (group) })));
}

/** @param {RunApp} app */
export function listenToRunKeys(app) {
  window.addEventListener('keydown', (event) => {
    const { target } = event;
    if (!(target instanceof HTMLElement) || target instanceof HTMLSelectElement || target.closest('dialog')) return;
    if ((event.key === 'Enter' || event.key === ' ') && target.closest('button, tr')) return;
    const isScrolling = target.closest('#side') !== null && /^(Arrow|Page|Home|End)/.test(event.key);
    const names = keyNames(event);
    const command = isScrolling ? undefined : app.commands.find(({ keys }) => keys.some((key) => names.includes(key)));
    if (!command) return;
    event.preventDefault();
    command.run(event);
  });
  byId('commands-button').addEventListener('click', () => showCommands(app.commands));
}
