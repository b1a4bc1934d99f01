/** The comparison of answers with the document finds what it is there to find: a check that cannot fail is none. */

import { describe, expect, it } from 'vitest';
import { faultOf, type GivenAnswer } from '../support/documented.js';

const run = {
  run_id: 'r',
  thread_id: 't',
  agent_id: 'a',
  parent_run_id: null,
  parent_thread_id: null,
  origin: 'user',
  status: 'done',
  termination_code: 'natural',
  termination_detail: null,
  created_at: 1,
  updated_at: 1,
  metadata: null,
  input_tokens: 0,
  output_tokens: 0,
  source_mailbox_entry_id: null,
  resource_id: null,
};
const event = { type: 'text_delta', run_id: 'r', thread_id: 't', seq: 0, timestamp_ms: 1, data: { delta: 'x' } };
const { agent_id: _, ...incomplete } = run;

const answer = (url: string, body: unknown, more: Partial<GivenAnswer> = {}): GivenAnswer => ({
  method: 'GET',
  url,
  status: 200,
  type: 'application/json; charset=utf-8',
  body: typeof body === 'string' ? body : JSON.stringify(body),
  ...more,
});
const stream = (...events: object[]): GivenAnswer =>
  answer('/v1/runs/r/events', events.map((data, i) => `id: ${i}\ndata: ${JSON.stringify(data)}\n\n`).join(''), {
    type: 'text/event-stream; charset=utf-8',
  });

describe('faultOf', () => {
  it.each<[string, GivenAnswer]>([
    ['a record', answer('/v1/runs/r', run)],
    ['an error', answer('/v1/runs/r', { error: 'run not found: r' }, { status: 404 })],
    ['an unknown route', answer('/v2', { error: 'no such route: /v2' }, { status: 404 })],
    ['another method', answer('/v1/runs/r', { error: 'method not allowed' }, { method: 'PUT', status: 405 })],
    ['no body', answer('/v1/threads/t', '', { method: 'DELETE', status: 204, type: '' })],
    ['events', stream(event, { ...event, seq: 1 })],
    ['an event that was cut off', { ...stream(event), body: `${stream(event).body}id: 1\ndata: {"ty` }],
  ])('passes %s', (_name, given) => expect(faultOf(given)).toBeUndefined());

  it.each<[string, GivenAnswer, RegExp]>([
    ['a field that is missing', answer('/v1/runs/r', incomplete), /must have required property 'agent_id'/],
    ['a field too many', answer('/v1/runs/r', { ...run, tno: 1 }), /must NOT have additional properties/],
    ['a word that is none', answer('/v1/runs/r', { ...run, status: 'idle' }), /allowed values/],
    ['a status nobody documented', answer('/v1/runs/r', run, { status: 202 }), /documents/],
    ['another media type', answer('/v1/runs/r', run, { type: 'text/plain' }), /text\/plain/],
    ['no JSON', answer('/v1/runs/r', '<html>'), /no JSON/],
    ['an error without its text', answer('/v1/runs/r', { message: 'x' }, { status: 404 }), /error/],
    ['a route nobody documented', answer('/v1/hidden', {}), /expected 404/],
    ['a body of nothing', answer('/v1/threads/t', '{}', { method: 'DELETE', status: 204, type: '' }), /a body/],
    ['an event of no type', stream(event, { ...event, type: 'secret' }), /event/],
    ['an event with other data', stream({ ...event, data: { text: 'x' } }), /event/],
  ])('finds %s', (_name, given, fault) => expect(faultOf(given)).toMatch(fault));
});
