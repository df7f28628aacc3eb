// Makes all requests of the page. In a page that was saved as one file, another module with the
// same exports replaces this one.

/** The time from a request to its answer from which on the server is far. On one machine it is 1 ms. */
const FAR_MS = 15;
/** The rows of kernels: their metrics, or their machine instructions. */
const MOST_ROWS = 100000;

/** A request that failed, with a text for the user. */
export class Failure extends Error {
  /** @param {string} text @param {number} status */
  constructor(text, status) {
    super(text);
    this.status = status;
  }
}

/**
 * The source that all data of the page comes from.
 * @returns {Source}
 */
export function openSource() {
  const counters = { requests: 0, pending: 0, aborted: 0, failed: 0, slowest: 0, slowestPath: '' };
  const folder = new URL('api/', document.baseURI);
  const z = isFar() ? 1 : null;
  /**
   * Which opening of the report this is, if the page of a job opened it. It may close it again.
   * @type {number | null}
   */
  let opening = null;

  /**
   * @param {string} path
   * @param {Record<string, string | number | null | undefined>} parameters
   * @param {AbortSignal} [signal]
   */
  async function request(path, parameters, signal) {
    const url = new URL(path, folder);
    for (const [key, value] of Object.entries({ ...parameters, opening })) {
      if (value !== null && value !== undefined) url.searchParams.set(key, String(value));
    }
    const begin = performance.now();
    counters.requests += 1;
    counters.pending += 1;
    try {
      const response = await fetch(url, { signal });
      if (!response.ok) throw await failureOf(response);
      return response;
    } catch (error) {
      if (signal?.aborted) counters.aborted += 1;
      else counters.failed += 1;
      if (error instanceof Failure || signal?.aborted) throw error;
      throw new Failure('prof view does not answer. Is it still running? Start it again and open its new address.', 0);
    } finally {
      counters.pending -= 1;
      const took = performance.now() - begin;
      if (!signal?.aborted && took > counters.slowest) {
        counters.slowest = took;
        counters.slowestPath = url.pathname.replace(/.*\/api\//, '') + url.search;
      }
    }
  }

  /** @param {string} path @param {Record<string, any>} [parameters] @returns {Promise<any>} */
  async function json(path, parameters = {}) {
    return (await request(path, parameters)).json();
  }

  return {
    counters,
    rows: async () => {
      const answer = await json('rows');
      opening = answer.opening ?? null;
      return answer;
    },
    names: (from) => json('names', { from }),
    tiles: async (rows, level, index, version, signal) =>
      (await request('tile', { rows: rows.join(','), level, index, v: version, z }, signal)).arrayBuffer(),
    event: (ref) => json('event', { row: ref.row, source: ref.source, id: ref.id }),
    find: (q, after, limit, rows) => json('find', { q, after, limit, rows: rows.length ? rows.join(',') : null }),
    events: (query) => json('events', { ...query }),
    statistics: (report) => json('statistics', { report }),
    statistic: (name, from, to, report, kernel) => json('statistic', { name, from, to, report, kernel, limit: kernel === undefined ? null : MOST_ROWS }),
    sections: () => json('sections'),
    sourceText: (report, file) => json('source', { report, file }),
    flame: (kind, row, from, to) => json('flame', { kind, row, from, to }),
    used: (from, to) => json('used', { from, to }),
    summary: (report) => json('summary', { report }),
    diff: () => json('diff'),
    path: (report, from, to) => json('path', { report, from, to }),
    query: (sql, report, limit) => json('query', { sql, report, limit }),
  };
}

/** Whether the page took so long to come that tiles are worth being compressed: through a tunnel. */
function isFar() {
  const [page] = performance.getEntriesByType('navigation');
  return page instanceof PerformanceNavigationTiming && page.responseStart - page.requestStart > FAR_MS;
}

/** @param {Response} response */
async function failureOf(response) {
  try {
    return new Failure(String((await response.json()).error), response.status);
  } catch {
    return new Failure(`prof view answered with status ${response.status}.`, response.status);
  }
}
