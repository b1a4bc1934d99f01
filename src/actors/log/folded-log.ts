/**
 * The whole log of an ended run as one text, and back (DESIGN, row `E rno F`). Lossless: every event with its number, its
 * millisecond and its data, and with them the encoders' state, so that the frames of every surface are the same bytes.
 *
 * `[1, t0, item, item …]`. An item is an event, or consecutive deltas of one part:
 * - `[type, ms, data]`
 * - `[type, [ms …], text, [length …]]`, for calls with their id behind it: the text is stored once, and the lengths say
 *   where it was cut (UTF-16 units).
 *
 * `ms` counts from the event before. The answer in `run_finish` is the number of the item that has its text, when one has.
 * The encoders' state is not stored: it follows from the events. Nor is where a chunk ended: no frame shows it.
 *
 * The form is replayed for ever: kinds of items may be added, none changed.
 */

import { advance, initialEncoderState, type LogChunk, type StoredEvent } from '../events.js';

type DeltaType = 'text_delta' | 'reasoning_delta' | 'tool_call_delta';
type DeltasItem = [type: DeltaType, ms: number[], text: string, lengths: number[], id?: string];
type EventItem = [type: StoredEvent[0], ms: number, data: unknown];
type Item = EventItem | DeltasItem;
type Folded = [version: 1, t0: number, ...items: Item[]];

/** Events of a chunk that is read from a folded log. */
const PIECE = 256;

/** The log as one text. `chunks` are all of them, from event 0 to `run_finish`. */
export function foldLog(chunks: readonly LogChunk[]): string {
  const t0 = chunks[0]!.t0;
  const items: Item[] = [];
  let last = t0;
  for (const chunk of chunks)
    for (const [type, dt, data] of chunk.events) {
      const at = chunk.t0 + dt;
      add(items, type, at - last, data);
      last = at;
    }
  return JSON.stringify([1, t0, ...items] satisfies Folded);
}

function add(items: Item[], type: StoredEvent[0], ms: number, data: object): void {
  const delta = deltaOf(type, data);
  if (!delta) return void items.push([type, ms, type === 'run_finish' ? withoutAnswer(data, items) : data]);
  const open = items.at(-1);
  if (open?.[0] !== delta.type || !isDeltas(open) || open[4] !== delta.id) {
    const call = delta.id === undefined ? ([] as const) : ([delta.id] as const);
    items.push([delta.type, [ms], delta.text, [delta.text.length], ...call]);
    return;
  }
  open[1].push(ms);
  open[2] += delta.text;
  open[3].push(delta.text.length);
}

/** A delta and nothing else: an event with more to it, or in another order, is kept as it is. */
function deltaOf(type: string, data: object): { type: DeltaType; text: string; id?: string } | undefined {
  const { delta, id, args_delta: args } = data as Record<string, unknown>;
  const fields = Object.keys(data).join();
  if ((type === 'text_delta' || type === 'reasoning_delta') && fields === 'delta' && typeof delta === 'string')
    return { type, text: delta };
  if (type === 'tool_call_delta' && fields === 'id,args_delta' && typeof id === 'string' && typeof args === 'string')
    return { type, text: args, id };
  return undefined;
}

type Finish = { result: { response: unknown } | null };

/** The end of the run, its answer replaced by where it stands already. */
function withoutAnswer(data: object, items: readonly Item[]): object {
  const { result } = data as Finish;
  const at = items.findLastIndex((item) => item[0] === 'text_delta');
  return result && at >= 0 && items[at]![2] === result.response
    ? { ...data, result: { ...result, response: at } }
    : data;
}

/** The chunks from the one that holds event `after + 1` on. Throws when the text is not that of a folded log. */
export function unfoldLog(text: string, after: number): LogChunk[] {
  const [version, t0, ...items] = JSON.parse(text) as Folded;
  if (version !== 1) throw new RangeError(`a folded log of version ${String(version)}`);
  const chunks: LogChunk[] = [];
  let chunk: LogChunk = { n: 0, t0, enc: initialEncoderState, events: [] };
  let enc = initialEncoderState;
  let at = t0;
  for (const [type, ms, data] of eventsOf(items)) {
    at += ms;
    if (!Number.isFinite(at)) throw new RangeError('an event of a folded log has no time');
    if (chunk.events.length === PIECE) {
      if (chunk.n + PIECE > after + 1) chunks.push(chunk);
      chunk = { n: chunk.n + PIECE, t0: at, enc, events: [] };
    }
    const event = [type, at - chunk.t0, data] as StoredEvent;
    enc = advance(enc, event);
    chunk.events.push(event);
  }
  if (chunk.n + chunk.events.length > after + 1) chunks.push(chunk);
  return chunks;
}

function* eventsOf(items: readonly Item[]): Generator<EventItem> {
  for (const item of items) {
    if (isDeltas(item)) yield* deltasOf(item);
    else if (item[0] === 'run_finish') yield ['run_finish', item[1], withAnswer(item[2] as Finish, items)];
    else yield item;
  }
}

function* deltasOf([type, times, text, lengths, id]: DeltasItem): Generator<EventItem> {
  let from = 0;
  for (const [i, ms] of times.entries()) {
    const to = from + lengths[i]!;
    const delta = text.slice(from, to);
    yield [type, ms, type === 'tool_call_delta' ? { id, args_delta: delta } : { delta }];
    from = to;
  }
}

function withAnswer(data: Finish, items: readonly Item[]): object {
  const { result } = data;
  return typeof result?.response === 'number'
    ? { ...data, result: { ...result, response: items[result.response]![2] } }
    : data;
}

const isDeltas = (item: Item): item is DeltasItem => Array.isArray(item[1]);
