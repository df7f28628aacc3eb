// Marks on the time axis, with notes.
import { Signal } from './signal.js';
import { moment } from './text.js';

export class Marks {
  constructor() {
    /** @type {Mark[]} */
    this.list = [];
    /** @type {Signal<void>} */
    this.changed = new Signal();
  }

  /** @param {number} time @param {string} note */
  set(time, note) {
    this.list = this.list.filter((mark) => mark.time !== time);
    this.list.push({ time, note });
    this.list.sort((a, b) => a.time - b.time);
    this.changed.emit();
  }

  /** @param {Mark} mark */
  remove(mark) {
    this.list = this.list.filter((each) => each !== mark);
    this.changed.emit();
  }

  /**
   * The mark nearest to a time, if it is near enough.
   * @param {number} time @param {number} reach
   */
  near(time, reach) {
    return this.list.find((mark) => Math.abs(mark.time - time) <= reach) ?? null;
  }

  /** @param {Mark} mark */
  static titleOf(mark) {
    return mark.note || `Mark at ${moment(mark.time)}`;
  }
}
