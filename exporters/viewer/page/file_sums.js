// Sums by name of the events in a page that is one file, for parts of its time. prof stats has the same for these events.

/** @typedef {import('./file_data.js').Events} Events */

/** This statistic is of any part, and of all kinds of rows. */
export const BY_NAME = { name: 'events_by_name', title: 'Events by Name' };

/**
 * Which kinds of rows a statistic is about, by the beginning of its name.
 * @type {[string, string[]][]}
 */
const KINDS = [['cuda_gpu_kern', ['kernels']], ['cuda_gpu_mem', ['copies', 'fills']], ['cuda_gpu', ['kernels', 'copies', 'fills', 'graphs']],
  ['cuda_api', ['cuda_api']], ['nvtx', ['nvtx']], ['osrt', ['osrt']], ['cpu_sample', ['samples']], ['python_sample', ['python_samples']],
  ['syscall', ['syscall']], ['thread_state', ['state']]];

const COLUMNS = [['Total Time (ns)', 'integer', 0], ['Count', 'integer', 0], ['Avg (ns)', 'real', 1], ['Med (ns)', 'real', 1], ['Min (ns)', 'integer', 0],
  ['Max (ns)', 'integer', 0], ['Kind', 'text', 0], ['Name', 'text', 0]].map(([header, kind, decimals]) => (
  { header: String(header), kind: String(kind), decimals: Number(decimals) }));

/** @param {number[]} sorted */
function median(sorted) {
  return (sorted[(sorted.length - 1) >> 1] + sorted[sorted.length >> 1]) / 2;
}

/**
 * @param {{rows?: RowsAnswer, events?: Map<number, Events>, nameOf(number: number): string}} data
 * @param {string} statistic
 * @param {number} from @param {number} to @param {number} report
 * @returns {StatisticTable}
 */
export function sumsByName(data, statistic, from, to, report) {
  const kinds = KINDS.find(([begin]) => statistic.startsWith(begin))?.[1];
  /** @type {Map<string, number[]>} */
  const durations = new Map();
  for (const row of data.rows?.rows ?? []) {
    const events = data.events?.get(row.id);
    if (!events || (row.report ?? 0) !== report || (kinds && !kinds.includes(row.kind))) continue;
    for (let i = 0; i < events.start.length; i += 1) {
      if (events.start[i] > to || events.start[i] + events.duration[i] < from) continue;
      const key = `${row.kind}\n${data.nameOf(events.name[i])}`;
      const list = durations.get(key);
      if (list) list.push(events.duration[i]);
      else durations.set(key, [events.duration[i]]);
    }
  }
  const rows = [...durations].map(([key, list]) => {
    list.sort((a, b) => a - b);
    const total = list.reduce((sum, each) => sum + each, 0);
    const [kind] = key.split('\n', 1);
    return [total, list.length, total / list.length, median(list), list[0], list[list.length - 1], kind.replaceAll('_', ' '), key.slice(kind.length + 1)];
  }).sort((a, b) => Number(b[0]) - Number(a[0]) || Number(b[1]) - Number(a[1]));
  const reason = statistic === BY_NAME.name || kinds ? '' : `${statistic} of a part is computed from the report, which is not in this file: `
    + 'prof view REPORT shows it. These are the events of the part. ';
  return { ...BY_NAME, columns: COLUMNS, rows, more: 0, note: `${reason}Events that overlap the part count with all of their time.` };
}
