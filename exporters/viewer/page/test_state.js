// window.__view: the state that tests and the frame benchmark read from the page.
import { byId } from './dom.js';

/** @param {App} app */
export function stateForTests(app) {
  const { timeline, viewport, cache, names, tree, selection } = app;
  const view = {
    get page() { return app.page; },
    get isReady() { return app.isReady; },
    get isExact() { return app.isExact; },
    /** Nothing moves, nothing is on its way, the screen shows the newest. */
    get isIdle() {
      return app.isReady && !viewport.animation && !timeline.isDirty && cache.isQuiet && app.emptyRows.isSettled && !names.isFetching &&
        app.source.counters.pending === 0 && !app.kernels.isLoading && !app.operators.isLoading;
    },
    get span() { return { start: viewport.start, end: viewport.end }; },
    get whole() { return viewport.whole; },
    get rows() { return tree.placed.map(({ row, top, height, depth }) => ({ ...row, ...tree.title(row), top, height, depth, key: tree.keyOf(row), isOpen: tree.isOpen(row) })); },
    get allRows() { return [...tree.byId.values()]; },
    get pins() { return tree.placedPins.map(({ row }) => row); },
    get active() { return app.rowList.activeRow; },
    get selected() { return selection.details; },
    get links() { return selection.links; },
    get area() { return selection.area; },
    get marks() { return app.marks.list; },
    get search() { return { query: app.search.query, total: app.search.total, place: app.search.place, current: app.search.current }; },
    get requests() { return { ...app.source.counters }; },
    get cache() { return { tiles: cache.entries.size, bytes: cache.bytes }; },
    /** What the last frame drew. */
    get drawn() { return { body: { ...timeline.body.drawn }, pins: { ...timeline.pins.drawn } }; },
    get frames() { return { ...timeline.frames }; },
    get pixels() { return { width: timeline.body.width, height: timeline.body.height, ratio: timeline.body.ratio }; },
    get kernel() { return { report: app.kernels.report, name: app.kernels.name, figures: app.kernels.figures }; },
    get operators() { return { report: app.operators.report, module: app.operators.module, figures: app.operators.figures }; },
    get theme() { return { ...app.theme }; },
    /**
     * The event at a point of the page.
     * @param {number} x @param {number} y
     */
    hit(x, y) {
      const hit = timeline.hitAt(x, y);
      return hit && { ...hit, text: names.get(hit.name).text };
    },
    /**
     * Where a time is drawn in a row: a point of the page.
     * @param {number} row @param {number} time @param {number} lane
     */
    point(row, time, lane = 0) {
      const each = tree.byId.get(row);
      const box = each ? timeline.boxOf(each) : null;
      if (!box) return null;
      const canvas = byId('body').getBoundingClientRect();
      return { x: canvas.left + (viewport.toPixel(time) / viewport.width) * canvas.width, y: box.top + 2 + (lane + 0.5) * box.placed.laneHeight };
    },
    /**
     * The elements of a row's tiles on the screen, and how many events they stand for.
     * @param {number} row
     */
    contents(row) {
      const each = tree.byId.get(row);
      const segments = each ? timeline.segmentsOf(each) : [];
      return segments.map(({ tile, from, to }) => ({ level: tile.level, index: tile.index, from, to, count: tile.count }));
    },
    /**
     * The first 1,000 events of a row, by time.
     * @param {number} row
     */
    async events(row) {
      const { start, end } = viewport.whole;
      return (await app.source.events({ row, from: start, to: end, sort: 'start', order: 'asc', offset: 0, limit: 1000 })).events;
    },
    /** Draws at once, to measure it. */
    draw() { timeline.draw(); },
    clearCounters() {
      Object.assign(timeline.frames, { count: 0, work: [] });
      Object.assign(app.source.counters, { requests: 0, aborted: 0, failed: 0, slowest: 0, slowestPath: '' });
    },
    /** @param {EventRef} ref */
    select(ref) { void selection.select(ref); },
    /** @param {number} id */
    activate(id) {
      const row = tree.byId.get(id);
      if (row) app.rowList.activate(row);
    },
    /** @param {number} start @param {number} end */
    setSpan(start, end) { viewport.set({ start, end }); },
    /** @param {number} start @param {number} end @param {number | null} row */
    setArea(start, end, row = null) { selection.setArea({ start, end, row }); },
    /** @param {string} id */
    run(id) { app.commands.find((command) => command.id === id)?.run(); },
    get commands() { return app.commands.map(({ id, keys }) => ({ id, keys })); },
  };
  Reflect.set(window, '__view', view);
}
