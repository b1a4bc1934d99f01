/** Random pages of lists: any mix of filters, any offset, both orders; the same ones for the same seed. */

/** @typedef {{ list: 'runs' | 'summaries', path: string, filter: import('./naive.mjs').Filter }} Query */

/** Numbers of [0, 1), the same for a seed (mulberry32). @param {number} seed */
export function random(seed) {
  return () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

/** @param {() => number} next @param {import('./records.mjs').Records} records @returns {Query} */
export function randomQuery(next, records) {
  const pick = (/** @type {number} */ n) => Math.floor(next() * n);
  const maybe = (/** @type {number} */ share) => next() < share;
  const limit = [1, 20, 50, 200][pick(4)] ?? 50;
  if (maybe(0.2)) {
    const resource = records.resourceOf(pick(records.threads));
    const filter = maybe(0.5) && resource !== null ? { resource_id: resource } : {};
    return query('summaries', '/v1/threads/summaries', { ...filter, limit, offset: maybe(0.5) ? 0 : pick(1000) });
  }
  const some = records.run(pick(records.runs));
  const other = records.run(pick(records.runs));
  /** @type {import('./naive.mjs').Filter} */
  const filter = { limit, order: maybe(0.5) ? 'asc' : 'desc' };
  for (const name of /** @type {const} */ (['agent_id', 'origin', 'termination_code', 'status']))
    if (maybe(0.3)) filter[name] = /** @type {string} */ (some[name]);
  if (maybe(0.1)) filter.thread_id = some.thread_id;
  if (maybe(0.1) && some.resource_id !== null) filter.resource_id = some.resource_id;
  if (maybe(0.05)) filter.parent_run_id = some.run_id;
  if (maybe(0.2)) filter.created_at_from = Math.min(some.created_at, other.created_at);
  if (maybe(0.2)) filter.created_at_to = Math.max(some.created_at, other.created_at);
  if (maybe(0.2)) filter.updated_at_from = other.updated_at;
  filter.offset = maybe(0.6) ? 0 : pick(maybe(0.5) ? 1000 : records.runs);
  return query('runs', '/v1/runs', filter);
}

/** @param {Query['list']} list @param {string} route @param {import('./naive.mjs').Filter} filter @returns {Query} */
function query(list, route, filter) {
  const search = Object.entries(filter).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  return { list, filter, path: `${route}?${search.join('&')}` };
}
