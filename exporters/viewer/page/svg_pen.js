// Draws into an SVG document, for saving the visible part.
import { DOTTED, FALLING, RISING } from './colors.js';
import { SVG, svgElement } from './dom.js';


/**
 * A pixel of a picture as color and opacity.
 * @param {number} pixel
 */
function colorOfPixel(pixel) {
  const hex = (/** @type {number} */ number) => (number & 255).toString(16).padStart(2, '0');
  return { fill: `#${hex(pixel)}${hex(pixel >> 8)}${hex(pixel >> 16)}`, opacity: ((pixel >>> 24) / 255).toFixed(2) };
}

/** @implements {Pen} */
export class SvgPen {
  /** @param {number} width @param {number} height @param {(text: string) => number} measure */
  constructor(width, height, measure) {
    this.width = width;
    this.height = height;
    this.ratio = 1;
    this.measure = measure;
    this.root = svgElement('svg', { xmlns: SVG, width, height, viewBox: `0 0 ${width} ${height}`, 'font-family': 'sans-serif', 'font-size': 11 });
    this.parent = this.root;
    this.pixels = new Uint32Array(0);
    /** @type {{y: number, height: number, rows: number, offset: number}[]} */
    this.rasters = [];
    /** @type {Element[]} */
    this.rects = [];
    /** @type {Element[]} */
    this.texts = [];
    this.parts = 0;
  }

  /**
   * Everything that follows is drawn at this place and cut there.
   * @param {number} x @param {number} y @param {number} width @param {number} height
   */
  openPart(x, y, width, height) {
    this.flush();
    this.parts += 1;
    const clip = svgElement('clipPath', { id: `part${this.parts}` });
    clip.append(svgElement('rect', { x: 0, y: 0, width, height }));
    this.parent = svgElement('g', { transform: `translate(${x} ${y})`, 'clip-path': `url(#part${this.parts})` });
    this.root.append(clip, this.parent);
    this.width = width;
    this.height = height;
  }

  /** @type {Pen['raster']} */
  raster(y, height, rows) {
    const offset = this.pixels.length;
    const grown = new Uint32Array(offset + rows * this.width);
    grown.set(this.pixels);
    this.pixels = grown;
    this.rasters.push({ y, height, rows, offset });
    return offset;
  }

  /** @type {Pen['rect']} */
  rect(x, y, width, height, color) {
    /** @type {Record<string, string | number>} */
    const attributes = { x, y, width, height, fill: color.slice(0, 7) };
    if (color.length > 7) attributes['fill-opacity'] = (parseInt(color.slice(7), 16) / 255).toFixed(2);
    this.rects.push(svgElement('rect', attributes));
  }

  /** @type {Pen['outline']} */
  outline(x, y, width, height, color, thickness) {
    this.rects.push(svgElement('rect', { x: x + thickness / 2, y: y + thickness / 2, width: Math.max(0, width - thickness),
      height: Math.max(0, height - thickness), fill: 'none', stroke: color, 'stroke-width': thickness }));
  }

  /** @type {Pen['hatch']} */
  hatch(x, y, width, height, pattern, color) {
    const id = `hatch${pattern}${color.slice(1)}`;
    if (!this.root.querySelector(`#${id}`)) {
      const tile = svgElement('pattern', { id, width: 6, height: 6, patternUnits: 'userSpaceOnUse' });
      const stroke = { stroke: color, 'stroke-opacity': 0.45, fill: 'none' };
      if (pattern === RISING) tile.append(svgElement('path', { d: 'M-1 1L1 -1M0 6L6 0M5 7L7 5', ...stroke }));
      if (pattern === FALLING) tile.append(svgElement('path', { d: 'M-1 5L1 7M0 0L6 6M5 -1L7 1', ...stroke }));
      if (pattern === DOTTED) tile.append(svgElement('rect', { x: 2, y: 2, width: 1.5, height: 1.5, fill: color, 'fill-opacity': 0.45 }));
      this.root.prepend(tile);
    }
    this.rects.push(svgElement('rect', { x, y, width, height, fill: `url(#${id})` }));
  }

  /** @type {Pen['text']} */
  text(x, baseline, text, color) {
    this.texts.push(svgElement('text', { x, y: baseline, fill: color }, text));
  }

  flush() {
    for (const raster of this.rasters) this.flushRaster(raster);
    this.parent.append(...this.rects, ...this.texts);
    this.rasters = [];
    this.rects = [];
    this.texts = [];
    this.pixels = new Uint32Array(0);
  }

  /**
   * Rectangles of one color for the pixels of a picture.
   * @param {{y: number, height: number, rows: number, offset: number}} raster
   */
  flushRaster({ y, height, rows, offset }) {
    const { width } = this;
    const scale = height / rows;
    /**
     * Rectangles that reach the line above, by their begin, end and color.
     * @type {Map<string, {element: Element, lines: number}>}
     */
    let above = new Map();
    for (let line = 0; line < rows; line += 1) {
      const here = new Map();
      for (let x = 0; x < width;) {
        const color = this.pixels[offset + line * width + x];
        const first = x;
        while (x < width && this.pixels[offset + line * width + x] === color) x += 1;
        if (color === 0) continue;
        const key = `${first} ${x} ${color}`;
        let run = above.get(key);
        if (!run) {
          const { fill, opacity } = colorOfPixel(color);
          run = { lines: 0, element: svgElement('rect', { x: first, y: y + line * scale, width: x - first, fill, 'fill-opacity': opacity }) };
          this.parent.append(run.element);
        }
        run.lines += 1;
        run.element.setAttribute('height', String(run.lines * scale));
        here.set(key, run);
      }
      above = here;
    }
  }

  /** The whole document as text. */
  toText() {
    this.flush();
    return new XMLSerializer().serializeToString(this.root);
  }
}
