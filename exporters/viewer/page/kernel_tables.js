// What the statistics say about one kernel. All figures of the page of a kernel come from these tables.

/**
 * @typedef {Record<string, string | number | null>} Line a row by the headers of its columns
 * @typedef {{name: string, sections: {title: string, metrics: [string, string][]}[], tables: Record<string, StatisticTable>}} KernelFigures
 */

/** Statistics with rows of one kernel. */
const OF_KERNEL = ['kernel_occupancy', 'kernel_rules', 'kernel_profile_sum', 'kernel_metrics', 'kernel_roofline', 'kernel_memory', 'kernel_stalls',
  'kernel_source_lines', 'pc_sampling_sum', 'pc_sampling_lines', 'pc_sampling_sass'];
const LAUNCH = ['GridXYZ', 'BlockXYZ', 'PID', 'Device'];

/**
 * The rows of a statistic as objects.
 * @param {Figures | undefined} table
 * @returns {Line[]}
 */
export function linesOf(table) {
  return (table?.rows ?? []).map((row) => Object.fromEntries(row.map((value, i) => [table?.columns[i].header ?? '', value])));
}

/**
 * A value as a number; 0 if there is none.
 * @param {string | number | null | undefined} value
 */
export function numberOf(value) {
  return typeof value === 'number' ? value : 0;
}

/**
 * Which launch a row is about: kernels have metrics for each grid, block, process and device.
 * @param {Line} line
 */
export function launchOf(line) {
  return LAUNCH.map((header) => String(line[header] ?? '')).join(' | ');
}

/**
 * The rows of one launch configuration, with the columns that differ between its rows.
 * @param {StatisticTable | undefined} table @param {string} launch
 * @returns {StatisticTable | undefined}
 */
export function ofLaunch(table, launch) {
  if (!table) return undefined;
  const lines = linesOf(table);
  return withoutColumns({ ...table, rows: table.rows.filter((_, i) => launchOf(lines[i]) === launch) }, ['Name', ...LAUNCH]);
}

/**
 * @param {StatisticTable} table @param {string[]} headers of the columns that the result lacks
 * @returns {StatisticTable}
 */
export function withoutColumns(table, headers) {
  const left = table.columns.flatMap(({ header }, i) => (headers.includes(header) ? [] : [i]));
  return { ...table, columns: left.map((i) => table.columns[i]), rows: table.rows.map((row) => left.map((i) => row[i])) };
}

/**
 * All kernels of a report, those with the most time first.
 * @param {Source} source @param {number} report
 */
export async function listKernels(source, report) {
  const known = new Set((await source.statistics(report)).statistics.map(({ name }) => name));
  const ask = async (/** @type {string} */ name) => (known.has(name) ? linesOf(await source.statistic(name, null, null, report, '')) : []);
  const [times, profiles, samples] = await Promise.all([ask('cuda_gpu_kern_sum'), ask('kernel_profile_sum'), ask('pc_sampling_sum')]);
  /** @type {Map<string, {name: string, share: number, text: string, hasDetails: boolean}>} */
  const kernels = new Map();
  const entry = (/** @type {Line} */ line) => {
    const name = String(line['Name'] ?? '');
    const found = kernels.get(name) ?? { name, share: 0, text: '', hasDetails: false };
    kernels.set(name, found);
    return found;
  };
  for (const line of times) entry(line).share += numberOf(line['Time (%)']) / 100;
  for (const line of samples) {
    const found = entry(line);
    if (!found.text && line['Stall'] !== 'selected') found.text = `${line['Stall']} ${numberOf(line['Kernel (%)']).toFixed(1)} % of samples`;
    found.hasDetails = true;
  }
  for (const line of profiles) Object.assign(entry(line), { text: String(line['Verdict'] ?? ''), hasDetails: true });
  return [...kernels.values()];
}

/**
 * @param {Source} source @param {number} report @param {string} name @param {string[]} wanted statistics
 * @returns {Promise<KernelFigures>}
 */
export async function figuresOfKernel(source, report, name, wanted = OF_KERNEL) {
  const known = new Set((await source.statistics(report)).statistics.map((each) => each.name));
  const asked = wanted.filter((each) => known.has(each));
  const [{ sections }, ...answers] = await Promise.all([source.sections(), ...asked.map((each) => source.statistic(each, null, null, report, name))]);
  return { name, sections, tables: Object.fromEntries(asked.map((each, i) => [each, answers[i]])) };
}
