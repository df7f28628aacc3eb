// The tab of the flame graph: call chains of samples or of calls in the selected span.
import { colorOf, textOn } from './colors.js';
import { button, element, replace } from './dom.js';
import { foldStart, largestModules, moduleOf, placements } from './flame_tree.js';
import { count, duration, percent, visible } from './text.js';

const ROW = 20;
const MOST_MODULES = 6;
const NARROW = 20;
/** What is recorded most often comes first: the first kind with data is shown. */
const KINDS = [['python', 'Python samples'], ['cpu', 'CPU samples'], ['osrt', 'OS-runtime calls'], ['cuda', 'CUDA calls']];
const BOTH = 'both';

/** @typedef {import('./flame_tree.js').Placement} Placement */

export class FlameView {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    /** Empty until one is chosen. */
    this.kind = '';
    this.search = '';
    this.isFolded = true;
    /** @type {FlameGraph[]} */
    this.graphs = [];
    this.requests = 0;
  }

  /** @param {HTMLElement} box */
  async show(box) {
    this.requests += 1;
    const mine = this.requests;
    replace(box, element('p', { className: 'muted' }, 'Computing…'));
    try {
      const found = await this.find();
      if (mine !== this.requests || this.app.drawer.tab !== 'flame') return;
      this.graphs = found.map(([kind, answer]) => new FlameGraph(this, kind, answer));
      this.draw(box);
    } catch (error) {
      if (mine === this.requests) replace(box, this.tools(box), element('p', { className: 'bad' }, visible(error instanceof Error ? error.message : error)));
    }
  }

  /**
   * The chains of the chosen kind. Until one is chosen: Python and CPU samples side by side, or the first kind that was recorded.
   * @returns {Promise<[string, FlameAnswer][]>}
   */
  async find() {
    const { from, to, row } = this.app.drawer.span;
    const ask = (/** @type {string} */ kind) => this.app.source.flame(kind, row, from, to);
    // A report can lack what one kind needs. The others can be shown.
    const tried = (/** @type {string} */ kind) => ask(kind).catch(() => null);
    if (this.kind && this.kind !== BOTH) return [[this.kind, await ask(this.kind)]];
    /** @type {[string, FlameAnswer][]} */
    const samples = [];
    for (const [kind] of KINDS) {
      const answer = await tried(kind);
      if (answer?.total) samples.push([kind, answer]);
      const isSamples = kind === 'python' || kind === 'cpu';
      if (samples.length && (!isSamples || kind === 'cpu')) return samples;
    }
    return samples;
  }

  /** @param {HTMLElement} box */
  tools(box) {
    const shown = this.graphs.length > 1 ? BOTH : this.graphs[0]?.kind ?? (this.kind || BOTH);
    const kinds = element('select', { id: 'flame-kind', 'aria-label': 'Samples', onchange: () => {
      this.kind = kinds.value;
      void this.show(box);
    } }, element('option', { value: BOTH }, 'Python and CPU samples'), ...KINDS.map(([value, title]) => element('option', { value }, title)));
    kinds.value = this.kind || shown;
    const search = element('input', { type: 'search', id: 'flame-search', placeholder: 'Search functions', 'aria-label': 'Search functions',
      value: this.search, oninput: () => {
        this.search = search.value;
        for (const graph of this.graphs) graph.draw();
        this.showFound(box);
      } });
    const fold = element('input', { type: 'checkbox', id: 'flame-fold', checked: this.isFolded, onchange: () => {
      this.isFolded = fold.checked;
      for (const graph of this.graphs) graph.fold();
      this.grow();
    } });
    return element('div', { className: 'tools' }, kinds, search, element('span', { id: 'flame-found', role: 'status' }),
      button('Whole graph', () => {
        for (const graph of this.graphs) graph.zoom(-1);
      }), element('label', {}, fold, ' Fold frames that start the program'));
  }

  /** @param {HTMLElement} box */
  draw(box) {
    const graphs = element('div', { className: 'flames' }, ...this.graphs.map(({ box: each }) => each));
    const isEmpty = !this.graphs.some(({ answer }) => answer.total);
    replace(box, this.tools(box), isEmpty ? element('p', { className: 'muted' }, 'Nothing of this kind is recorded in this span.') : graphs);
    for (const graph of this.graphs) graph.draw();
    this.showFound(box);
    this.grow();
  }

  grow() {
    const { body } = this.app.drawer;
    this.app.drawer.growTo(Math.max(0, ...[...body.children].map((each) => each.getBoundingClientRect().bottom))
      - body.getBoundingClientRect().top + body.scrollTop + ROW);
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
    const label = box.querySelector('#flame-found');
    if (label) label.textContent = this.search ? `in ${this.graphs.map((graph) => percent(graph.foundShare())).join(' and ')}` : '';
  }
}

class FlameGraph {
  /** @param {FlameView} view @param {string} kind @param {FlameAnswer} answer */
  constructor(view, kind, answer) {
    this.view = view;
    this.kind = kind;
    this.answer = answer;
    /** The node that has the whole width. */
    this.root = -1;
    this.graph = element('div', { className: 'flame', role: 'tree', 'aria-label': 'Flame graph' });
    this.heading = element('div', { className: 'legend' });
    this.box = element('section', {}, this.heading, this.graph);
    this.tree = { ...answer, folded: 0 };
    this.makeTree();
  }

  makeTree() {
    this.tree = this.view.isFolded ? foldStart(this.answer) : { ...this.answer, folded: 0 };
    this.root = -1;
  }

  fold() {
    this.makeTree();
    this.draw();
  }

  /** @param {number} node */
  zoom(node) {
    this.root = node;
    this.draw();
  }

  draw() {
    const placed = placements(this.tree, this.root);
    this.graph.style.height = `${(Math.max(0, ...placed.map(({ depth }) => depth)) + 1) * ROW}px`;
    replace(this.graph, ...placed.map((place) => this.frame(place)));
    this.drawHeading();
  }

  drawHeading() {
    const { total, unit, samples } = this.answer;
    const title = KINDS.find(([kind]) => kind === this.kind)?.[1] ?? '';
    const whole = unit === 'samples' ? count(total) : `${count(samples)}, ${amount(total, unit)}`;
    const modules = largestModules(this.tree, MOST_MODULES).map(([module, share]) => {
      const swatch = element('span', { className: 'swatch' });
      swatch.style.background = colorOf(module);
      return element('span', {}, swatch, `${visible(module, 60)} ${percent(share)}`);
    });
    replace(this.heading, element('strong', {}, `${title}: ${whole}`), ...modules);
  }

  /** @param {Placement} place */
  frame({ node, depth, left, width }) {
    const { nodes, functions, total, unit } = this.tree;
    const [, number, whole, own] = nodes[node];
    const [name, place, kind] = functions[number];
    const shown = visible(name, 300);
    const color = colorOf(moduleOf(functions[number]));
    const text = `${shown}\n${visible(place, 300)}${kind === 'native' ? '' : ` (${visible(kind, 20)})`}\n` +
      `${amount(whole, unit)}, ${percent(whole / total)}; ${amount(own, unit)} in itself`;
    // A frame that is too narrow for a letter has its name in the tooltip only.
    const label = width * this.graph.clientWidth < NARROW ? '' : shown;
    const made = button(label, () => this.zoom(node), { className: `flame-frame${this.view.matches(name) ? '' : ' dim'}`, role: 'treeitem', title: text,
      'aria-level': depth + 1, 'aria-label': `${shown}, ${percent(whole / total)}`, 'data-amount': label && `${amount(whole, unit)}, ${percent(whole / total)}` });
    made.style.left = `${left * 100}%`;
    made.style.width = `${width * 100}%`;
    made.style.top = `${depth * ROW}px`;
    made.style.background = color;
    made.style.color = textOn(color);
    return made;
  }

  /** Which share of the whole has a function that was searched for. */
  foundShare() {
    const { nodes, functions, total } = this.tree;
    let found = 0;
    const isInside = new Uint8Array(nodes.length);
    nodes.forEach(([parent, number, whole], node) => {
      if (parent >= 0 && isInside[parent]) isInside[node] = 1;
      else if (this.view.search && this.view.matches(functions[number][0])) {
        isInside[node] = 1;
        found += whole;
      }
    });
    return total ? found / total : 0;
  }
}

/**
 * Samples, or the time of calls.
 * @param {number} number
 * @param {string} unit
 */
function amount(number, unit) {
  return unit === 'ns' ? duration(number) : `${count(number)} ${visible(number === 1 && unit === 'samples' ? 'sample' : unit, 20)}`;
}
