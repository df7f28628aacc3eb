// The drawer at the bottom: its tabs, its height, and the span that its contents are about.
import { button, byId, element, replace } from './dom.js';
import { duration, moment } from './text.js';

const TABS = [['event', 'Event'], ['statistics', 'Statistics'], ['flame', 'Flame graph'], ['events', 'Events']];
const LOWEST = 80;

/** @typedef {{show(box: HTMLElement): void}} View */

export class Drawer {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    this.box = byId('drawer');
    this.body = byId('drawer-body');
    this.tab = 'event';
    /** The last tab about a span. */
    this.spanTab = 'statistics';
    /** @type {Record<string, View>} */
    this.views = {};
    this.makeTabs();
    byId('drawer-close').addEventListener('click', () => this.toggle(false));
    this.listenToEdge();
    app.selection.changed.on(() => { if (this.tab === 'event') this.refresh(); });
    app.selection.areaChanged.on(() => { if (this.tab !== 'event') this.refresh(); });
  }

  makeTabs() {
    const list = byId('drawer-tabs');
    for (const [id, title] of TABS) {
      list.append(button(title, () => this.show(id), { id: `drawer-tab-${id}`, role: 'tab', 'aria-controls': 'drawer-body' }));
    }
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
      this.box.style.height = `${Math.max(LOWEST, Math.min(innerHeight * 0.8, bottom - event.clientY))}px`;
    });
  }

  get isOpen() {
    return !this.box.hidden;
  }

  /** @param {boolean} [open] */
  toggle(open = !this.isOpen) {
    if (this.isOpen && !open && this.box.contains(document.activeElement)) byId('tree').focus();
    this.box.hidden = !open;
    if (open) this.refresh();
    this.app.timeline.invalidate();
  }

  /** @param {string} tab */
  show(tab) {
    this.tab = tab;
    if (tab !== 'event') this.spanTab = tab;
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
    if (!this.isOpen) return;
    for (const [id] of TABS) {
      const isOn = id === this.tab;
      const tab = byId(`drawer-tab-${id}`);
      tab.setAttribute('aria-selected', String(isOn));
      tab.tabIndex = isOn ? 0 : -1;
    }
    this.body.setAttribute('aria-labelledby', `drawer-tab-${this.tab}`);
    const { area } = this.app.selection;
    const about = area ? `${moment(area.start)} to ${moment(area.end)} (${duration(area.end - area.start)})` : 'whole report';
    replace(byId('drawer-span'), this.tab === 'event' ? '' : about);
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
