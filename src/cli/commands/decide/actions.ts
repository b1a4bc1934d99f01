/**
 * `decide`: an answer to a tool call that waits.
 *
 * The server takes a decision for a call that does not wait and ignores it (CONTRACT 5.4). Here that is an error, and so
 * is an answer of the wrong kind: to approve a call in doubt would tell the model that it happened.
 */

import { randomUUID } from 'node:crypto';
import { conflict, usage, type Approval, type Client, type Decision, type JsonValue } from '../../client/index.js';
import { offsetPages, PAGE } from '../../lists/pages.js';
import { printOutcome } from '../../output/print.js';
import type { CommonOptions, Session } from '../../session/session.js';

export type Verdict = 'approve' | 'deny' | 'answer';
type DecideOptions = CommonOptions & { result?: string };

export async function decide(
  session: Session,
  options: DecideOptions,
  run: string,
  call: string,
  verdict: Verdict,
): Promise<void> {
  const result = readResult(options.result, verdict);
  const client = await session.client();
  const pending = await pendingCall(client, run, call);
  const decision = toDecision(pending, verdict, result, options.reason);
  const { thread_id } = await client.decide(run, [decision], options);
  const item = {
    run_id: run,
    thread_id,
    tool_call_id: pending.tool_call_id,
    decision_id: decision.decision_id,
    decision: verdict,
  };
  const done = { approve: 'approved', deny: 'denied', answer: 'answered' }[verdict];
  const sentence = `${pending.name} (${pending.tool_call_id}) of run ${run} is ${done}`;
  await printOutcome(session, { kind: 'Decision', item, names: [run, pending.tool_call_id], sentence });
}

/** Throws a usage error for a verdict that does not go with what is asked. */
export function toDecision(
  { name, tool_call_id, suspension: { kind } }: Pick<Approval, 'name' | 'tool_call_id' | 'suspension'>,
  verdict: Verdict,
  result: JsonValue,
  reason?: string,
): Decision {
  const given = { target_id: tool_call_id, decision_id: randomUUID(), ...(reason === undefined ? {} : { reason }) };
  if (verdict === 'deny') return { ...given, action: 'cancel' };
  if (verdict === 'approve') {
    if (kind === 'approval') return { ...given, action: 'resume', result: { approved: true } };
    throw usage(`${name} waits for an answer (${kind}), not for approval`, "answer --result '…'");
  }
  if (kind !== 'approval') return { ...given, action: 'resume', result };
  throw usage(`${name} waits for approval, not for an answer`, 'approve, or deny');
}

/** Throws `CliError`: the run is not there, has ended, or does not wait for this call. */
async function pendingCall(client: Client, run: string, call: string): Promise<Approval> {
  const of: Approval[] = [];
  for await (const { items } of offsetPages<Approval>(client, '/v1/approvals')({}, PAGE)) {
    of.push(...items.filter(({ run_id }) => run_id === run));
    const found = of.find(({ tool_call_id, suspension }) => tool_call_id === call || suspension.id === call);
    if (found) return found;
  }
  const { status } = await client.run(run);
  if (status === 'done') throw conflict(`run ${run} is done`);
  const others = of.map(({ tool_call_id }) => tool_call_id);
  throw conflict(
    `run ${run} does not wait for ${call}`,
    others.length > 0 ? `it waits for ${others.join(', ')}` : undefined,
  );
}

function readResult(text: string | undefined, verdict: Verdict): JsonValue {
  if (verdict !== 'answer') {
    if (text !== undefined) throw usage(`--result goes with answer, not with ${verdict}`);
    return null;
  }
  if (text === undefined) throw usage('answer needs --result JSON');
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    throw usage(`--result: expected JSON, got ${text}`, `for a text: --result '"${text.replaceAll(/["'\\]/g, '')}"'`);
  }
}
