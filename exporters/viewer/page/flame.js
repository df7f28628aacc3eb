// The tab of the flame graph: call chains of samples, of CPU or Python, in the selected span.
import { colorOf, textOn } from './colors.js';
import { button, element, replace } from './dom.js';
import { count, duration, percent, visible } from './text.js';

const ROW = 20;
const NARROWEST = 0.0005;
const MOST_FRAMES = 4000;
const KINDS = [['cpu', 'CPU samples'], ['python', 'Python samples'], ['osrt', 'OS-runtime calls'], ['cuda', 'CUDA calls']];

/** @typedef {{node: number, depth: number, left: number, width: number}} Placement */

export class FlameView {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    this.kind = KINDS[0][0];
    this.isKindChosen = false;
    this.search = '';
    /** The node that has the whole width. */
    this.root = -1;
    /** @type {FlameAnswer | null} */
    this.answer = null;
    this.requests = 0;
  }

  /** @param {HTMLElement} box */
  async show(box) {
    this.requests += 1;
    const mine = this.requests;
    replace(box, element('p', { className: 'muted' }, 'Computing…'));
    try {
      const { from, to, row } = this.app.drawer.span;
      const answer = await this.find(from, to, row);
      if (mine !== this.requests || this.app.drawer.tab !== 'flame') return;
      this.answer = answer;
      this.root = -1;
      this.draw(box);
    } catch (error) {
      if (mine === this.requests) replace(box, this.tools(box), element('p', { className: 'bad' }, visible(error instanceof Error ? error.message : error)));
    }
  }

  /**
   * The chains of the chosen kind; until one is chosen, of the first kind that was recorded.
   * @param {number | null} from
   * @param {number | null} to
   * @param {number | null} row
   */
  async find(from, to, row) {
    const first = await this.app.source.flame(this.kind, row, from, to);
    if (first.total || this.isKindChosen) return first;
    for (const [kind] of KINDS) {
      const answer = kind === this.kind ? first : await this.app.source.flame(kind, row, from, to);
      if (!answer.total) continue;
      this.kind = kind;
      return answer;
    }
    return first;
  }

  /** @param {HTMLElement} box */
  tools(box) {
    const kinds = element('select', { id: 'flame-kind', 'aria-label': 'Samples', onchange: () => {
      this.kind = kinds.value;
      this.isKindChosen = true;
      void this.show(box);
    } }, ...KINDS.map(([value, title]) => element('option', { value }, title)));
    kinds.value = this.kind;
    const search = element('input', { type: 'search', id: 'flame-search', placeholder: 'Search functions', 'aria-label': 'Search functions',
      value: this.search, oninput: () => {
        this.search = search.value;
        this.drawGraph(box);
      } });
    return element('div', { className: 'tools' }, kinds, search, element('span', { id: 'flame-found', role: 'status' }),
      button('Whole graph', () => {
        this.root = -1;
        this.drawGraph(box);
      }));
  }

  /** @param {HTMLElement} box */
  draw(box) {
    replace(box, this.tools(box), element('div', { className: 'flame', role: 'tree', 'aria-label': 'Flame graph' }));
    this.drawGraph(box);
  }

  /**
   * Where the nodes are, callers above what they call.
   * @param {FlameAnswer} answer @returns {Placement[]}
   */
  placements({ nodes, total }) {
    /** @type {number[][]} */
    const children = nodes.map(() => []);
    /** @type {number[]} */
    const roots = [];
    nodes.forEach(([parent], node) => (parent < 0 ? roots : children[parent]).push(node));
    const whole = this.root < 0 ? total : nodes[this.root][2];
    /** @type {Placement[]} */
    const placed = [];
    /** @type {[number[], number, number][]} */
    const open = [[this.root < 0 ? roots : [this.root], 0, 0]];
    for (let i = 0; i < open.length && placed.length < MOST_FRAMES; i += 1) {
      const [list, depth, from] = open[i];
      let left = from;
      for (const node of [...list].sort((a, b) => nodes[b][2] - nodes[a][2])) {
        const width = nodes[node][2] / whole;
        if (width < NARROWEST) break;
        placed.push({ node, depth, left, width });
        open.push([children[node], depth + 1, left]);
        left += width;
      }
    }
    return placed;
  }

  /** @param {HTMLElement} box */
  drawGraph(box) {
    const graph = box.querySelector('.flame');
    if (!(graph instanceof HTMLElement) || !this.answer) return;
    if (!this.answer.total) {
      replace(graph, element('p', { className: 'muted' }, 'Nothing of this kind is recorded in this span.'));
      return;
    }
    const placed = this.placements(this.answer);
    graph.style.height = `${(Math.max(0, ...placed.map(({ depth }) => depth)) + 1) * ROW}px`;
    replace(graph, ...placed.map((place) => this.frame(box, place)));
    this.showFound(box);
  }

  /** @param {HTMLElement} box @param {Placement} place */
  frame(box, { node, depth, left, width }) {
    const { nodes, functions, total, unit } = /** @type {FlameAnswer} */ (this.answer);
    const [, number, whole, own] = nodes[node];
    const [name, place, kind] = functions[number];
    const shown = visible(name, 300);
    const color = colorOf(name);
    const text = `${shown}\n${visible(place, 300)}${kind === 'native' ? '' : ` (${visible(kind, 20)})`}\n` +
      `${amount(whole, unit)}, ${percent(whole / total)}; ${amount(own, unit)} in itself`;
    const made = button(shown, () => {
      this.root = node;
      this.drawGraph(box);
    }, { className: `flame-frame${this.matches(name) ? '' : ' dim'}`, role: 'treeitem', title: text, 'aria-level': depth + 1,
      'aria-label': `${shown}, ${percent(whole / total)}` });
    made.style.left = `${left * 100}%`;
    made.style.width = `${width * 100}%`;
    made.style.top = `${depth * ROW}px`;
    made.style.background = color;
    made.style.color = textOn(color);
    return made;
  }

  /** @param {string} name */
  matches(name) {
    return !this.search || name.toLowerCase().includes(this.search.toLowerCase());
  }

  /**
   * Says which share of the samples has a function that was searched for.
   * @param {HTMLElement} box
   */
  showFound(box) {
    const { nodes, functions, total } = /** @type {FlameAnswer} */ (this.answer);
    let found = 0;
    const isInside = new Uint8Array(nodes.length);
    nodes.forEach(([parent, number, whole], node) => {
      if (parent >= 0 && isInside[parent]) isInside[node] = 1;
      else if (this.search && this.matches(functions[number][0])) {
        isInside[node] = 1;
        found += whole;
      }
    });
    const label = box.querySelector('#flame-found');
    if (label) label.textContent = this.search ? `in ${percent(found / total)}` : '';
  }
}

/**
 * Samples, or the time of calls.
 * @param {number} number
 * @param {string} unit
 */
function amount(number, unit) {
  return unit === 'ns' ? duration(number) : `${count(number)} ${visible(unit, 20)}`;
}
