// Listeners of a change.

/** @template T */
export class Signal {
  constructor() {
    /** @type {((value: T) => void)[]} */
    this.listeners = [];
  }

  /** @param {(value: T) => void} listener */
  on(listener) {
    this.listeners.push(listener);
  }

  /** @param {T} value */
  emit(value) {
    for (const listener of this.listeners) listener(value);
  }
}
