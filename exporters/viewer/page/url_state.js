// The state of the view in the fragment of the address. Browsers do not send the fragment, and a
// link with it shows others the same view.

const DELAY = 150;

/** @param {string} text */
function list(text) {
  return text ? text.split('.').filter(Boolean) : [];
}

export class UrlState {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    this.timer = 0;
    this.isRestoring = false;
    this.report = '';
    window.addEventListener('popstate', () => void this.restore());
    app.viewport.leaving.on(() => this.flush());
    app.viewport.changed.on((isJump) => this.save(isJump));
    for (const signal of [app.selection.changed, app.selection.areaChanged, app.tree.changed, app.marks.changed, app.search.changed]) {
      signal.on(() => this.save(false));
    }
  }

  /**
   * Saves soon, so that panning does not write for each frame. With `isJump` a step back leads to what was before.
   * @param {boolean} isJump
   */
  save(isJump) {
    if (this.isRestoring) return;
    if (isJump) {
      clearTimeout(this.timer);
      this.timer = 0;
      this.write(true);
    } else if (!this.timer) {
      this.timer = window.setTimeout(() => {
        this.timer = 0;
        this.write(false);
      }, DELAY);
    }
  }

  /** Saves now what was to be saved soon. */
  flush() {
    if (!this.timer) return;
    clearTimeout(this.timer);
    this.timer = 0;
    this.write(false);
  }

  /** @param {boolean} isJump */
  write(isJump) {
    const hash = this.text();
    if (hash === location.hash) return;
    if (isJump) history.pushState(null, '', hash);
    else history.replaceState(null, '', hash);
  }

  /** The fragment for what is shown now. */
  text() {
    const { viewport, selection, tree, rowList, marks, search, page, kernels, operators } = this.app;
    const { start, end } = viewport.target;
    const parts = new URLSearchParams();
    const put = (/** @type {string} */ key, /** @type {string | undefined} */ value) => { if (value) parts.set(key, value); };
    put('view', page);
    if (page === 'timeline') put('t', `${Math.round(start)},${Math.round(end)}`);
    if (page === 'kernels') {
      put('kernel', kernels.name);
      put('of', kernels.report ? String(kernels.report) : '');
    }
    if (page === 'operators') {
      put('module', operators.module);
      put('of', operators.report ? String(operators.report) : '');
      put('time', operators.isPart ? 'selected' : '');
    }
    put('row', rowList.activeRow ? tree.keyOf(rowList.activeRow) : '');
    if (selection.details) {
      const row = tree.byId.get(selection.details.row);
      put('sel', `${selection.details.table}:${selection.details.id}`);
      put('in', row ? tree.keyOf(row) : '');
    }
    if (selection.area) {
      const row = selection.area.row === null ? undefined : tree.byId.get(selection.area.row);
      put('area', `${Math.round(selection.area.start)},${Math.round(selection.area.end)}${row ? `,${tree.keyOf(row)}` : ''}`);
    }
    put('pins', tree.pinned.join('.'));
    put('hide', [...tree.hidden].join('.'));
    put('all', tree.choiceOfAll === null ? '' : tree.choiceOfAll ? 'open' : 'shut');
    put('open', [...tree.choices].filter(([, open]) => open).map(([key]) => key).join('.'));
    put('shut', [...tree.choices].filter(([, open]) => !open).map(([key]) => key).join('.'));
    put('order', [...tree.orders].map(([parent, keys]) => [parent || '-', ...keys].join('.')).join('~'));
    put('empty', tree.showsEmpty ? 'shown' : '');
    put('filter', tree.filter);
    put('q', search.query);
    put('marks', marks.list.map(({ time, note }) => `${Math.round(time)}:${encodeURIComponent(note)}`).join(','));
    put('id', this.report);
    return `#${parts.toString().replaceAll('%2C', ',').replaceAll('%3A', ':')}`;
  }

  /** Shows what the address says. */
  async restore() {
    const parts = new URLSearchParams(location.hash.slice(1));
    this.isRestoring = true;
    clearTimeout(this.timer);
    this.timer = 0;
    try {
      this.restoreRows(parts);
      this.restoreTime(parts);
      this.restoreMarks(parts);
      this.restorePage(parts);
      await Promise.all([this.restoreEvent(parts), this.app.search.restore(parts.get('q') ?? '')]);
    } finally {
      this.isRestoring = false;
    }
    this.save(false);
  }

  /** @param {URLSearchParams} parts */
  restorePage(parts) {
    const { app } = this;
    const report = Math.max(0, Math.min(app.reports.length - 1, Number(parts.get('of')) || 0));
    if (parts.get('view') === 'kernels') void app.showKernel(report, parts.get('kernel') ?? '');
    else if (parts.get('view') === 'operators') void app.showOperators(report, parts.get('module') ?? '', parts.get('time') === 'selected');
    else if (parts.get('view') === 'timeline' || (!parts.has('view') && parts.has('t'))) app.showTimeline();
    else app.showStart();
    const id = parts.get('id');
    if (id && this.report && id !== this.report) {
      app.say('This link was made for another report. Times and selected events can differ.');
    }
  }

  /** @param {URLSearchParams} parts */
  restoreRows(parts) {
    const { tree, rowList } = this.app;
    tree.pinned = list(parts.get('pins') ?? '');
    tree.hidden = new Set(list(parts.get('hide') ?? ''));
    tree.choiceOfAll = parts.has('all') ? parts.get('all') === 'open' : null;
    tree.choices = new Map([...list(parts.get('open') ?? '').map((key) => /** @type {[string, boolean]} */ ([key, true])),
      ...list(parts.get('shut') ?? '').map((key) => /** @type {[string, boolean]} */ ([key, false]))]);
    tree.orders = new Map((parts.get('order') ?? '').split('~').filter(Boolean).map((each) => {
      const [parent, ...keys] = list(each);
      return [parent === '-' ? '' : parent, keys];
    }));
    tree.filter = parts.get('filter') ?? '';
    this.app.emptyRows.toggle(parts.get('empty') === 'shown');
    rowList.active = tree.byKey(parts.get('row') ?? '')?.id ?? null;
    tree.layout();
  }

  /** @param {URLSearchParams} parts */
  restoreTime(parts) {
    const { viewport, selection, tree } = this.app;
    const [start, end] = (parts.get('t') ?? '').split(',').map(Number);
    viewport.set(end > start ? { start, end } : viewport.whole);
    const [from, to, row] = (parts.get('area') ?? '').split(',');
    const area = Number(to) > Number(from) ? { start: Number(from), end: Number(to), row: tree.byKey(row ?? '')?.id ?? null } : null;
    if (area || selection.area) selection.setArea(area);
  }

  /** @param {URLSearchParams} parts */
  restoreMarks(parts) {
    const { marks } = this.app;
    marks.list = [];
    for (const each of (parts.get('marks') ?? '').split(',')) {
      const colon = each.indexOf(':');
      const time = Number(each.slice(0, colon));
      if (colon > 0 && Number.isFinite(time)) marks.set(time, decodeNote(each.slice(colon + 1)));
    }
    marks.changed.emit();
  }

  /** @param {URLSearchParams} parts */
  async restoreEvent(parts) {
    const { tree, selection } = this.app;
    const [table, id] = (parts.get('sel') ?? '').split(':');
    const row = tree.byKey(parts.get('in') ?? '');
    const source = row ? row.tables.indexOf(table) : -1;
    if (row && source >= 0 && Number(id) >= 0) {
      const { ref } = selection;
      if (ref?.row !== row.id || ref.id !== Number(id) || ref.source !== source) {
        await selection.select({ row: row.id, source, id: Number(id) });
      }
    } else if (selection.ref) {
      selection.clear();
    }
  }
}

/** @param {string} text */
function decodeNote(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
