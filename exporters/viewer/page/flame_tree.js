// The tree of a flame graph: frames of the runtime's start-up are folded, and frames get their places.

/** Frames that are narrower than this share are not drawn. */
const NARROWEST = 0.0005;
const MOST_FRAMES = 4000;
/** The frame in place of those that start the program or the thread. */
const START = 'start-up and interpreter';

/** Functions that start a program, a thread or an interpreter. A frame is folded if all its callers are, too. */
const STARTERS = new RegExp(['^(_start|__libc_start_main.*|__libc_start_call_main|_dl_start.*|clone3?|__clone3?|start_thread|thread_start',
  'execute_native_thread_routine|Py_BytesMain|Py_Main|Py_RunMain|pymain_.*|_?PyRun_.*|run_mod|run_eval_code_obj|PyEval_EvalCode',
  'std::thread::_.*|std::__invoke.*|std::invoke.*|_bootstrap|_bootstrap_inner|thread_run|_run_module_as_main|_run_code|Thread\\.run)(@@.*)?(\\(.*)?$'].join('|'));
/** Modules of Python's interpreter. */
const INTERPRETERS = /(^|\/)(libpython[\d.]+\.so[\d.]*|python(\d(\.\d+)?)?)$/;
/** The interpreter's own functions that only pass calls on say nothing about the program. */
const EVALUATORS = new RegExp(['^(\\[.*\\]|_?Py(Eval|Run|Import|Vectorcall|Function|CFunction|MethodDescr)\\w*|_?PyObject_(Call|MakeTpCall|FastCall|Vectorcall)\\w*',
  'method_vectorcall\\w*|slot_tp_\\w+|vectorcall\\w*|type_call|object_vacall|cfunction_\\w+|builtin_(exec|eval|__build_class__)|import_\\w+)$'].join('|'));
/** Files of Python that start what the user wrote. */
const LIBRARIES = /(^|\/)(runpy|threading)(\.py)?$|<frozen (runpy|importlib)/;

/** @typedef {{node: number, depth: number, left: number, width: number}} Placement */

/** @param {[string, string, string]} entry name, module or file, kind */
function isStarter([name, place, kind]) {
  if (kind === 'python') return LIBRARIES.test(place) || /^<frozen (runpy|importlib)/.test(name) || STARTERS.test(name);
  return STARTERS.test(name) || (INTERPRETERS.test(place) && EVALUATORS.test(name));
}

/**
 * The tree without the frames that start the program: chains that differ only in these become one.
 * @param {FlameAnswer} answer @returns {FlameAnswer & {folded: number}}
 */
export function foldStart(answer) {
  const starts = answer.functions.map(isStarter);
  /** @type {FlameAnswer['nodes']} */
  const nodes = [];
  /** @type {Map<string, number>} */
  const known = new Map();
  /** For each node the new one; -1: folded. */
  const places = new Int32Array(answer.nodes.length);
  let folded = 0;
  let own = 0;
  answer.nodes.forEach(([parent, number, whole, self], i) => {
    const above = parent < 0 ? -1 : places[parent];
    if (above < 0 && starts[number]) {
      places[i] = -1;
      folded += 1;
      own += self;
      return;
    }
    const key = `${above} ${number}`;
    const same = known.get(key);
    if (same === undefined) {
      known.set(key, nodes.length);
      places[i] = nodes.length;
      nodes.push([above, number, whole, self]);
    } else {
      places[i] = same;
      nodes[same][2] += whole;
      nodes[same][3] += self;
    }
  });
  const functions = [...answer.functions];
  if (own) {
    nodes.push([-1, functions.length, own, own]);
    functions.push([START, START, 'mark']);
  }
  return { ...answer, nodes, functions, folded };
}

/**
 * Where the nodes are, callers above what they call.
 * @param {FlameAnswer} answer @param {number} root the node that has the whole width; -1: all
 * @returns {Placement[]}
 */
export function placements({ nodes, functions, total }, root) {
  const isStart = (/** @type {number} */ node) => Number(functions[nodes[node][1]][0] === START);
  /** @type {number[][]} */
  const children = nodes.map(() => []);
  /** @type {number[]} */
  const roots = [];
  nodes.forEach(([parent], node) => (parent < 0 ? roots : children[parent]).push(node));
  const whole = root < 0 ? total : nodes[root][2];
  /** @type {Placement[]} */
  const placed = [];
  /** @type {[number[], number, number][]} */
  const open = [[root < 0 ? roots : [root], 0, 0]];
  for (let i = 0; i < open.length && placed.length < MOST_FRAMES; i += 1) {
    const [list, depth, from] = open[i];
    let left = from;
    for (const node of [...list].sort((a, b) => isStart(a) - isStart(b) || nodes[b][2] - nodes[a][2])) {
      const width = nodes[node][2] / whole;
      if (width < NARROWEST) continue;
      placed.push({ node, depth, left, width });
      open.push([children[node], depth + 1, left]);
      left += width;
    }
  }
  return placed;
}

/**
 * The modules with the largest shares, by samples whose innermost frame is in them.
 * @param {FlameAnswer} answer @param {number} most
 * @returns {[string, number][]}
 */
export function largestModules({ nodes, functions, total }, most) {
  /** @type {Map<string, number>} */
  const sums = new Map();
  for (const [, number, , own] of nodes) {
    const module = moduleOf(functions[number]);
    if (own) sums.set(module, (sums.get(module) ?? 0) + own);
  }
  return [...sums].sort((a, b) => b[1] - a[1]).slice(0, most).map(([module, own]) => [module, own / Math.max(1, total)]);
}

/**
 * The module or file of a function, without its folder.
 * @param {[string, string, string]} entry
 */
export function moduleOf([, place, kind]) {
  if (kind === 'kernel') return 'kernel';
  return place.replace(/^.*\//, '').replace(/:\d+$/, '') || 'unknown';
}
