// The span of time on the screen: zoom, pan, and the way back.
import { Signal } from './signal.js';

const ANIMATION_MS = 130;
const SHORTEST = 20;
const STEPS_BACK = 100;

export class Viewport {
  constructor() {
    this.start = 0;
    this.end = 1e9;
    /**
     * The whole report.
     * @type {Span}
     */
    this.whole = { start: 0, end: 1e9 };
    /** Pixels of the screen. */
    this.width = 1000;
    /** @type {Span[]} */
    this.before = [];
    /** @type {{from: Span, to: Span, begin: number} | null} */
    this.animation = null;
    this.hasFewMotions = matchMedia('(prefers-reduced-motion: reduce)');
    /**
     * Emits before a jump.
     * @type {Signal<void>}
     */
    this.leaving = new Signal();
    /**
     * Emits true for a jump, false for a step of zooming or panning.
     * @type {Signal<boolean>}
     */
    this.changed = new Signal();
  }

  get nsPerPixel() {
    return (this.end - this.start) / this.width;
  }

  /**
   * Where the view is going to be after its animation.
   * @returns {Span}
   */
  get target() {
    return this.animation ? this.animation.to : { start: this.start, end: this.end };
  }

  /** @param {number} time */
  toPixel(time) {
    return (time - this.start) / this.nsPerPixel;
  }

  /** @param {number} x */
  toTime(x) {
    return this.start + x * this.nsPerPixel;
  }

  /** @param {Span} span */
  setWhole(span) {
    const showedAll = this.target.start <= this.whole.start && this.target.end >= this.whole.end;
    this.whole = { start: span.start, end: Math.max(span.end, span.start + SHORTEST) };
    if (showedAll) this.set(this.whole);
  }

  /**
   * @param {Span} span
   * @returns {Span} the span within what can be shown
   */
  limit({ start, end }) {
    const most = (this.whole.end - this.whole.start) * 1.1;
    const length = Math.min(most, Math.max(SHORTEST, end - start));
    const middle = (start + end) / 2;
    const slack = Math.min(length / 2, most);
    const from = Math.min(Math.max(middle - length / 2, this.whole.start - slack), this.whole.end + slack - length);
    return { start: from, end: from + length };
  }

  /** @param {Span} span */
  set(span) {
    const limited = this.limit(span);
    this.animation = null;
    this.start = limited.start;
    this.end = limited.end;
    this.changed.emit(false);
  }

  /**
   * Zooms by a factor; the time at x stays where it is.
   * @param {number} factor @param {number} x
   */
  zoom(factor, x) {
    const { start, end } = this.target;
    const time = start + (x / this.width) * (end - start);
    this.glide({ start: time - (time - start) * factor, end: time + (end - time) * factor });
  }

  /** @param {number} share of the screen's width */
  pan(share) {
    const { start, end } = this.target;
    const by = (end - start) * share;
    this.glide({ start: start + by, end: end + by });
  }

  /**
   * A jump: the way back leads to what is shown now.
   * @param {Span} span
   */
  jump(span) {
    this.leaving.emit();
    this.before.push({ ...this.target });
    if (this.before.length > STEPS_BACK) this.before.shift();
    this.glide(span);
    this.changed.emit(true);
  }

  back() {
    const span = this.before.pop();
    if (span) this.glide(span);
  }

  /**
   * Shows an event with room at both sides.
   * @param {number} start @param {number} end
   */
  fit(start, end) {
    this.jump(withRoom(start, end));
  }

  /**
   * The same as a step that needs no way back, such as the first one on this page.
   * @param {number} start
   * @param {number} end
   */
  begin(start, end) {
    this.glide(withRoom(start, end));
  }

  /**
   * Moves so that a time is in the middle, without a zoom.
   * @param {number} time
   */
  centre(time) {
    const half = (this.target.end - this.target.start) / 2;
    this.jump({ start: time - half, end: time + half });
  }

  /** @param {Span} span */
  glide(span) {
    const to = this.limit(span);
    if (this.hasFewMotions.matches) {
      this.set(to);
      return;
    }
    this.animation = { from: { start: this.start, end: this.end }, to, begin: performance.now() };
    this.changed.emit(false);
  }

  /**
   * The next step of an animation.
   * @param {number} now
   */
  step(now) {
    if (!this.animation) return;
    const { from, to, begin } = this.animation;
    const passed = Math.min(1, Math.max(0, (now - begin) / ANIMATION_MS));
    if (passed === 1) {
      this.set(to);
      return;
    }
    const share = 1 - (1 - passed) ** 3;
    // Lengths change by equal factors, so that zooming looks uniform.
    const fromLength = from.end - from.start;
    const toLength = to.end - to.start;
    const length = fromLength * (toLength / fromLength) ** share;
    const moved = Math.abs(toLength - fromLength) < fromLength * 1e-6 ? share : (length - fromLength) / (toLength - fromLength);
    this.start = from.start + (to.start - from.start) * moved;
    this.end = this.start + length;
    this.changed.emit(false);
  }
}

/** @param {number} start @param {number} end @returns {Span} */
function withRoom(start, end) {
  const room = Math.max(SHORTEST, (end - start) * 0.1);
  return { start: start - room, end: end + room };
}
