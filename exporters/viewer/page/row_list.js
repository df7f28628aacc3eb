// The names of rows at the left: a tree for keyboard and screen reader. Only rows on the screen have elements.
import { button, byId, element, replace } from './dom.js';
import { RowDrag } from './row_drag.js';
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
    /**
     * Rows with the same parent, while elements are made.
     * @type {Map<number | null, Row[]>}
     */
    this.beside = new Map();
    app.tree.changed.on(() => this.resize());
    this.drag = new RowDrag(app);
    for (const list of [this.tree, this.pins]) this.listen(list);
  }

  /** @param {HTMLElement} list */
  listen(list) {
    this.drag.listen(list, (event) => this.rowOf(event));
    list.addEventListener('click', (event) => {
      const row = this.rowOf(event);
      if (!row || this.drag.hasMoved) return;
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
    const row = this.active === null ? undefined : this.app.tree.byId.get(this.active);
    return row ? this.app.tree.shownFor(row) : null;
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
    const now = placed.findIndex((each) => each.row === this.activeRow);
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
    else if (!isIn && row.parent !== null) this.activate(tree.shownFor(tree.byId.get(row.parent) ?? row));
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
    const activeRow = this.activeRow;
    const active = tree.placed.find((each) => each.row === activeRow);
    if (active && !shown.includes(active)) shown.push(active);
    const signature = [activeRow?.id, selection.rows.size, ...shown.map((each) => `${each.row.id}@${each.top}:${each.row.exact}`)].join();
    if (signature === this.signature) return;
    this.signature = signature;
    this.beside.clear();
    replace(this.tree, ...shown.map((each) => this.item(each, 'row')));
    replace(this.pins, ...tree.placedPins.map((each) => this.item(each, 'pin')));
    if (active) this.tree.setAttribute('aria-activedescendant', `row-${active.row.id}`);
    else this.tree.removeAttribute('aria-activedescendant');
  }

  /**
   * The rows beside a row, counted once for all rows of a parent.
   * @param {Row} row
   */
  siblings(row) {
    const known = this.beside.get(row.parent);
    if (known?.includes(row)) return known;
    const rows = this.app.tree.siblings(row);
    this.beside.set(row.parent, rows);
    return rows;
  }

  /** @param {Placed} placed @param {string} prefix */
  item({ row, top, height, depth }, prefix) {
    const { tree, selection } = this.app;
    const canOpen = tree.canClose(row);
    const isOpen = tree.isOpen(row);
    const title = tree.title(row);
    const name = visible(title.name, NAME_LENGTH);
    const note = [visible(title.note, NAME_LENGTH), row.exact ? '' : '(sketch)'].join(' ').trim();
    const siblings = this.siblings(row);
    const item = element('div', {
      id: `${prefix}-${row.id}`, className: `row-name style-${row.style}`, role: 'treeitem', 'data-row': row.id,
      'aria-level': depth + 1, 'aria-setsize': siblings.length, 'aria-posinset': siblings.indexOf(row) + 1,
      'aria-expanded': canOpen ? isOpen : undefined, 'aria-selected': row === this.activeRow,
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
