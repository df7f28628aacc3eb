// The names of rows at the left: a tree for keyboard and screen reader. Only rows on the screen have elements.
import { button, byId, element, replace } from './dom.js';
import { Signal } from './signal.js';
import { count, percent, visible } from './text.js';
import { visibleRows } from './timeline.js';

const NAME_LENGTH = 200;
const MARGIN = 300;

export class RowList {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    this.tree = byId('tree');
    this.pins = byId('pins-names');
    /**
     * The row that keys act on.
     * @type {number | null}
     */
    this.active = null;
    /** @type {Signal<Row>} */
    this.menu = new Signal();
    this.signature = '';
    app.tree.changed.on(() => this.resize());
    for (const list of [this.tree, this.pins]) this.listen(list);
  }

  /** @param {HTMLElement} list */
  listen(list) {
    list.addEventListener('click', (event) => {
      const row = this.rowOf(event);
      if (!row) return;
      const isTwist = event.target instanceof Element && event.target.classList.contains('twist');
      if (isTwist) this.app.tree.toggle(row);
      this.activate(row);
    });
    list.addEventListener('dblclick', (event) => {
      const row = this.rowOf(event);
      if (row) this.app.tree.toggle(row);
    });
    list.addEventListener('contextmenu', (event) => {
      const row = this.rowOf(event);
      if (!row) return;
      event.preventDefault();
      this.activate(row);
      this.menu.emit(row);
    });
  }

  /** @param {Event} event */
  rowOf(event) {
    const item = event.target instanceof Element ? event.target.closest('[data-row]') : null;
    return item ? this.app.tree.byId.get(Number(item.getAttribute('data-row'))) ?? null : null;
  }

  get activeRow() {
    return this.active === null ? null : this.app.tree.byId.get(this.active) ?? null;
  }

  /** @param {Row} row */
  activate(row) {
    this.active = row.id;
    this.app.timeline.scrollTo(row);
    this.app.timeline.invalidate();
  }

  /**
   * Moves the active row.
   * @param {number} by
   */
  step(by) {
    const { placed } = this.app.tree;
    if (!placed.length) return;
    const now = placed.findIndex((each) => each.row.id === this.active);
    this.activate(placed[Math.max(0, Math.min(placed.length - 1, now + by))].row);
  }

  /**
   * Opens the active row or goes into it; closes it or goes out of it.
   * @param {boolean} isIn
   */
  stepInto(isIn) {
    const { tree } = this.app;
    const row = this.activeRow;
    if (!row) return;
    const inner = tree.childrenOf(row)[0];
    if (tree.isOpen(row) !== isIn && tree.canClose(row)) tree.toggle(row, isIn);
    else if (isIn && inner) this.activate(inner);
    else if (!isIn && row.parent !== null) this.activate(tree.byId.get(row.parent) ?? row);
  }

  resize() {
    const { tree, timeline } = this.app;
    this.tree.style.height = `${tree.height}px`;
    byId('filler').style.height = `${Math.max(0, tree.height - timeline.scroller.clientHeight)}px`;
    byId('pins').style.height = `${tree.pinHeight}px`;
    byId('pins').hidden = tree.pinHeight === 0;
    this.signature = '';
    timeline.invalidate();
  }

  /** Makes the elements of the rows on the screen, if others are on it than before. */
  draw() {
    const { tree, timeline, selection } = this.app;
    const { scrollTop, clientHeight } = timeline.scroller;
    const shown = visibleRows(tree.placed, scrollTop - MARGIN, scrollTop + clientHeight + MARGIN);
    const active = tree.placed.find((each) => each.row.id === this.active);
    if (active && !shown.includes(active)) shown.push(active);
    const signature = [this.active, selection.rows.size, ...shown.map((each) => `${each.row.id}@${each.top}:${each.row.exact}`)].join();
    if (signature === this.signature) return;
    this.signature = signature;
    replace(this.tree, ...shown.map((each) => this.item(each, 'row')));
    replace(this.pins, ...tree.placedPins.map((each) => this.item(each, 'pin')));
    if (active) this.tree.setAttribute('aria-activedescendant', `row-${active.row.id}`);
    else this.tree.removeAttribute('aria-activedescendant');
  }

  /** @param {Placed} placed @param {string} prefix */
  item({ row, top, height, depth }, prefix) {
    const { tree, selection } = this.app;
    const canOpen = tree.canClose(row);
    const isOpen = tree.isOpen(row);
    const name = visible(row.name, NAME_LENGTH);
    const note = [row.note ? visible(row.note, NAME_LENGTH) : '', row.exact ? '' : '(sketch)'].join(' ').trim();
    const siblings = tree.children.get(row.parent) ?? [];
    const item = element('div', {
      id: `${prefix}-${row.id}`, className: `row-name style-${row.style}`, role: 'treeitem', 'data-row': row.id,
      'aria-level': depth + 1, 'aria-setsize': siblings.length, 'aria-posinset': siblings.indexOf(row) + 1,
      'aria-expanded': canOpen ? isOpen : undefined, 'aria-selected': row.id === this.active,
      title: `${name} ${note}\n${count(row.events)} events`,
    },
    element('span', { className: 'twist', 'aria-hidden': 'true' }, canOpen ? (isOpen ? '▾' : '▸') : ''),
    selection.rows.has(row.id) ? element('span', { className: 'hint', title: 'has linked events' }, '●') : null,
    element('span', { className: 'share' }, row.share === undefined ? '' : percent(row.share)),
    element('bdi', { className: 'name' }, name),
    element('bdi', { className: 'note' }, note),
    button('⋮', () => this.menu.emit(row), { className: 'more', tabIndex: -1, 'aria-label': `Menu of ${name}` }));
    item.style.top = `${top}px`;
    item.style.height = `${height}px`;
    item.style.paddingLeft = `${4 + depth * 12}px`;
    return item;
  }
}
