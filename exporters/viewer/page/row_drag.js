// Moves rows among their siblings with the mouse.

const REACH = 5;

export class RowDrag {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    /** @type {{row: Row, y: number} | null} */
    this.held = null;
    /** The last press of the button has moved a row, so it does not count as a click. */
    this.hasMoved = false;
  }

  /** @param {HTMLElement} list @param {(event: Event) => Row | null} rowOf */
  listen(list, rowOf) {
    list.addEventListener('pointerdown', (event) => {
      this.hasMoved = false;
      const row = event.button === 0 ? rowOf(event) : null;
      this.held = row && { row, y: event.clientY };
    });
    list.addEventListener('pointermove', (event) => {
      if (!this.held || (!this.hasMoved && Math.abs(event.clientY - this.held.y) < REACH)) return;
      if (!this.hasMoved) list.setPointerCapture(event.pointerId);
      this.hasMoved = true;
      this.moveTo(event.clientY);
    });
    for (const end of ['pointerup', 'pointercancel']) list.addEventListener(end, () => { this.held = null; });
  }

  /**
   * Swaps the row with the sibling that the pointer is on.
   * @param {number} y
   */
  moveTo(y) {
    const { tree, timeline } = this.app;
    if (!this.held) return;
    const { row } = this.held;
    const siblings = tree.siblings(row);
    const now = siblings.indexOf(row);
    for (const by of [-1, 1]) {
      const other = siblings[now + by];
      const box = other && timeline.boxOf(other);
      // The rows below the sibling belong to it: the row goes past all of them.
      const last = siblings[now + by + 1];
      const end = by > 0 && last ? timeline.boxOf(last)?.top : undefined;
      if (!box) continue;
      const middle = (box.top + (end ?? box.bottom)) / 2;
      if (by < 0 ? y < middle : y > middle) {
        tree.move(row, by);
        return;
      }
    }
  }
}
