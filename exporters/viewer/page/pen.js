// Draws on a canvas. Everything is collected and drawn color by color, because a change of color
// costs more than a rectangle.
import { DOTTED, FALLING, RISING } from './colors.js';

const FONT = '11px "DejaVu Sans", system-ui, sans-serif';
const RASTER_ROWS = 512;

/** @param {number} ratio */
export function fontFor(ratio) {
  return FONT.replace(/^\d+/, (size) => String(Math.round(Number(size) * ratio)));
}

/**
 * A small picture that is repeated over an event.
 * @param {number} pattern @param {string} color @param {number} ratio
 */
function patternTile(pattern, color, ratio) {
  const size = Math.round(6 * ratio);
  const tile = document.createElement('canvas');
  tile.width = size;
  tile.height = size;
  const context = tile.getContext('2d');
  if (!context) return tile;
  context.strokeStyle = color;
  context.fillStyle = color;
  context.globalAlpha = 0.45;
  context.lineWidth = ratio;
  context.beginPath();
  for (const shift of [-size, 0, size]) {
    if (pattern === RISING) context.moveTo(shift, size), context.lineTo(shift + size, 0);
    if (pattern === FALLING) context.moveTo(shift, 0), context.lineTo(shift + size, size);
  }
  context.stroke();
  if (pattern === DOTTED) context.fillRect(size / 3, size / 3, 1.5 * ratio, 1.5 * ratio);
  return tile;
}

/** @implements {Pen} */
export class CanvasPen {
  /** @param {HTMLCanvasElement} canvas @param {number} ratio */
  constructor(canvas, ratio) {
    const context = canvas.getContext('2d', { alpha: false });
    if (!context) throw new Error('this browser has no canvas');
    this.canvas = canvas;
    this.context = context;
    this.ratio = ratio;
    this.width = 0;
    this.height = 0;
    this.pixels = new Uint32Array(0);
    this.raw = new ImageData(1, RASTER_ROWS);
    this.sheet = document.createElement('canvas');
    this.sheetContext = this.sheet.getContext('2d');
    /** @type {Map<string, number[]>} by color */
    this.rects = new Map();
    /** @type {Map<string, number[]>} by thickness and color */
    this.outlines = new Map();
    /** @type {Map<string, number[]>} by pattern and color */
    this.hatches = new Map();
    /** @type {Map<string, (number | string)[]>} by color */
    this.texts = new Map();
    /** @type {number[]} */
    this.rasters = [];
    this.rasterRows = 0;
    /** Numbers of what the last frame drew. */
    this.drawn = { rects: 0, labels: 0, rasters: 0 };
    /** @type {Map<string, CanvasPattern | null>} */
    this.patterns = new Map();
    /** @type {Map<string, number>} */
    this.widths = new Map();
    this.resize(canvas.width, canvas.height, ratio);
  }

  /** @param {number} width @param {number} height @param {number} ratio */
  resize(width, height, ratio) {
    if (this.canvas.width !== width) this.canvas.width = width;
    if (this.canvas.height !== height) this.canvas.height = height;
    if (ratio !== this.ratio) {
      this.patterns.clear();
      this.widths.clear();
    }
    this.ratio = ratio;
    this.height = height;
    if (this.width === width) return;
    this.width = width;
    this.raw = new ImageData(Math.max(1, width), RASTER_ROWS);
    this.pixels = new Uint32Array(this.raw.data.buffer);
    this.sheet.width = Math.max(1, width);
    this.sheet.height = RASTER_ROWS;
  }

  /** @param {string} background */
  begin(background) {
    this.context.fillStyle = background;
    this.context.fillRect(0, 0, this.width, this.height);
    this.drawn.rects = 0;
    this.drawn.labels = 0;
    this.drawn.rasters = 0;
    this.forget();
  }

  forget() {
    this.rects.clear();
    this.outlines.clear();
    this.hatches.clear();
    this.texts.clear();
    this.rasters = [];
    this.rasterRows = 0;
  }

  /**
   * Draws at once, below everything else.
   * @type {Pen['rect']}
   */
  under(x, y, width, height, color) {
    this.context.fillStyle = color;
    this.context.fillRect(x, y, width, height);
  }

  /** @type {Pen['raster']} */
  raster(y, height, rows) {
    if (this.rasterRows + rows > RASTER_ROWS) this.flushRasters();
    const first = this.rasterRows;
    this.rasterRows += rows;
    this.rasters.push(y, height, first, rows);
    const offset = first * this.width;
    this.pixels.fill(0, offset, offset + rows * this.width);
    return offset;
  }

  /** @type {Pen['rect']} */
  rect(x, y, width, height, color) {
    const list = this.rects.get(color);
    if (list) list.push(x, y, width, height);
    else this.rects.set(color, [x, y, width, height]);
    this.drawn.rects += 1;
  }

  /** @type {Pen['outline']} */
  outline(x, y, width, height, color, thickness) {
    const key = `${thickness} ${color}`;
    const list = this.outlines.get(key);
    if (list) list.push(x, y, width, height);
    else this.outlines.set(key, [x, y, width, height]);
  }

  /** @type {Pen['hatch']} */
  hatch(x, y, width, height, pattern, color) {
    const key = `${pattern} ${color}`;
    const list = this.hatches.get(key);
    if (list) list.push(x, y, width, height);
    else this.hatches.set(key, [x, y, width, height]);
  }

  /** @type {Pen['text']} */
  text(x, baseline, text, color) {
    const list = this.texts.get(color);
    if (list) list.push(x, baseline, text);
    else this.texts.set(color, [x, baseline, text]);
    this.drawn.labels += 1;
  }

  /** @type {Pen['measure']} */
  measure(text) {
    this.context.font = fontFor(this.ratio);
    return this.context.measureText(text).width;
  }

  flushRasters() {
    const { context, sheet, sheetContext, raw } = this;
    if (!this.rasterRows || !sheetContext) return;
    sheetContext.putImageData(raw, 0, 0, 0, 0, this.width, this.rasterRows);
    context.imageSmoothingEnabled = false;
    for (let i = 0; i < this.rasters.length; i += 4) {
      const [y, height, first, rows] = this.rasters.slice(i, i + 4);
      context.drawImage(sheet, 0, first, this.width, rows, 0, y, this.width, height);
    }
    this.drawn.rasters += this.rasters.length / 4;
    this.rasters = [];
    this.rasterRows = 0;
  }

  flush() {
    const { context } = this;
    this.flushRasters();
    for (const [color, list] of this.rects) {
      context.fillStyle = color;
      for (let i = 0; i < list.length; i += 4) context.fillRect(list[i], list[i + 1], list[i + 2], list[i + 3]);
    }
    for (const [key, list] of this.hatches) {
      const pattern = this.patternFor(key);
      if (!pattern) continue;
      context.fillStyle = pattern;
      for (let i = 0; i < list.length; i += 4) context.fillRect(list[i], list[i + 1], list[i + 2], list[i + 3]);
    }
    for (const [key, list] of this.outlines) {
      const thickness = parseFloat(key);
      context.strokeStyle = key.slice(key.indexOf(' ') + 1);
      context.lineWidth = thickness;
      for (let i = 0; i < list.length; i += 4) {
        context.strokeRect(list[i] + thickness / 2, list[i + 1] + thickness / 2,
          Math.max(0, list[i + 2] - thickness), Math.max(0, list[i + 3] - thickness));
      }
    }
    this.flushTexts();
    this.forget();
  }

  flushTexts() {
    const { context } = this;
    context.font = fontFor(this.ratio);
    for (const [color, list] of this.texts) {
      context.fillStyle = color;
      for (let i = 0; i < list.length; i += 3) {
        context.fillText(String(list[i + 2]), Number(list[i]), Number(list[i + 1]));
      }
    }
  }

  /** @param {string} key */
  patternFor(key) {
    let pattern = this.patterns.get(key);
    if (pattern === undefined) {
      const space = key.indexOf(' ');
      const tile = patternTile(Number(key.slice(0, space)), key.slice(space + 1), this.ratio);
      pattern = this.context.createPattern(tile, 'repeat');
      this.patterns.set(key, pattern);
    }
    return pattern;
  }
}
