// Types that the modules of the page share, among them the answers of the server (docs/viewer-protocol.md). The page does not load this file.

type Style = 'events' | 'instants' | 'states' | 'counter' | 'density';

interface Row {
  id: number;
  parent: number | null;
  kind: string;
  style: Style;
  name: string;
  note?: string;
  lanes: number;
  events: number;
  tables: string[];
  version: number;
  exact: boolean;
  share?: number;
  /** Index in `reports`. */
  report?: number;
  /** In a page that is one file: the globalTid of the row, or else the globalPid. */
  thread?: string;
  process?: string;
  unit?: string;
  series?: string[];
}

interface ReportClock {
  path: string;
  name: string;
  id: string;
  /** The common clock has t + offset + drift * (t - middle) for a time t of the report. */
  offset: number;
  drift: number;
  middle: number;
}

interface RowsAnswer {
  version: number;
  exact: boolean;
  progress: number;
  reports: ReportClock[];
  span: Span;
  utcStart: number | null;
  messages: string[];
  rows: Row[];
  /** The critical path of the job will be shown, but is not known yet. */
  awaits_path?: boolean;
  /** Only of a report that the page of a job opened. */
  opening?: number;
}

interface Span {
  start: number;
  end: number;
}

interface EventRef {
  row: number;
  source: number;
  id: number;
}

interface EventLine extends EventRef {
  name: string;
  start: number;
  end: number | null;
  lane: number;
}

interface Frame {
  function: string;
  place: string;
  kind: string;
}

interface Link extends EventRef {
  relation: string;
  name: string;
  start: number;
  end: number | null;
}

interface EventDetails extends EventLine {
  table: string;
  columns: { name: string; value: unknown; text: string }[];
  facts?: [string, string][];
  chain: Frame[];
  links: Link[];
  more_links: number;
}

interface FindAnswer {
  hits: EventLine[];
  total: number;
  next: number | null;
}

interface EventsQuery {
  row: number;
  from: number;
  to: number;
  sort: string;
  order: string;
  offset: number;
  limit: number;
}

interface EventsAnswer {
  total: number;
  offset: number;
  events: EventLine[];
}

/** A table as `prof stats` and `prof diff` print it. `more`: how many rows are left out. */
interface Figures {
  columns: { header: string; kind: string; decimals: number }[];
  rows: (string | number | null)[][];
  more: number;
}

interface StatisticTable extends Figures {
  name: string;
  title: string;
  note: string;
}

interface DiffAnswer {
  before: string;
  after: string;
  headline: string[];
  summary: Figures;
  changes: Figures;
  unchanged: number;
}

/** Rows of a query in SQL. `rest`: why some are left out. */
interface QueryAnswer {
  columns: string[];
  rows: (string | number | null)[][];
  rest: string;
}

interface FlameAnswer {
  unit: string;
  samples: number;
  total: number;
  nodes: [number, number, number, number][];
  functions: [string, string, string][];
  cut?: { nodes: number; least: number };
  /** In a page that is one file: whether values are durations, and the samples. A start is the difference from the one before. */
  calls?: boolean;
  list?: { start: number[]; value: number[]; node: number[]; threads: [string, number][] };
}

interface Where {
  from: number;
  to: number;
  row: number | null;
  source?: number;
  id?: number;
}

interface Finding {
  rule: string;
  sentence: string;
  evidence: string;
  remedy: string;
  share: number;
  at_stake: number;
  gain?: number;
  gain_share?: number;
  where: Where | null;
}

interface GpuTime {
  name: string;
  row: number;
  span: number;
  compute: number;
  exposed_communication: number;
  hidden_communication: number;
  exposed_copies: number;
  hidden_copies: number;
  idle: number;
}

interface NamedTime {
  name: string;
  total: number;
  count: number;
  average: number;
  share?: number;
  tensor_cores?: boolean;
  where: Where | null;
}

interface Iterations {
  found_by: string;
  times: [number, number][];
  median: number;
  slow: number[];
  slow_rule: string;
  slow_count: number;
  count: number;
  /** How many iterations one of `times` stands for, as the longest of them. */
  group: number;
}

/** The start page. Parts that are not ready are null while `exact` is false. */
interface Summary {
  exact: boolean;
  fault: string;
  verdict: { name: string; sentence: string; gain?: string; shares: [string, number][]; open?: string; not_recorded?: string[] } | null;
  span: number;
  findings: Finding[] | null;
  gpus: GpuTime[] | null;
  iterations: Iterations | null;
  kernels: NamedTime[] | null;
  ranges: NamedTime[] | null;
  tensor_cores: { kernels: number; share_of_gpu_time: number; note: string } | null;
  facts: [string, string][] | null;
  options?: [string, string][] | null;
  losses: string[] | null;
  cpu: { functions: { name: string; place: string; share: number; samples: number; statistic: string }[] } | null;
}

/** Where all data comes from: the server, or the file of a page that was saved. */
interface Source {
  rows(): Promise<RowsAnswer>;
  names(from: number): Promise<{ from: number; names: (string | [string, string])[] }>;
  tiles(rows: number[], level: number, index: number, version: number, signal?: AbortSignal): Promise<ArrayBuffer>;
  event(ref: EventRef): Promise<EventDetails>;
  find(q: string, after: number | null, limit: number, rows: number[]): Promise<FindAnswer>;
  events(query: EventsQuery): Promise<EventsAnswer>;
  statistics(report: number): Promise<{ statistics: { name: string; title: string }[] }>;
  statistic(name: string, from: number | null, to: number | null, report: number, kernel?: string): Promise<StatisticTable>;
  sourceText(report: number, file: string): Promise<{ file: string; path?: string; modified?: number; lines?: string[]; missing?: string }>;
  sections(): Promise<{ sections: { title: string; metrics: [string, string][] }[] }>;
  flame(kind: string, row: number | null, from: number | null, to: number | null): Promise<FlameAnswer>;
  used(from: number, to: number): Promise<{ rows: number[] }>;
  summary(report: number): Promise<Summary>;
  diff(): Promise<DiffAnswer>;
  path(report: number, from: number | null, to: number | null): Promise<{ pieces: number; length: number }>;
  query(sql: string, report: number, limit: number): Promise<QueryAnswer>;
  /** Counts for tests and for the frame benchmark. */
  counters: { requests: number; pending: number; aborted: number; failed: number; slowest: number; slowestPath: string };
}

/** One tile, as views of the answer's bytes. Which columns are filled depends on the style. */
interface Tile {
  row: number;
  level: number;
  index: number;
  version: number;
  style: number;
  sketch: boolean;
  count: number;
  lanes: number;
  base: number;
  unit: number;
  bytes: number;
  /** Offset of the first element of each lane, and the count. */
  laneAt: Uint32Array;
  start: Uint32Array;
  width: Uint32Array;
  name: Uint32Array;
  id: Uint32Array;
  events: Uint32Array;
  flags: Uint16Array;
  min: Float64Array;
  max: Float64Array;
  last: Float64Array;
  busy: Float32Array;
}

/** A tile that shows the time from `from` to `to`. It may be of a coarser level than asked for. */
interface Segment {
  tile: Tile;
  from: number;
  to: number;
}

/** Where a row is drawn, in CSS pixels from the top of all rows. */
interface Placed {
  row: Row;
  top: number;
  height: number;
  laneHeight: number;
  depth: number;
}

/** What is drawn at a point. */
interface Hit {
  ref: EventRef;
  lane: number;
  name: number;
  events: number;
  flags: number;
  start: number;
  end: number;
}

interface Mark {
  time: number;
  note: string;
}

interface Area extends Span {
  row: number | null;
}

/** What drawing needs: a canvas, or an SVG document. All numbers are device pixels. */
interface Pen {
  width: number;
  height: number;
  ratio: number;
  pixels: Uint32Array;
  /** A picture of `rows` lines, stretched to `height`. Returns the offset of its first pixel in `pixels`. */
  raster(y: number, height: number, rows: number): number;
  rect(x: number, y: number, width: number, height: number, color: string): void;
  outline(x: number, y: number, width: number, height: number, color: string, thickness: number): void;
  hatch(x: number, y: number, width: number, height: number, pattern: number, color: string): void;
  text(x: number, baseline: number, text: string, color: string): void;
  measure(text: string): number;
  flush(): void;
}

interface Command {
  id: string;
  title: string;
  keys: string[];
  group?: string;
  run(event?: KeyboardEvent): void;
}

/** The whole page, as its parts see it. */
interface App {
  page: string;
  reports: RowsAnswer['reports'];
  utcStart: number | null;
  isReady: boolean;
  isExact: boolean;
  source: Source;
  theme: import('./colors.js').Theme;
  viewport: import('./viewport.js').Viewport;
  tree: import('./rows.js').RowTree;
  names: import('./names.js').Names;
  cache: import('./tile_cache.js').TileCache;
  marks: import('./marks.js').Marks;
  timeline: import('./timeline.js').Timeline;
  selection: import('./selection.js').Selection;
  emptyRows: import('./empty_rows.js').EmptyRows;
  search: import('./search.js').Search;
  rowList: import('./row_list.js').RowList;
  pointer: import('./pointer.js').Pointer;
  drawer: import('./drawer.js').Drawer;
  url: import('./url_state.js').UrlState;
  notebook: import('./notebook.js').Notebook;
  commands: Command[];
  refresh(): Promise<void>;
  say(text: string): void;
  report(error: unknown): void;
  announce(text: string): void;
  showTimeline(): void;
  showStart(): void;
  showKernel(report: number, name: string): Promise<void>;
  showOperators(report: number, module: string, isPart: boolean): Promise<void>;
  kernels: import('./kernel_page.js').KernelPage;
  operators: import('./operator_page.js').OperatorPage;
  switchTheme(): void;
}

// The page of a job of many ranks. Ranks are identified by their index in `RunAnswer.ranks`; times are on the common clock.

interface RunRank {
  rank: number;
  job: string;
  node: string;
  attempt: number;
  report: number;
  from: number;
  to: number;
  /** ns; null: its clock cannot be compared with the others. */
  clock_error: number | null;
  /** ns by state, the sums of its GPUs. Waits for other ranks are part of communication. */
  times: number[];
  waited: number;
  late: number;
  delay: number;
  cause: string;
  steps: string;
}

interface RunAnswer {
  version: number;
  complete: boolean;
  name: string;
  has_ranks: boolean;
  has_collectives: boolean;
  has_path: boolean;
  states: { name: string; label: string }[];
  span: Span;
  reports: string[];
  ranks: RunRank[];
  left_out: string[];
  remarks: string[];
  faults: string[];
}

interface Heat {
  ranks: number;
  columns: number;
  start: number;
  width: number;
  values: Uint8Array;
}

interface RunSteps {
  found_by: string;
  /** From, to, least, first quartile, median, third quartile, most, the rank with the most, number of ranks. */
  steps: [number, number, number, number, number, number, number, number | null, number][];
}

interface RunWaits {
  by: 'rank' | 'node';
  /** Who, for whom, ns, operations, ns of the longest. */
  rows: [number | string, number | string, number, number, number][];
  more: number;
}

interface RunPath {
  begin: number;
  elapsed: number;
  units: { rank: number | null; index: number | null; time: number }[];
  /** From, to, unit, kind. */
  strip: [number, number, number, string][];
  /** Unit, kind, name, ns, number of pieces. */
  sums: [number, string, string, number, number][];
  more: number;
}

interface RunVerdict {
  verdict: { name: string; sentence: string; span: number } | null;
  job: string[];
  findings: { rule: string; sentence: string; evidence: string; remedy: string; share: number; at_stake: number; savings: number;
    rank: number | null; where: { from: number; to: number } | null }[];
}

interface RunPlace {
  report: number;
  time: number;
  collective: { operation: string; communicator: string; from: number; to: number; marks: { time: number; note: string }[] } | null;
}

interface RunSource {
  counters: { requests: number; pending: number };
  run(): Promise<RunAnswer>;
  heat(state: string, v: number): Promise<ArrayBuffer>;
  steps(): Promise<RunSteps>;
  path(): Promise<RunPath>;
  verdict(): Promise<RunVerdict>;
  similar(v: number): Promise<{ order: number[] }>;
  waits(parameters: Record<string, string>): Promise<RunWaits>;
  place(rank: number, time: number): Promise<RunPlace>;
}

/** The page of a job, as its parts see it. */
interface RunApp {
  source: RunSource;
  theme: import('./colors.js').Theme;
  viewport: import('./viewport.js').Viewport;
  heat: import('./run_heat.js').HeatView;
  bands: import('./run_bands.js').StepBands;
  commands: Command[];
  run: RunAnswer | null;
  steps: RunSteps | null;
  path: RunPath | null;
  state: string;
  sort: string;
  /** The chosen rank: an index. */
  rank: number | null;
  /** The chosen time. */
  time: number;
  area: Span | null;
  /** Where the pointer is over the plots, in pixels of the screen. */
  pointer: number | null;
  invalidate(): void;
  timeAt(x: number): number;
  shade(context: CanvasRenderingContext2D, span: Span, height: number): void;
  choose(rank: number, time: number): void;
  selectArea(area: Span | null): void;
  setSort(sort: string): void;
  setState(state: string): void;
  open(inNewTab: boolean): Promise<void>;
  showTip(event: PointerEvent, text: string): void;
  hideTip(): void;
  announce(text: string): void;
  report(error: unknown): void;
  switchTheme(): void;
}
