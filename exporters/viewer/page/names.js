// The names of events. Tiles hold numbers; the names come in the order of the numbers.
import { colorOf, patternOf, pixel, textOn } from './colors.js';
import { Signal } from './signal.js';
import { cutEnd, visible } from './text.js';

const NO_NAME = 0x80000000;
// The minimum length of a shortened name. A shorter piece of a name says nothing.
const LEAST_LETTERS = 5;

/** @typedef {{text: string, label: string, color: string, pixel: number, faint: number, ink: string, pattern: number, width: number, cut: string, cutTo: number}} Name */

/**
 * A name as a label: a function without the type of its result and its parameters.
 * @param {string} name
 */
export function labelOf(name) {
  const match = /^(?:void )?([\w:~]+(?:<.*>)?(?:::[\w~]+)*)\(.*\)(?: const)?$/s.exec(name);
  return match && match[1].length > 1 ? match[1] : name;
}

/** @param {string} text @param {string | null} color @returns {Name} */
function makeName(text, color) {
  const shown = visible(text);
  const fill = color && /^#[0-9a-f]{6}$/i.test(color) ? color : colorOf(text);
  return {
    text: shown, label: labelOf(shown), color: fill, pixel: pixel(fill), faint: pixel(fill, 190), ink: textOn(fill),
    pattern: patternOf(shown), width: 0, cut: '', cutTo: 0,
  };
}

export class Names {
  /** @param {Source} source */
  constructor(source) {
    this.source = source;
    /** @type {Name[]} */
    this.known = [];
    this.highest = -1;
    this.isFetching = false;
    this.unknown = makeName('…', '#9aa3ad');
    /** @type {Signal<void>} */
    this.arrived = new Signal();
    /** @type {Signal<unknown>} */
    this.refused = new Signal();
  }

  /** @param {number} id @returns {Name} */
  get(id) {
    return this.known[id] ?? this.unknown;
  }

  /**
   * Fetches the names that tiles use.
   * @param {Tile[]} tiles
   */
  need(tiles) {
    for (const tile of tiles) {
      const { name } = tile;
      for (let i = 0; i < name.length; i += 1) {
        if (name[i] > this.highest && name[i] < NO_NAME) this.highest = name[i];
      }
    }
    if (this.highest >= this.known.length && !this.isFetching) void this.fetch();
  }

  async fetch() {
    this.isFetching = true;
    try {
      while (this.highest >= this.known.length) {
        const { from, names } = await this.source.names(this.known.length);
        if (from !== this.known.length || !names.length) break;
        for (const each of names) {
          this.known.push(typeof each === 'string' ? makeName(each, null) : makeName(each[0], each[1]));
        }
        this.arrived.emit();
      }
      this.highest = Math.min(this.highest, this.known.length - 1);
    } catch (error) {
      this.refused.emit(error);
    } finally {
      this.isFetching = false;
    }
  }

  /**
   * The label of a name in a room of this width, '' if there is none.
   * @param {Name} name
   * @param {number} room
   * @param {Pen} pen
   */
  fit(name, room, pen) {
    if (name.width === 0) name.width = pen.measure(name.label.slice(0, 300)) / Math.min(300, name.label.length || 1);
    const characters = Math.floor(room / name.width);
    if (name.label.length <= characters) return name.label;
    if (characters < LEAST_LETTERS) return '';
    if (name.cutTo !== characters) {
      name.cut = '';
      name.cutTo = characters;
      // The kept letters may be wider than the removed ones. The label also serves the narrowest room for this number.
      for (let kept = characters; kept >= LEAST_LETTERS && !name.cut; kept -= 1) {
        const cut = cutEnd(name.label, kept);
        if (pen.measure(cut) <= characters * name.width) name.cut = cut;
      }
    }
    return name.cut;
  }

  /** Widths of labels are measured again, after a change of the font's size. */
  forgetWidths() {
    for (const name of this.known) name.width = 0;
  }
}
