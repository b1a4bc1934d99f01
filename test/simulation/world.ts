/**
 * The world around a simulated server: models and tools that answer when they are told to, a disk that outlives crashes, a
 * clock that moves when it is told to. It keeps count of what really happened, to hold the server's word against.
 */

import {
  type CanonicalEvent,
  canonicalEvents,
  initialEncoderState,
  type LogChunk,
  type StoredEvent,
} from '../../src/actors/events.js';
import { unfoldLog } from '../../src/actors/log/folded-log.js';
import type { RunName } from '../../src/actors/thread/rows.js';
import { defineAgent } from '../../src/agents/agent.js';
import { createAgentRegistry } from '../../src/agents/registry.js';
import { finish, text, toolCall, type Part } from '../../src/agents/scripted/parts.js';
import { scriptedModel, type Script } from '../../src/agents/scripted/model.js';
import { defineTool } from '../../src/agents/tool.js';
import type { AgentRegistry, ToolEffect } from '../../src/agents/types.js';
import { InferenceError } from '../../src/agents/model-call.js';
import * as keys from '../../src/store/keys.js';
import { Disk } from '../../src/store/memory-disk.js';
import type { Random } from '../chaos/random.js';
import { FakeClock } from '../support/fake-clock.js';

export const THREAD = 'thread';
const EXPIRY_MS = 60_000;
const TIMEOUT_MS = 30_000;

/** Something that somebody in this life of the server waits for; `end` lets it happen in some way. */
type Pending = { what: 'model' | 'tool'; end: (random: Random) => void };

export class World {
  readonly disk = new Disk();
  readonly clock = new FakeClock();
  readonly violations: string[] = [];
  /** How often each `once` call was executed. */
  readonly executed = new Map<string, number>();
  /** What readers have seen of each run, over all lives. */
  readonly seen = new Map<string, CanonicalEvent[]>();
  pending: Pending[] = [];
  #calls = 0;

  constructor(private readonly random: Random) {}

  /** The process is gone: nobody waits for anything any more. */
  died(): void {
    this.pending = [];
  }

  /** Lets one thing end that somebody waits for. */
  endOne(): void {
    if (this.pending.length === 0) return;
    const [one] = this.pending.splice(this.random.between(0, this.pending.length - 1), 1);
    one!.end(this.random);
  }

  agents(): AgentRegistry {
    const tools = (['once', 'idempotent', 'readOnly'] as const).flatMap((effect) => [
      this.#tool(effect, effect),
      this.#tool(`ask_${effect}`, effect, { permission: 'ask' }),
    ]);
    const frontend = defineTool({ name: 'frontend', description: 'a tool', input: { type: 'object' } });
    const modes = ['sequential', 'parallel_batch_approval', 'parallel_streaming'] as const;
    return createAgentRegistry(
      modes.map((mode) =>
        defineAgent({
          id: mode,
          model: scriptedModel((options) => this.#answer(options)),
          tools: [...tools, frontend],
          tool_execution_mode: mode,
          max_rounds: 4,
          max_retries: 1,
          approval_expiry_ms: EXPIRY_MS,
        }),
      ),
    );
  }

  #tool(name: string, effect: ToolEffect, more: { permission?: 'ask' } = {}) {
    return defineTool({
      name,
      description: 'a tool',
      input: { type: 'object' },
      effect,
      timeout_ms: TIMEOUT_MS,
      ...more,
      execute: (_, { call_id, signal }) => {
        if (effect === 'once') this.executed.set(call_id, (this.executed.get(call_id) ?? 0) + 1);
        return new Promise((resolve, reject) => {
          const end = (random: Random) => (random.chance(0.8) ? resolve('done') : reject(new Error('it broke')));
          this.pending.push({ what: 'tool', end });
          // Half of them stop when they are told to.
          if (this.random.chance(0.5)) signal.addEventListener('abort', () => reject(signal.reason as Error));
        });
      },
    });
  }

  async *#answer({ prompt }: Parameters<Script>[0]): AsyncGenerator<Part> {
    const asked = prompt.findLastIndex((message) => message.role === 'user');
    const run_id = (prompt[asked]!.content as { text: string }[])[0]!.text;
    const step = prompt.filter((message, i) => i > asked && message.role === 'assistant').length;
    this.#checkNews(run_id, step);
    this.#checkPrompt(prompt);
    yield* text(['let ', 'me ']);
    const random = await new Promise<Random>((end) => this.pending.push({ what: 'model', end }));
    yield* text(['see'], 'more');
    if (random.chance(0.15)) throw new InferenceError('down', random.chance(0.7));
    const calls = random.pick([
      [2, 0],
      [3, 1],
      [2, 2],
      [1, 4],
    ]);
    for (let i = 0; i < calls; i++) yield* toolCall(`call ${++this.#calls}`, this.#pickTool(random));
    yield finish(calls > 0 ? 'tool-calls' : 'stop');
  }

  #pickTool(random: Random): string {
    return random.pick([
      [3, 'once'],
      [2, 'idempotent'],
      [1, 'readOnly'],
      [3, 'ask_once'],
      [1, 'ask_idempotent'],
      [2, 'frontend'],
      [1, 'unknown'],
    ]);
  }

  /** A finished step is never asked of the model again. */
  #checkNews(run_id: string, step: number): void {
    const answered = this.stored(run_id).filter((event) => event.type === 'inference_complete').length;
    if (answered > step) this.violations.push(`run ${run_id}: step ${step} was asked again`);
  }

  /** What the model is told is a valid conversation: every call has its result before anything else is said. */
  #checkPrompt(prompt: Parameters<Script>[0]['prompt']): void {
    let open = new Set<string>();
    for (const { role, content } of prompt) {
      const parts = typeof content === 'string' ? [] : (content as { type: string; toolCallId?: string }[]);
      if (role === 'tool') for (const part of parts) open.delete(part.toolCallId ?? '');
      else if (open.size > 0) return void this.violations.push(`calls without a result: ${[...open].join(', ')}`);
      if (role === 'assistant')
        open = new Set(parts.flatMap((part) => (part.type === 'tool-call' ? [part.toolCallId!] : [])));
    }
    if (open.size > 0) this.violations.push(`calls without a result: ${[...open].join(', ')}`);
  }

  /** The log of a run as it is on the disk at this moment. */
  stored(run_id: string): CanonicalEvent[] {
    const name = this.disk.get(keys.runName(run_id));
    if (name === undefined) return [];
    const { rno } = JSON.parse(name) as RunName;
    const folded = this.disk.get(keys.foldedLog(rno));
    if (folded !== undefined)
      return unfoldLog(folded, -1).flatMap((chunk) => [...canonicalEvents(chunk, { run_id, thread_id: THREAD })]);
    return this.disk.rows(keys.logChunks(rno)).flatMap(([key, value]) => {
      const [t0, packed, events] = JSON.parse(value) as [number, Partial<LogChunk['enc']>, StoredEvent[]];
      const enc = { ...initialEncoderState, ...packed };
      return [...canonicalEvents({ n: keys.firstSeqOf(key), t0, enc, events }, { run_id, thread_id: THREAD })];
    });
  }

  /** Runs that have an actor on the disk; there must never be two. */
  activeRuns(): string[] {
    return this.disk
      .rows(keys.allActors())
      .map(([key]) => keys.parseActor(key).path)
      .filter((path) => !path.includes('/'));
  }
}
