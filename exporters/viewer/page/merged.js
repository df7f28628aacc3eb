// Where narrow events stand close to each other, their pixels would be noise. There the lane is cut into cells. Each has
// the color of the name that has most of its time, and neighbours of one name are one slice with a label.

const CELL = 8;
/** Events with a larger gap are not close to each other. In pixels. */
const GAP = 2;
const LEAST_CELLS = 3;
const LABEL_ROOM = 40;

/** @typedef {import('./paint_events.js').Picture} Picture */

export class Merger {
  /** @param {Picture} picture */
  constructor(picture) {
    this.picture = picture;
    this.size = Math.round(CELL * picture.pen.ratio);
    const cells = Math.ceil(picture.pen.width / this.size) + 1;
    this.names = new Uint32Array(cells);
    this.weights = new Float32Array(cells);
    this.left = 0;
    this.right = -1;
  }

  /**
   * Adds a narrow event that is already in the lane's pixels. Events come in the order of time.
   * @param {number} left @param {number} right @param {number} name
   */
  add(left, right, name) {
    if (left > this.right + GAP * this.picture.pen.ratio) this.left = left;
    this.right = Math.max(right, left + 1);
    const cell = Math.max(0, Math.floor(left / this.size));
    const size = right - left + 1e-3;
    // The name with the majority wins. Others take its weight away.
    if (this.names[cell] === name) this.weights[cell] += size;
    else if (this.weights[cell] >= size) this.weights[cell] -= size;
    else {
      this.names[cell] = name;
      this.weights[cell] = size - this.weights[cell];
    }
  }

  /** Whether an event that begins there is not close to those before it. */
  isEndedBy(/** @type {number} */ left) {
    return this.right >= 0 && left > this.right + GAP * this.picture.pen.ratio;
  }

  /**
   * Draws the slices of the events that were added since the last time.
   * @param {number} strip where the lane's pixels are @param {number} baseline of labels; 0: none
   */
  finish(strip, baseline) {
    const { pen } = this.picture;
    const { size } = this;
    const from = Math.max(0, Math.floor(this.left));
    const to = Math.min(pen.width, Math.ceil(this.right));
    const first = Math.floor(from / size);
    const end = Math.min(this.names.length, Math.floor((to - 1) / size) + 1);
    if (strip >= 0 && to - from >= LEAST_CELLS * size) {
      for (let cell = first; cell < end;) {
        let next = cell + 1;
        while (next < end && (this.weights[next] === 0 || this.names[next] === this.names[cell])) next += 1;
        this.slice(strip, Math.max(from, cell * size), Math.min(to, next * size), this.names[cell], baseline);
        cell = next;
      }
    }
    this.names.fill(0, first, end);
    this.weights.fill(0, first, end);
    this.right = -1;
  }

  /** @param {number} strip @param {number} from @param {number} to @param {number} number @param {number} baseline */
  slice(strip, from, to, number, baseline) {
    const { pen, names, theme } = this.picture;
    const name = names.get(number);
    pen.pixels.fill(name.faint, strip + from, strip + to);
    const room = to - from - 6 * pen.ratio;
    const text = baseline && room >= LABEL_ROOM * pen.ratio ? names.fit(name, room, pen) : '';
    if (text) pen.text(from + Math.round(3 * pen.ratio), baseline, text, theme.text);
  }
}
