// The drawer at the bottom: its tabs, its height, and the span that its contents are about.
import { byId, element, replace } from './dom.js';
import { duration, moment } from './text.js';

/** The tabs in the order of their keys: 1, 2, … */
const TABS = [['statistics', 'Statistics'], ['flame', 'Flame graph'], ['events', 'Event list'], ['event', 'Selected event'], ['query', 'SQL']];
const LOWEST = 80;
/** Shares of the window: the height of the drawer, and how high it grows by itself. */
const USUAL = 0.4;
const MOST = 0.65;

/** @typedef {{show(box: HTMLElement): void}} View */

export class Drawer {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    this.box = byId('drawer');
    this.body = byId('drawer-body');
    this.tab = 'statistics';
    this.isHeightChosen = false;
    /** The last tab about a span. */
    this.spanTab = 'statistics';
    /** @type {Record<string, View>} */
    this.views = {};
    this.makeTabs();
    byId('drawer-close').addEventListener('click', () => this.toggle(false));
    this.listenToEdge();
    app.selection.changed.on(() => {
      if (this.tab === 'event') this.refresh();
      if (this.isOpen) this.keepEventInView();
    });
    app.selection.areaChanged.on(() => { if (this.tab !== 'event' && this.tab !== 'query') this.refresh(); });
  }

  makeTabs() {
    const list = byId('drawer-tabs');
    TABS.forEach(([id, title], i) => {
      list.append(element('button', { type: 'button', id: `drawer-tab-${id}`, role: 'tab', 'aria-selected': 'false', 'aria-controls': 'drawer-body',
        title: `${title} (key ${i + 1})`, onclick: () => this.choose(id) }, `${title} `, element('kbd', { 'aria-hidden': 'true' }, String(i + 1))));
    });
    list.addEventListener('keydown', (event) => {
      const by = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
      if (!by) return;
      const now = TABS.findIndex(([id]) => id === this.tab);
      const [next] = TABS[(now + by + TABS.length) % TABS.length];
      this.show(next);
      byId(`drawer-tab-${next}`).focus();
      event.stopPropagation();
    });
  }

  listenToEdge() {
    const edge = byId('drawer-edge');
    edge.addEventListener('pointerdown', (event) => edge.setPointerCapture(event.pointerId));
    edge.addEventListener('pointermove', (event) => {
      if (!edge.hasPointerCapture(event.pointerId)) return;
      const bottom = this.box.getBoundingClientRect().bottom;
      this.isHeightChosen = true;
      this.box.style.height = `${Math.max(LOWEST, Math.min(innerHeight * 0.8, bottom - event.clientY))}px`;
    });
  }

  get isOpen() {
    return !this.box.classList.contains('closed');
  }

  /** @param {boolean} [open] */
  toggle(open = !this.isOpen) {
    if (this.isOpen && !open && this.box.contains(document.activeElement)) byId('tree').focus();
    this.box.classList.toggle('closed', !open);
    this.refresh();
    this.app.timeline.invalidate();
    if (open) this.keepEventInView();
  }

  /**
   * A click on the button of the tab that is shown closes the drawer.
   * @param {string} tab
   */
  choose(tab) {
    if (this.isOpen && this.tab === tab) this.toggle(false);
    else this.show(tab);
  }

  /** Scrolls the selected event back to the screen, if the drawer has covered it. */
  keepEventInView() {
    requestAnimationFrame(() => this.app.selection.keepInView());
  }

  /**
   * Makes the drawer as high as its contents need, within limits, unless the user chose a height.
   * @param {number} contents their height in pixels
   */
  growTo(contents) {
    if (this.isHeightChosen) return;
    const rest = this.box.getBoundingClientRect().height - this.body.clientHeight;
    this.box.style.height = `${Math.max(innerHeight * USUAL, Math.min(innerHeight * MOST, contents + rest))}px`;
    this.keepEventInView();
  }

  /** @param {string} tab */
  show(tab) {
    this.tab = tab;
    if (tab !== 'event' && tab !== 'query') this.spanTab = tab;
    if (!this.isHeightChosen) this.box.style.height = `${innerHeight * USUAL}px`;
    this.toggle(true);
  }

  /** Shows what is in the selected span. */
  showArea() {
    this.show(this.spanTab);
  }

  /** The span that statistics, flame graph and table are about: the selected one, or the whole report. */
  get span() {
    const { selection, tree, rowList } = this.app;
    const { area } = selection;
    const row = area && area.row !== null ? tree.byId.get(area.row) : rowList.activeRow;
    const report = row?.report ?? 0;
    if (!area) return { from: null, to: null, row: null, report };
    return { from: Math.round(area.start), to: Math.round(area.end), row: area.row, report };
  }

  refresh() {
    for (const [id] of TABS) {
      const isOn = id === this.tab && this.isOpen;
      const tab = byId(`drawer-tab-${id}`);
      tab.setAttribute('aria-selected', String(isOn));
      tab.tabIndex = id === this.tab ? 0 : -1;
    }
    const { area } = this.app.selection;
    const about = area ? `${moment(area.start)} to ${moment(area.end)} (${duration(area.end - area.start)})` : 'whole report';
    const isAboutSpan = this.isOpen && this.tab !== 'event' && this.tab !== 'query';
    replace(byId('drawer-span'), isAboutSpan ? about : '');
    if (!this.isOpen) return;
    this.body.setAttribute('aria-labelledby', `drawer-tab-${this.tab}`);
    this.views[this.tab]?.show(this.body);
  }

  /**
   * Shows a text in the place of the contents.
   * @param {HTMLElement} box @param {string} text
   */
  static say(box, text) {
    replace(box, element('p', { className: 'muted' }, text));
  }
}
