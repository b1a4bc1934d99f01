import { describe, expect, it } from 'vitest';
import { AgentServerError, ErrorCode } from '../errors.js';
import { answerOf, HttpRefusal } from './errors.js';

/** The statuses of the contract, written out: the map in the code is compared with them, not with itself. */
const statuses: [ErrorCode, number][] = [
  ['bad_request', 400],
  ['run_not_active', 400],
  ['forbidden', 403],
  ['agent_not_found', 404],
  ['run_not_found', 404],
  ['thread_not_found', 404],
  ['entry_not_found', 404],
  ['conflict', 409],
  ['events_expired', 410],
  ['too_many', 429],
  ['storage_unavailable', 503],
  ['not_initialised', 500],
  ['internal', 500],
];

describe('answerOf', () => {
  it('knows every code', () => expect(statuses.map(([code]) => code).sort()).toEqual(Object.values(ErrorCode).sort()));

  it.each(statuses)('%s is %i', (code, status) =>
    expect(answerOf(new AgentServerError(code, 'words')).status).toBe(status),
  );

  it.each(['too_many', 'storage_unavailable'] as const)('%s says when to come back', (code) =>
    expect(answerOf(new AgentServerError(code, 'words')).headers).toEqual({ 'retry-after': '1' }),
  );

  it.each([
    [new Error('/etc/secret: ENOENT')],
    [new AgentServerError(ErrorCode.internal, 'at line 7')],
    [Object.assign(new Error('x'), { status: 404, expose: true })],
    ['a text'],
    [undefined],
    [null],
  ])('tells nothing of a fault of ours: %s', (error) =>
    expect(answerOf(error)).toEqual({ status: 500, message: 'internal error', headers: {}, fault: true }),
  );

  it('passes refusals of HTTP on', () =>
    expect(answerOf(new HttpRefusal(401, 'no', { a: 'b' }))).toEqual({
      status: 401,
      message: 'no',
      headers: { a: 'b' },
      fault: false,
    }));
});
