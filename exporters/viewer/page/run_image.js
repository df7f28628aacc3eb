// The picture of all ranks as images that the canvas only scales: one pixel for each column of each rank, and smaller
// ones in which a pixel has the mean color of two ranks of the image before.
import { channels } from './colors.js';

const HEADER = 40;
const MAGIC = 0x31485250;
const MOST_ROWS = 16384; // of a canvas
const LEAST_ROWS = 64;
const SHARES = 16; // of a state, in a value of all states
const FAINTEST = 0.3;

/** By name of the state; communication and waits are the colors that attract the eye. */
const COLORS = new Map([['compute', '#009e73'], ['communication', '#56b4e9'], ['copies', '#f0e442'], ['launch', '#cc79a7'], ['data', '#0072b2'],
  ['cpu', '#e69f00'], ['idle', '#9aa3ad'], ['wait', '#d55e00']]);

/** @param {string} name */
export function stateColor(name) {
  return COLORS.get(name) ?? '#9aa3ad';
}

/**
 * @param {ArrayBuffer} buffer the answer of api/heat
 * @returns {Heat}
 */
export function decodeHeat(buffer) {
  const view = new DataView(buffer);
  if (buffer.byteLength < HEADER || view.getUint32(0, true) !== MAGIC) throw new Error('api/heat: not a picture');
  const [ranks, columns] = [view.getUint32(4, true), view.getUint32(8, true)];
  return { ranks, columns, start: Number(view.getBigInt64(16, true)), width: Number(view.getBigInt64(24, true)),
    values: new Uint8Array(buffer, HEADER, ranks * columns) };
}

/**
 * The color of a state that has a part of the time.
 * @param {string} color @param {string} background @param {number} share
 */
function blend(color, background, share) {
  const [from, to] = [channels(background), channels(color)];
  const [red, green, blue] = from.map((each, i) => Math.round(each + (to[i] - each) * share));
  return ((255 << 24) | (blue << 16) | (green << 8) | red) >>> 0;
}

/**
 * A color for each value.
 * @param {RunAnswer['states']} states @param {string} chosen 'largest', or the name of a state @param {string} background
 */
export function colorTable(states, chosen, background) {
  const table = new Uint32Array(256).fill(blend(background, background, 0));
  for (let value = 1; value < 256; value += 1) {
    if (chosen !== 'largest') {
      table[value] = blend(stateColor(chosen), background, value / 255);
    } else if (states[(value >> 4) - 1]) {
      const share = (value % SHARES) / (SHARES - 1);
      table[value] = blend(stateColor(states[(value >> 4) - 1].name), background, FAINTEST + (1 - FAINTEST) * share);
    }
  }
  return table;
}

/**
 * The mean of two colors, channel by channel.
 * @param {number} a @param {number} b
 */
function mean(a, b) {
  return (((a & b) + (((a ^ b) & 0xfefefefe) >>> 1)) | 0xff000000) >>> 0;
}

/**
 * @param {Heat} heat @param {Int32Array} order indices of ranks, from the top @param {Uint32Array} table
 * @returns {{canvas: HTMLCanvasElement, rows: number}[]} images, the largest first
 */
export function makeImages({ columns, values }, order, table) {
  let rows = order.length;
  let pixels = new Uint32Array(columns * rows);
  order.forEach((rank, row) => {
    const from = rank * columns;
    const to = row * columns;
    for (let column = 0; column < columns; column += 1) pixels[to + column] = table[values[from + column]];
  });
  const images = [];
  while (columns > 0 && rows > 0) {
    if (rows <= MOST_ROWS) images.push({ canvas: canvasOf(pixels, columns, rows), rows });
    if (rows <= LEAST_ROWS) break;
    const fewer = Math.ceil(rows / 2);
    const next = new Uint32Array(columns * fewer);
    for (let row = 0; row < fewer; row += 1) {
      const first = 2 * row * columns;
      const second = Math.min(2 * row + 1, rows - 1) * columns;
      for (let column = 0; column < columns; column += 1) next[row * columns + column] = mean(pixels[first + column], pixels[second + column]);
    }
    pixels = next;
    rows = fewer;
  }
  return images;
}

/** @param {Uint32Array} pixels @param {number} width @param {number} height */
function canvasOf(pixels, width, height) {
  const canvas = document.createElement('canvas');
  canvas.width = width;
  canvas.height = height;
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));
  context.putImageData(new ImageData(new Uint8ClampedArray(pixels.buffer), width, height), 0, 0);
  return canvas;
}
