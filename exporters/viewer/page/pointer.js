// Handles the mouse on the timeline: wheel, drags, clicks, and what is under the pointer.
import { byId, element, replace } from './dom.js';
import { count, cutEnd, duration, moment, percent, quantity, visible } from './text.js';
import { FROM_BEFORE, GOES_ON } from './tile.js';

const CLICK_REACH = 4;
const ZOOM_SPEED = 0.0022;
const NAME_LENGTH = 300;

/** @typedef {{kind: 'area' | 'pan' | 'zoom', x: number, y: number, start: number, time: number, moved: boolean, row: Row | null, before: Area | null}} Drag */

export class Pointer {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    /** @type {Drag | null} */
    this.drag = null;
    /** The last place of the pointer on the timeline. */
    this.x = NaN;
    this.y = NaN;
    this.tooltip = byId('tooltip');
    for (const id of ['ruler', 'pins-canvas', 'body']) this.listen(byId(id));
    // What was under the pointer is elsewhere after a zoom by key or a scroll.
    app.viewport.changed.on(() => { this.tooltip.hidden = true; });
    byId('scroller').addEventListener('scroll', () => { this.tooltip.hidden = true; }, { passive: true });
    // The listener is not passive, because pinching and Ctrl with the wheel would zoom the page.
    byId('timeline').addEventListener('wheel', (event) => this.wheel(event), { passive: false });
  }

  /** @param {HTMLElement} canvas */
  listen(canvas) {
    canvas.addEventListener('pointerdown', (event) => this.down(event, canvas));
    canvas.addEventListener('pointermove', (event) => this.move(event));
    canvas.addEventListener('pointerup', (event) => this.up(event));
    canvas.addEventListener('pointercancel', () => { this.drag = null; });
    canvas.addEventListener('pointerleave', () => { this.tooltip.hidden = true; });
    canvas.addEventListener('dblclick', (event) => this.doubleClick(event));
    canvas.addEventListener('contextmenu', (event) => {
      const at = this.app.timeline.rowAt(event.clientX, event.clientY);
      if (!at) return;
      event.preventDefault();
      this.app.rowList.active = at.placed.row.id;
      this.app.rowList.menu.emit(at.placed.row);
      this.app.timeline.invalidate();
    });
  }

  /** Where zooming has its centre: the pointer, or the middle of the screen. In pixels of the viewport. */
  get zoomPixel() {
    const { timeline, viewport } = this.app;
    const box = timeline.body.canvas.getBoundingClientRect();
    const x = (this.x - box.left) / box.width;
    return (x >= 0 && x <= 1 ? x : 0.5) * viewport.width;
  }

  /** The row under the pointer, or the active one. */
  get row() {
    return this.app.timeline.rowAt(this.x, this.y)?.placed.row ?? this.app.rowList.activeRow;
  }

  /** @param {WheelEvent} event */
  wheel(event) {
    const { viewport } = this.app;
    if (event.target instanceof Element && event.target.closest('#drawer')) return;
    this.x = event.clientX;
    this.y = event.clientY;
    const lines = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 33 : 1;
    if (event.ctrlKey || event.metaKey) {
      event.preventDefault();
      viewport.zoom(Math.exp(Math.max(-300, Math.min(300, event.deltaY * lines)) * ZOOM_SPEED), this.zoomPixel);
    } else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
      event.preventDefault();
      viewport.pan(((event.deltaX || event.deltaY) * lines) / this.app.timeline.body.canvas.clientWidth);
    }
  }

  /** @param {PointerEvent} event @param {HTMLElement} canvas */
  down(event, canvas) {
    if (event.button > 1) return;
    const { app } = this;
    canvas.setPointerCapture(event.pointerId);
    byId('tree').focus({ preventScroll: true });
    const kind = event.button === 1 || event.shiftKey ? 'pan' : event.altKey ? 'zoom' : 'area';
    if (event.button === 1) event.preventDefault();
    this.drag = {
      kind, x: event.clientX, y: event.clientY, start: app.viewport.target.start, moved: false,
      time: app.timeline.timeAt(event.clientX), row: app.timeline.rowAt(event.clientX, event.clientY)?.placed.row ?? null,
      before: app.selection.area,
    };
    this.tooltip.hidden = true;
  }

  /** @param {PointerEvent} event */
  move(event) {
    this.x = event.clientX;
    this.y = event.clientY;
    const { drag, app } = this;
    if (!drag) {
      this.showTooltip(event);
      return;
    }
    if (Math.hypot(event.clientX - drag.x, event.clientY - drag.y) > CLICK_REACH) drag.moved = true;
    if (!drag.moved) return;
    if (drag.kind === 'pan') {
      const length = app.viewport.end - app.viewport.start;
      const start = drag.start - ((event.clientX - drag.x) / app.timeline.body.canvas.clientWidth) * length;
      app.viewport.set({ start, end: start + length });
    } else {
      app.selection.area = this.draggedArea(event, drag);
      app.timeline.invalidate();
    }
  }

  /** @param {PointerEvent} event @param {Drag} drag @returns {Area} */
  draggedArea(event, drag) {
    const { app } = this;
    const now = app.timeline.timeAt(event.clientX);
    const there = app.timeline.rowAt(event.clientX, event.clientY)?.placed.row ?? drag.row;
    return { start: Math.min(now, drag.time), end: Math.max(now, drag.time), row: this.rowAbove(drag.row, there) };
  }

  /**
   * The lowest row that has both rows below it.
   * @param {Row | null} a @param {Row | null} b @returns {number | null}
   */
  rowAbove(a, b) {
    const { tree } = this.app;
    const above = new Set();
    for (let each = a; each;) {
      above.add(each.id);
      each = each.parent === null ? null : tree.byId.get(each.parent) ?? null;
    }
    for (let each = b; each;) {
      if (above.has(each.id)) return each.id;
      each = each.parent === null ? null : tree.byId.get(each.parent) ?? null;
    }
    return null;
  }

  /** @param {PointerEvent} event */
  up(event) {
    const { drag, app } = this;
    this.drag = null;
    if (!drag) return;
    if (!drag.moved) {
      if (event.button === 0) this.click(event);
      return;
    }
    if (drag.kind === 'pan') {
      app.url.save(true);
    } else if (drag.kind === 'zoom') {
      const area = this.draggedArea(event, drag);
      app.selection.setArea(drag.before);
      app.viewport.jump(area);
    } else {
      app.selection.setArea(this.draggedArea(event, drag));
      app.drawer.showArea();
    }
  }

  /** @param {MouseEvent} event */
  click(event) {
    const { app } = this;
    const at = app.timeline.rowAt(event.clientX, event.clientY);
    if (at) {
      app.rowList.active = at.placed.row.id;
      app.timeline.invalidate();
    }
    const hit = app.timeline.hitAt(event.clientX, event.clientY);
    if (hit) {
      void (at?.placed.row.kind === 'path' ? app.selection.selectOwner(hit.ref) : app.selection.select(hit.ref));
      app.drawer.show('event');
    } else {
      app.selection.setArea(null);
      app.selection.clear();
    }
  }

  /** @param {MouseEvent} event */
  doubleClick(event) {
    const hit = this.app.timeline.hitAt(event.clientX, event.clientY);
    if (hit) this.app.viewport.fit(hit.start, hit.end);
  }

  /** @param {PointerEvent} event */
  showTooltip(event) {
    const { app, tooltip } = this;
    const at = app.timeline.rowAt(event.clientX, event.clientY);
    const lines = at ? this.linesAt(event, at.placed.row) : [];
    tooltip.hidden = !lines.length;
    if (!lines.length) return;
    replace(tooltip, ...lines.map((line) => element('div', {}, element('bdi', {}, line))));
    const { width, height } = tooltip.getBoundingClientRect();
    tooltip.style.left = `${Math.max(0, Math.min(event.clientX + 14, innerWidth - width - 4))}px`;
    tooltip.style.top = `${event.clientY + 18 + height > innerHeight ? event.clientY - height - 8 : event.clientY + 18}px`;
  }

  /** @param {PointerEvent} event @param {Row} row */
  linesAt(event, row) {
    const { app } = this;
    const time = app.timeline.timeAt(event.clientX);
    if (row.style === 'density') {
      const busy = app.timeline.busyAt(row, time);
      return busy ? [`${percent(busy.busy)} busy`, `Longest: ${cutEnd(app.names.get(busy.name).text, NAME_LENGTH)}`] : [];
    }
    if (row.style === 'counter') {
      const values = app.timeline.valuesAt(row, time);
      return values.flatMap((value, i) => (Number.isNaN(value) ? [] :
        [`${visible(values.length > 1 ? row.series?.[i] ?? '' : row.name, NAME_LENGTH)}: ${quantity(value, row.unit)}`]));
    }
    const hit = app.timeline.hitAt(event.clientX, event.clientY);
    if (!hit) return [];
    const name = cutEnd(app.names.get(hit.name).text, NAME_LENGTH);
    if (hit.events > 1) return [`${count(hit.events)} events, the longest is ${name}`, 'Zoom in to see each of them.'];
    const [isLonger, isEarlier] = [hit.flags & (FROM_BEFORE | GOES_ON), hit.flags & FROM_BEFORE];
    return [name, `${isLonger ? 'more than ' : ''}${duration(hit.end - hit.start)} ${isEarlier ? 'from before' : 'at'} ${moment(hit.start)}`];
  }
}
