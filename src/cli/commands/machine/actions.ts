/** `machine` and `runs machine`: a machine drawn from its definition, with the live state of an actor when there is one. */

import { usage, type ActorDetail, type Client, type Machine } from '../../client/index.js';
import { again, assertWatchable, redraw, type WatchOptions } from '../../lists/watch.js';
import { itemEnvelope } from '../../output/envelope.js';
import { drawMachine, toMermaid, type Line, type Machine as Drawn, type StateValue } from '../../rail/index.js';
import type { Session } from '../../session/session.js';
import { drawLateOutcomes } from './late-outcomes.js';

type Format = 'rail' | 'mermaid' | 'json';
type DrawOptions = WatchOptions & { format?: Format };
type Picture = { machine: Machine; actor: ActorDetail | null };

export async function machine(
  session: Session,
  options: DrawOptions & { run?: string; call?: string },
  name: string,
): Promise<void> {
  const client = await session.client();
  const actor = await actorId(client, name, options);
  await show(session, options, () => lookAt(client, name, actor));
}

export async function ofRun(session: Session, options: DrawOptions, run: string): Promise<void> {
  const client = await session.client();
  await show(session, options, () => lookAt(client, 'run', `run:${run}`));
}

async function actorId(client: Client, name: string, { run, call }: { run?: string; call?: string }) {
  if (call !== undefined && (run === undefined || name !== 'tool-call'))
    throw usage('--call goes with tool-call and --run');
  if (run === undefined) return undefined;
  if (name === 'run') return `run:${run}`;
  if (name === 'thread') return `thread:${(await client.run(run)).thread_id}`;
  if (name === 'tool-call' && call !== undefined) return `tool_call:${run}:${call}`;
  throw usage(name === 'tool-call' ? '--run needs --call for a tool-call' : `--run lights no ${name}`);
}

async function lookAt(client: Client, name: string, actor: string | undefined): Promise<Picture> {
  const [machine, detail] = await Promise.all([client.machine(name), actor === undefined ? null : client.actor(actor)]);
  return { machine, actor: detail };
}

/** `-o json` and `-o jsonl` are data too. Of names there are none. */
function formatOf({ out }: Session, { format }: DrawOptions): Format {
  if (out.format === 'name') throw usage('-o name: a machine has no ids');
  return format ?? (out.isForPeople ? 'rail' : 'json');
}

async function show(session: Session, options: DrawOptions, look: () => Promise<Picture>): Promise<void> {
  const format = formatOf(session, options);
  const { out } = session;
  if (!options.watch) return print(session, format, await look());
  if (format === 'json') assertWatchable(session);
  let known = '';
  await again(session, options.interval, async () => {
    const picture = await look();
    if (format === 'rail' && out.canRedraw) return redraw(session, draw(session, picture));
    const now = JSON.stringify([picture.actor?.value, picture.actor?.transitions, picture.actor?.late_outcomes]);
    if (now !== known) await print(session, format, picture);
    known = now;
  });
}

async function print(session: Session, format: Format, picture: Picture): Promise<void> {
  const { out } = session;
  const { machine, actor } = picture;
  const value = (actor?.value ?? null) as StateValue | null;
  if (format === 'mermaid') return out.text(toMermaid(machine.definition, value));
  if (format === 'rail') return out.lines(draw(session, picture));
  await out.json(out.format === 'jsonl' ? { ...machine, actor } : itemEnvelope('Machine', { ...machine, actor }));
}

function draw({ out, io }: Session, { machine, actor }: Picture): Line[] {
  const live = actor === null ? {} : { ...actor, value: actor.value as StateValue };
  const drawn: Drawn = { definition: machine.definition, ...live };
  const { width, ascii } = out;
  const rail = drawMachine(drawn, { now: io.now(), ascii, ...(width === undefined ? {} : { width, wrap: true }) });
  return [...rail, ...drawLateOutcomes(actor?.late_outcomes ?? [], io.now())];
}
