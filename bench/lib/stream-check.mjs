/** Reads a whole HTTP response and says whether it is one complete run. Pure. */

import { DELTAS, EVENTS } from '../work.mjs';

/** Bytes behind the last chunk of a chunked body. */
export const LAST_CHUNK = Buffer.from('0\r\n\r\n');

/** Characters of a broken stream to show. */
const SAMPLE = 600;

const DELTA = '{"type":"text_delta"';

/**
 * The body's size in bytes when the response is a 200 with dense ids from 0, `run_start` first, DELTAS text deltas and
 * `run_finish` last; else what is wrong with it.
 * @param {Buffer} response head and chunked body
 * @returns {{ ok: true, bytes: number } | { ok: false, fault: string, sample?: string }} `sample`: the end of what came
 */
export function checkRun(response) {
  const text = response.toString('latin1');
  const headEnd = text.indexOf('\r\n\r\n');
  if (!text.startsWith('HTTP/1.1 200 ')) return { ok: false, fault: text.slice(0, text.indexOf('\r\n')) };
  const body = unchunk(text, headEnd + 4);
  if (body === undefined) return { ok: false, fault: 'the body is not chunked as it should be' };
  const fault = checkFrames(body);
  if (fault === undefined) return { ok: true, bytes: body.length };
  return { ok: false, fault, sample: body.slice(-SAMPLE) };
}

/** @param {string} text @param {number} at @returns {string | undefined} */
function unchunk(text, at) {
  let body = '';
  for (;;) {
    const lineEnd = text.indexOf('\r\n', at);
    const size = lineEnd < 0 ? NaN : parseInt(text.slice(at, lineEnd), 16);
    if (!(size >= 0)) return undefined;
    if (size === 0) return body;
    body += text.slice(lineEnd + 2, lineEnd + 2 + size);
    at = lineEnd + 2 + size + 2;
  }
}

/** @param {string} body @returns {string | undefined} */
function checkFrames(body) {
  let [at, seq, deltas] = [0, 0, 0];
  for (; at < body.length; seq++) {
    const head = `id: ${seq}\ndata: `;
    const end = body.indexOf('\n\n', at);
    if (!body.startsWith(head, at) || end < 0) return `frame ${seq} is not what it should be`;
    const data = at + head.length;
    if (body.startsWith(DELTA, data)) deltas++;
    if (seq === 0 && !body.startsWith('{"type":"run_start"', data)) return 'the first event is not run_start';
    at = end + 2;
    if (at === body.length && !body.startsWith('{"type":"run_finish"', data)) return 'the last event is not run_finish';
  }
  if (deltas !== DELTAS) return `${deltas} text deltas, not ${DELTAS}`;
  return seq === EVENTS ? undefined : `${seq} events, not ${EVENTS}`;
}
