// Makes the requests of the page of a job.

/** @returns {RunSource} */
export function openRunSource() {
  const folder = new URL('api/', document.baseURI);
  const counters = { requests: 0, pending: 0 };

  /** @param {string} name @param {Record<string, string | number>} [parameters] */
  async function request(name, parameters = {}) {
    const url = new URL(name, folder);
    for (const [key, value] of Object.entries(parameters)) url.searchParams.set(key, String(value));
    counters.requests += 1;
    counters.pending += 1;
    try {
      const response = await fetch(url).catch(() => {
        throw new Error('prof view does not answer. Is it still running? Start it again and open its new address.');
      });
      if (!response.ok) throw new Error(await failureOf(response));
      return response;
    } finally {
      counters.pending -= 1;
    }
  }

  /** @param {string} name @param {Record<string, string | number>} [parameters] */
  const json = async (name, parameters) => (await request(name, parameters)).json();
  return {
    counters,
    run: () => json('run'),
    heat: async (state, v) => (await request('heat', { state, v, z: 1 })).arrayBuffer(),
    steps: () => json('steps'),
    path: () => json('path'),
    verdict: () => json('verdict'),
    similar: (v) => json('similar', { v }),
    waits: (parameters) => json('waits', parameters),
    place: (rank, time) => json('place', { rank, time: Math.round(time) }),
  };
}

/** @param {Response} response */
async function failureOf(response) {
  try {
    return String((await response.json()).error);
  } catch {
    return `prof view answered with status ${response.status}.`;
  }
}
