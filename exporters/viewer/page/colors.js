// Colors: a few that color-blind people can distinguish, chosen by a hash of the name. Color is
// never the only sign.
import { hash } from './text.js';

// Okabe and Ito's colors and four tints of them.
const PALETTE = ['#e69f00', '#56b4e9', '#009e73', '#f0e442', '#0072b2', '#d55e00', '#cc79a7', '#9ad0f0', '#f2c879',
  '#b5a1d8', '#7fbf7b', '#e8a58f'];
// Colors of curves, for the light and the dark theme.
const SERIES = { light: ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#7a6200', '#5a6270'], dark: ['#56b4e9', '#e69f00', '#2ec4a0', '#e3a6c9', '#f0e442', '#a3abb8'] };
const STATE_COLOURS = new Map([['running', '#009e73'], ['runnable', '#e69f00'], ['waiting', '#9aa3ad']]);

export const PLAIN = 0;
export const RISING = 1;
export const FALLING = 2;
export const DOTTED = 3;
export const HOLLOW = 4;

/**
 * Signs besides the color: copies by direction, fills, synchronisation.
 * @type {[RegExp, number][]}
 */
const PATTERNS = [
  [/host.to.device|htod|h2d/i, RISING],
  [/device.to.host|dtoh|d2h/i, FALLING],
  [/\bmemset\b|device.to.device|dtod|d2d|peer.to.peer|ptop|p2p/i, DOTTED],
  [/synchroni[sz]e/i, HOLLOW],
];

/** @param {string} name */
export function patternOf(name) {
  return PATTERNS.find(([words]) => words.test(name))?.[1] ?? PLAIN;
}

/** @param {string} name */
export function colorOf(name) {
  return STATE_COLOURS.get(name.toLowerCase()) ?? PALETTE[hash(name) % PALETTE.length];
}

/** @param {string} color #rrggbb @returns {[number, number, number]} */
export function channels(color) {
  const number = parseInt(color.slice(1), 16);
  return [(number >> 16) & 255, (number >> 8) & 255, number & 255];
}

/**
 * The color as one pixel of an image.
 * @param {string} color @param {number} [alpha]
 */
export function pixel(color, alpha = 255) {
  const [red, green, blue] = channels(color);
  return ((alpha << 24) | (blue << 16) | (green << 8) | red) >>> 0;
}

/**
 * WCAG's relative luminance.
 * @param {string} color
 */
export function luminance(color) {
  const [red, green, blue] = channels(color).map((each) => {
    const share = each / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/**
 * WCAG's contrast of two colors.
 * @param {string} a @param {string} b
 */
export function contrast(a, b) {
  const [dark, light] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (light + 0.05) / (dark + 0.05);
}

/**
 * Black or white, whichever is easier to read on a color.
 * @param {string} color
 */
export function textOn(color) {
  return contrast(color, '#000000') >= contrast(color, '#ffffff') ? '#000000' : '#ffffff';
}

/** Colors of the page that the canvas needs. They follow the style sheet. */
export class Theme {
  constructor() {
    this.background = '#ffffff';
    this.text = '#000000';
    this.faint = '#dddddd';
    this.muted = '#555555';
    this.accent = '#007c80';
    this.stripe = '#f6f7f9';
  }

  /**
   * The color of a curve.
   * @param {number} number
   */
  seriesColor(number) {
    const list = luminance(this.background) < 0.2 ? SERIES.dark : SERIES.light;
    return list[number % list.length];
  }

  /** Reads the style sheet again, after a switch of light and dark. */
  refresh() {
    const style = getComputedStyle(document.documentElement);
    const read = (/** @type {string} */ name, /** @type {string} */ otherwise) => {
      const value = style.getPropertyValue(name).trim();
      return /^#[0-9a-f]{6}$/i.test(value) ? value : otherwise;
    };
    this.background = read('--background', this.background);
    this.text = read('--text', this.text);
    this.faint = read('--line', this.faint);
    this.muted = read('--muted', this.muted);
    this.accent = read('--selection', this.accent);
    this.stripe = read('--stripe', this.stripe);
  }
}
