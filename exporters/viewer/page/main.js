// Puts the parts of the page together.
import { Theme } from './colors.js';
import { makeCommands, openRowMenu } from './commands.js';
import { detailsView } from './details.js';
import { button, byId, element, replace } from './dom.js';
import { Drawer } from './drawer.js';
import { EmptyRows } from './empty_rows.js';
import { EventsView } from './events_table.js';
import { FlameView } from './flame.js';
import { KernelPage } from './kernel_page.js';
import { listenToKeys } from './keys.js';
import { Marks } from './marks.js';
import { Minimap } from './minimap.js';
import { Names } from './names.js';
import { Notebook } from './notebook.js';
import { OperatorPage } from './operator_page.js';
import { Overlay } from './overlay.js';
import { Pointer } from './pointer.js';
import { QueryView } from './query_view.js';
import { RowList } from './row_list.js';
import { RowTree } from './rows.js';
import { Search } from './search.js';
import { Selection } from './selection.js';
import { openSource } from './source.js';
import { StartPage } from './start_page.js';
import { StatisticsView } from './statistics.js';
import { stateForTests } from './test_state.js';
import { duration, moment, visible } from './text.js';
import { TileCache } from './tile_cache.js';
import { Timeline } from './timeline.js';
import { UrlState } from './url_state.js';
import { Viewport } from './viewport.js';

const POLL_MS = 200;
const LONGEST_PAUSE_MS = 5000;

/** @implements {App} */
class Page {
  constructor() {
    this.page = 'start';
    /** @type {RowsAnswer['reports']} */
    this.reports = [];
    /** ms between two questions for the rows, while these are not exact. */
    this.pause = POLL_MS;
    /** @type {number | null} */
    this.utcStart = null;
    this.isReady = false;
    this.isExact = false;
    this.source = openSource();
    this.theme = new Theme();
    this.viewport = new Viewport();
    this.tree = new RowTree();
    this.names = new Names(this.source);
    this.cache = new TileCache(this.source);
    this.marks = new Marks();
    /** @type {App['timeline']} */
    this.timeline = new Timeline(this);
    /** @type {App['selection']} */
    this.selection = new Selection(this);
    /** @type {App['search']} */
    this.search = new Search(this);
    /** @type {App['rowList']} */
    this.rowList = new RowList(this);
    /** @type {App['pointer']} */
    this.pointer = new Pointer(this);
    /** @type {App['drawer']} */
    this.drawer = new Drawer(this);
    /** @type {App['emptyRows']} */
    this.emptyRows = new EmptyRows(this);
    this.overlay = new Overlay(this);
    this.minimap = new Minimap(this);
    this.startPage = new StartPage(this);
    /** @type {App['kernels']} */
    this.kernels = new KernelPage(this);
    /** @type {App['operators']} */
    this.operators = new OperatorPage(this);
    /** @type {App['url']} */
    this.url = new UrlState(this);
    this.drawer.views = { event: detailsView(this), statistics: new StatisticsView(this), flame: new FlameView(this), events: new EventsView(this),
      query: new QueryView(this) };
    /** @type {App['notebook']} */
    this.notebook = new Notebook(this);
    this.commands = makeCommands(this);
    this.connect();
  }

  connect() {
    this.timeline.drawn.on(() => this.rowList.draw());
    this.timeline.drawing.on(() => this.minimap.draw());
    this.viewport.changed.on(() => {
      const { start, end } = this.viewport;
      byId('span').textContent = duration(end - start);
      this.timeline.invalidate();
    });
    this.cache.arrived.on((tiles) => {
      this.names.need(tiles);
      this.timeline.invalidate();
    });
    this.names.arrived.on(() => this.timeline.invalidate());
    for (const signal of [this.cache.refused, this.names.refused]) signal.on((error) => this.report(error));
    this.rowList.menu.on((row) => openRowMenu(this, row));
    this.marks.changed.on(() => this.timeline.invalidate());
    this.selection.changed.on(() => this.announceSelection());
    this.listenToPage();
    listenToKeys(this);
  }

  listenToPage() {
    byId('tab-start').addEventListener('click', () => this.showStart());
    byId('tab-timeline').addEventListener('click', () => this.showTimeline());
    byId('tab-kernels').addEventListener('click', () => this.showKernel(this.kernels.report, this.kernels.name));
    byId('tab-operators').addEventListener('click', () => this.showOperators(this.operators.report, this.operators.module, this.operators.isPart));
    byId('tabs').addEventListener('keydown', (event) => {
      if (event.key !== 'ArrowRight' && event.key !== 'ArrowLeft') return;
      const tabs = [...byId('tabs').querySelectorAll('button')].filter((each) => !each.hidden);
      const now = tabs.findIndex((each) => each.id === `tab-${this.page}`);
      const next = tabs[(now + (event.key === 'ArrowRight' ? 1 : tabs.length - 1)) % tabs.length];
      next.click();
      next.focus();
      event.stopPropagation();
    });
    const run = (/** @type {string} */ id) => () => this.commands.find((command) => command.id === id)?.run();
    byId('share').addEventListener('click', run('share'));
    byId('commands-button').addEventListener('click', run('help'));
    const filter = /** @type {HTMLInputElement} */ (byId('filter'));
    filter.addEventListener('input', () => this.tree.setFilter(filter.value));
    filter.addEventListener('keydown', (event) => {
      if (event.key !== 'Escape' && event.key !== 'Enter') return;
      if (event.key === 'Escape') this.tree.setFilter('');
      byId('tree').focus();
    });
    this.tree.changed.on(() => { filter.value = this.tree.filter; });
    this.listenToEdge();
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.applyTheme(''));
  }

  /** The edge between names and canvas is dragged. */
  listenToEdge() {
    const edge = byId('names-edge');
    edge.addEventListener('pointerdown', (event) => edge.setPointerCapture(event.pointerId));
    edge.addEventListener('pointermove', (event) => {
      if (!edge.hasPointerCapture(event.pointerId)) return;
      const width = Math.max(120, Math.min(innerWidth * 0.6, event.clientX));
      document.documentElement.style.setProperty('--names', `${width}px`);
    });
  }

  /** @param {string} choice 'light', 'dark', or '' for that of the system */
  applyTheme(choice) {
    const isDark = choice ? choice === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
    document.documentElement.dataset.theme = isDark ? 'dark' : 'light';
    this.theme.refresh();
    this.minimap.isStale = true;
    this.timeline.invalidate();
  }

  switchTheme() {
    this.applyTheme(document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark');
  }

  /**
   * Shows a message until it is closed.
   * @param {string} text
   */
  say(text) {
    const box = byId('notices');
    if ([...box.querySelectorAll('bdi')].some((each) => each.textContent === text)) return;
    const notice = element('div', {}, element('bdi', {}, text));
    notice.append(button('Close', () => notice.remove()));
    box.append(notice);
  }

  /**
   * Shows what went wrong.
   * @param {unknown} error
   */
  report(error) {
    if (error instanceof DOMException && error.name === 'AbortError') return;
    this.say(visible(error instanceof Error ? error.message : error, 500));
  }

  /**
   * Has a text read by screen readers.
   * @param {string} text
   */
  announce(text) {
    byId('announcements').textContent = text;
  }

  announceSelection() {
    const { details } = this.selection;
    if (!details) return;
    const row = this.tree.byId.get(details.row);
    const length = details.end === null ? 'without an end' : duration(details.end - details.start);
    this.announce(`${visible(details.name, 200)}, ${length}, at ${moment(details.start)}, in ${row ? visible(this.tree.path(row).slice(-2).join(', '), 200) : ''}, ` +
      `${this.selection.links.length} links`);
  }

  showTimeline() {
    this.showPage('timeline');
  }

  showStart() {
    this.showPage('start');
    void this.startPage.load();
  }

  /**
   * Shows why a kernel is slow. An empty name: the kernel with the most time.
   * @param {number} report @param {string} name
   */
  showKernel(report, name) {
    this.showPage('kernels');
    return this.kernels.show(report, name);
  }

  /**
   * Shows the operators of a module. An empty path: of all modules.
   * @param {number} report @param {string} module @param {boolean} isPart whether only the selected time counts
   */
  showOperators(report, module, isPart) {
    this.showPage('operators');
    return this.operators.show(report, module, isPart);
  }

  /** @param {'start' | 'timeline' | 'kernels' | 'operators'} page */
  showPage(page) {
    const isOther = this.page !== page;
    if (isOther) this.url.flush();
    this.page = page;
    for (const each of ['start', 'timeline', 'kernels', 'operators']) {
      byId(each).hidden = each !== page;
      byId(`tab-${each}`).setAttribute('aria-selected', String(each === page));
      byId(`tab-${each}`).tabIndex = each === page ? 0 : -1;
    }
    if (!isOther) return;
    if (page === 'timeline') {
      this.tree.layout();
      byId('tree').focus();
    }
    this.url.save(true);
  }

  /** Asks for the rows until they are exact. */
  async poll() {
    try {
      const answer = await this.source.rows();
      const isSame = this.isReady && answer.version === this.cache.version;
      this.pause = isSame ? Math.min(this.pause * 1.5, LONGEST_PAUSE_MS) : POLL_MS;
      this.take(answer);
      if (!answer.exact || answer.awaits_path) setTimeout(() => void this.poll(), this.pause);
    } catch (error) {
      this.report(error);
    }
  }

  /** Asks for the rows once more. */
  async refresh() {
    this.take(await this.source.rows());
  }

  /** @param {RowsAnswer} answer */
  take(answer) {
    this.reports = answer.reports;
    this.utcStart = answer.utcStart;
    this.url.report = answer.reports.map(({ id }) => id).join('+');
    const title = answer.reports.map(({ name }) => visible(name, 100)).join(', ');
    document.title = `${title} – prof view`;
    replace(byId('report-name'), title);
    byId('to-job').hidden = answer.opening === undefined;
    this.isExact = answer.exact;
    const progress = /** @type {HTMLProgressElement} */ (byId('progress'));
    progress.hidden = answer.exact;
    progress.value = answer.progress;
    if (this.isReady && answer.version === this.cache.version) return;
    this.viewport.setWhole(answer.span);
    this.cache.renew(answer.version);
    this.tree.update(answer.rows);
    const has = (/** @type {string} */ wanted) => answer.rows.some(({ kind }) => kind === wanted);
    byId('tab-kernels').hidden = !has('kernels');
    byId('tab-operators').hidden = !has('kernels') || !has('nvtx');
    this.emptyRows.later();
    for (const text of answer.messages) this.say(visible(text, 1000));
    if (!this.isReady) {
      this.isReady = true;
      void this.url.restore();
    }
    this.timeline.invalidate();
  }
}

const page = new Page();
page.applyTheme('');
stateForTests(page);
void page.poll();
