// The page of a job of many ranks: puts its parts together.
import { Theme } from './colors.js';
import { button, byId, element, replace } from './dom.js';
import { PathStrip, Ruler, StepBands } from './run_bands.js';
import { listenToRunKeys, makeRunCommands } from './run_commands.js';
import { HeatView, ORDER_NAMES } from './run_heat.js';
import { WaitMatrix } from './run_matrix.js';
import { showLegend, showMissing, showPath, showRank, showVerdict, titleOf } from './run_panels.js';
import { openRunSource } from './run_source.js';
import { duration, moment, visible } from './text.js';
import { Viewport } from './viewport.js';

const POLL_MS = 200;
const SAVE_MS = 200;
const AROUND = 30; // what is shown of a timeline, in columns of the picture

/** @implements {RunApp} */
class RunPage {
  constructor() {
    this.source = openRunSource();
    this.theme = new Theme();
    this.viewport = new Viewport();
    /** @type {RunAnswer | null} */
    this.run = null;
    /** @type {RunSteps | null} */
    this.steps = null;
    /** @type {RunPath | null} */
    this.path = null;
    this.state = 'largest';
    this.sort = 'rank';
    /** @type {number | null} */
    this.rank = null;
    this.time = 0;
    /** @type {Span | null} */
    this.area = null;
    /** @type {number | null} */
    this.pointer = null;
    this.isDirty = false;
    this.timer = 0;
    this.counters = { frames: 0, longest: 0 };
    /** @type {RunApp['heat']} */
    this.heat = new HeatView(this);
    this.strip = new PathStrip(this);
    this.ruler = new Ruler(this);
    /** @type {RunApp['bands']} */
    this.bands = new StepBands(this);
    this.matrix = new WaitMatrix(this);
    this.commands = makeRunCommands(this);
    this.connect();
  }

  connect() {
    this.viewport.changed.on(() => this.invalidate());
    new ResizeObserver(() => this.invalidate()).observe(byId('plots'));
    byId('plots').addEventListener('pointermove', (event) => {
      const { left, width } = this.heat.canvas.getBoundingClientRect();
      const x = event.clientX - left;
      this.pointer = x >= 0 && x <= width ? x * devicePixelRatio : null;
    });
    byId('plots').addEventListener('pointerleave', () => { this.pointer = null; });
    fill('sort', ORDER_NAMES, (value) => this.setSort(value));
    fill('state', [['largest', 'state with the most time']], (value) => this.setState(value));
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.applyTheme(''));
    listenToRunKeys(this);
  }

  /** @param {string} choice 'light', 'dark', or '' for that of the system */
  applyTheme(choice) {
    const isDark = choice ? choice === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
    document.documentElement.dataset.theme = isDark ? 'dark' : 'light';
    this.theme.refresh();
    this.matrix.isStale = true;
    this.heat.renew();
    this.invalidate();
  }

  switchTheme() {
    this.applyTheme(document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark');
  }

  /** Draws in the next frame. */
  invalidate() {
    if (this.isDirty) return;
    this.isDirty = true;
    requestAnimationFrame((now) => {
      this.isDirty = false;
      const begin = performance.now();
      this.viewport.width = Math.max(1, Math.round(this.heat.canvas.clientWidth * devicePixelRatio));
      this.viewport.step(now);
      for (const part of [this.strip, this.ruler, this.bands, this.heat]) part.draw();
      if (this.matrix.isStale) this.matrix.draw();
      const { start, end } = this.viewport;
      byId('span').textContent = duration(end - start);
      this.counters.frames += 1;
      this.counters.longest = Math.max(this.counters.longest, performance.now() - begin);
      this.save();
    });
  }

  /** @param {number} x CSS pixels of a plot */
  timeAt(x) {
    return this.viewport.toTime(x * devicePixelRatio);
  }

  /** @param {CanvasRenderingContext2D} context @param {Span} span @param {number} height */
  shade(context, span, height) {
    const left = this.viewport.toPixel(span.start);
    const right = Math.max(left + 1, this.viewport.toPixel(span.end));
    context.globalAlpha = 0.16;
    context.fillStyle = this.theme.accent;
    context.fillRect(left, 0, right - left, height);
    context.globalAlpha = 1;
    for (const x of [left, right]) context.fillRect(Math.round(x), 0, Math.ceil(devicePixelRatio), height);
  }

  /** @param {number} rank an index @param {number} time */
  choose(rank, time) {
    this.rank = rank;
    this.time = Math.max(this.viewport.whole.start, Math.min(this.viewport.whole.end, time));
    this.heat.reveal(rank);
    showRank(this);
    if (this.run) this.announce(this.heat.textAt(rank, this.time));
    this.invalidate();
  }

  /** @param {Span | null} area */
  selectArea(area) {
    this.area = area;
    if (area) this.announce(`${moment(area.start)} to ${moment(area.end)}, ${duration(area.end - area.start)} selected`);
    else this.bands.chosen = -1;
    this.invalidate();
  }

  /** @param {string} sort */
  setSort(sort) {
    this.sort = ORDER_NAMES.some(([key]) => key === sort) ? sort : 'rank';
    /** @type {HTMLSelectElement} */ (byId('sort')).value = this.sort;
    this.heat.renew();
    if (this.sort === 'similar') void this.loadSimilar().catch((error) => this.report(error));
    if (this.rank !== null) this.heat.reveal(this.rank);
  }

  /** @param {string} state */
  setState(state) {
    this.state = state;
    /** @type {HTMLSelectElement} */ (byId('state')).value = state;
    void this.loadHeat().catch((error) => this.report(error));
  }

  /**
   * Opens the timeline of the chosen rank at the chosen time, with marks where its peers come.
   * @param {boolean} inNewTab
   */
  async open(inNewTab) {
    if (this.rank === null) return;
    try {
      const { report, time, collective } = await this.source.place(this.rank, this.time);
      const around = Math.min(this.viewport.end - this.viewport.start, AROUND * (this.heat.heat?.width ?? 1e6));
      const parts = new URLSearchParams({ view: 'timeline', t: `${Math.round(time - around / 2)},${Math.round(time + around / 2)}` });
      if (collective) parts.set('marks', collective.marks.map((mark) => `${mark.time}:${encodeURIComponent(mark.note)}`).join(','));
      const url = `report/${report}/#${parts}`;
      this.saveNow();
      if (inNewTab) window.open(url);
      else location.assign(url);
    } catch (error) {
      this.report(error);
    }
  }

  /** @param {PointerEvent} event @param {string} text */
  showTip(event, text) {
    const tip = byId('tooltip');
    tip.textContent = text;
    tip.hidden = false;
    tip.style.left = `${Math.min(event.clientX + 14, innerWidth - tip.offsetWidth - 4)}px`;
    tip.style.top = `${Math.min(event.clientY + 16, innerHeight - tip.offsetHeight - 4)}px`;
  }

  hideTip() {
    byId('tooltip').hidden = true;
  }

  /** @param {string} text */
  announce(text) {
    byId('announcements').textContent = text;
  }

  /** @param {unknown} error */
  report(error) {
    const text = visible(error instanceof Error ? error.message : error, 500);
    const box = byId('notices');
    if ([...box.querySelectorAll('bdi')].some((each) => each.textContent === text)) return;
    const notice = element('div', {}, element('bdi', {}, text));
    notice.append(button('Close', () => notice.remove()));
    box.append(notice);
  }

  async loadHeat() {
    if (!this.run?.has_ranks) return;
    const { state } = this;
    const buffer = await this.source.heat(state, this.run.version);
    if (state === this.state) this.heat.take(buffer);
  }

  /** Asks for the order of similar ranks, and shows it. */
  async loadSimilar() {
    if (!this.run?.has_ranks) return;
    const { order } = await this.source.similar(this.run.version);
    this.heat.similar = order;
    this.heat.renew();
    if (this.rank !== null) this.heat.reveal(this.rank);
  }

  /** Asks what is known until everything is. */
  async poll() {
    try {
      const run = await this.source.run();
      const before = this.run;
      if (before?.version !== run.version) await this.take(run, before);
      if (!run.complete) setTimeout(() => void this.poll(), POLL_MS);
    } catch (error) {
      this.report(error);
    }
  }

  /** @param {RunAnswer} run @param {RunAnswer | null} before */
  async take(run, before) {
    this.run = run;
    const progress = /** @type {HTMLProgressElement} */ (byId('progress'));
    progress.hidden = run.complete;
    replace(byId('report-name'), titleOf(run));
    document.title = `${titleOf(run)} – prof view`;
    showMissing(run);
    showLegend(run);
    if (run.has_ranks) {
      this.viewport.setWhole(run.span);
      if (!before?.has_ranks) this.begin(run);
      if (!before?.has_ranks || before.has_collectives !== run.has_collectives) await this.loadHeat();
    }
    if (run.has_collectives && !before?.has_collectives) {
      this.steps = await this.source.steps();
      byId('steps-name').title = visible(this.steps.found_by, 200);
      await this.matrix.load();
      this.heat.renew();
      if (this.sort === 'similar') await this.loadSimilar();
    }
    if (run.has_path && !before?.has_path) {
      this.path = await this.source.path();
      showPath(this);
    }
    if (run.complete || (run.has_collectives && !before?.has_collectives)) showVerdict(this, await this.source.verdict());
    showRank(this);
    this.invalidate();
  }

  /**
   * What the address says, when the ranks are known.
   * @param {RunAnswer} run
   */
  begin(run) {
    fill('state', [['largest', 'state with the most time'], ...run.states.map(({ name, label }) => [name, label])], (value) => this.setState(value));
    const parts = new URLSearchParams(location.hash.slice(1));
    this.setSort(parts.get('sort') ?? 'rank');
    this.state = run.states.some(({ name }) => name === parts.get('state')) ? String(parts.get('state')) : 'largest';
    /** @type {HTMLSelectElement} */ (byId('state')).value = this.state;
    const [start, end] = (parts.get('t') ?? '').split(',').map(Number);
    if (end > start) this.viewport.set({ start, end });
    const rank = Number(parts.get('rank') ?? -1);
    if (run.ranks[rank]) this.choose(rank, Number(parts.get('at') ?? this.viewport.start));
    else this.time = (this.viewport.start + this.viewport.end) / 2;
  }

  /** Keeps the view in the address, soon: panning does not write for each frame. */
  save() {
    if (this.timer || !this.run?.has_ranks) return;
    this.timer = window.setTimeout(() => this.saveNow(), SAVE_MS);
  }

  saveNow() {
    clearTimeout(this.timer);
    this.timer = 0;
    const { start, end } = this.viewport.target;
    const parts = new URLSearchParams({ t: `${Math.round(start)},${Math.round(end)}`, sort: this.sort, state: this.state });
    if (this.rank !== null) {
      parts.set('rank', String(this.rank));
      parts.set('at', String(Math.round(this.time)));
    }
    history.replaceState(null, '', `#${parts}`);
  }
}

/**
 * @param {string} id of a select @param {string[][]} options value and text
 * @param {(value: string) => void} choose
 */
function fill(id, options, choose) {
  const select = /** @type {HTMLSelectElement} */ (byId(id));
  replace(select, ...options.map(([value, text]) => element('option', { value }, text)));
  select.onchange = () => choose(select.value);
}

const page = new RunPage();
page.applyTheme('');
Reflect.set(window, '__run', page);
void page.poll();
