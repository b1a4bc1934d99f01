/**
 * `chat`: a conversation on one thread, a line for each message.
 *
 * The answer is data and goes to stdout; prompts and questions are talk. ctrl-c while an agent works cancels its run, a
 * second one leaves; with nothing under way the first one leaves. When nobody can be asked (a pipe) and the agent waits
 * for a person, the conversation ends with exit code 9: the run is still there to be decided.
 */

import { randomUUID } from 'node:crypto';
import { CliError, usage, type Client } from '../../client/index.js';
import { ExitCode } from '../../client/exit-codes.js';
import { exitCodeOf, follow, type Standstill } from '../../narrate/follow.js';
import { LiveStory } from '../../narrate/live.js';
import type { Session } from '../../session/session.js';
import { askAll } from './questions.js';

type ChatOptions = { thread?: string };

/** What ctrl-c finds. */
type Phase = { is: 'idle' } | { is: 'working'; run: string; questions: AbortController } | { is: 'cancelling' };

export async function chat(session: Session, options: ChatOptions, agent: string): Promise<ExitCode> {
  if (session.out.format !== 'table' && session.out.format !== 'jsonl') throw usage('chat: -o is table or jsonl');
  const client = await session.client();
  const thread = options.thread ?? randomUUID();
  const conversation = new Conversation(session, client, agent, thread);
  session.interruptWith(() => conversation.interrupt());
  if (options.thread !== undefined) await conversation.resume();
  const code = await conversation.run();
  await session.say(`thread ${thread}`);
  return code;
}

class Conversation {
  #phase: Phase = { is: 'idle' };

  constructor(
    private readonly session: Session,
    private readonly client: Client,
    private readonly agent: string,
    private readonly thread: string,
  ) {}

  /** Line by line, to the end of the input, or to a question that nobody can be asked. */
  async run(): Promise<ExitCode> {
    let code: ExitCode = ExitCode.ok;
    for (;;) {
      const line = await this.session.ask(this.session.interactive ? '> ' : '');
      if (line === null) {
        if (this.session.interactive) await this.session.say('');
        return code;
      }
      if (line.trim() === '') continue;
      const { run_id } = await this.client.startRun(
        // An older run of somebody else is nobody's to end here: the message waits behind it.
        {
          agent_id: this.agent,
          thread_id: this.thread,
          messages: [{ role: 'user', content: line }],
          on_busy: 'enqueue',
        },
        randomUUID(),
      );
      code = exitCodeOf(await this.#attend(run_id));
      if (code === ExitCode.runWaits) return code;
    }
  }

  /** A thread that is there may have a run under way, or one that waits for the person who comes now. */
  async resume(): Promise<void> {
    try {
      const { active_run_id } = await this.client.thread(this.thread);
      if (active_run_id !== null) await this.#attend(active_run_id);
    } catch (error) {
      if (!(error instanceof CliError && error.exitCode === ExitCode.notFound)) throw error;
    }
  }

  interrupt(): void {
    const phase = this.#phase;
    if (phase.is !== 'working') return this.session.interrupt();
    this.#phase = { is: 'cancelling' };
    void this.session.say('\ncancelling; ctrl-c again to leave');
    // The run may have ended by itself at this moment; a server that is gone is noticed by the stream.
    void this.client.cancelRun(phase.run).catch(() => {});
    phase.questions.abort(new QuestionsOver());
  }

  /** Tells the run and asks its questions, until it ends or nobody answers. */
  async #attend(run: string): Promise<Standstill> {
    const { session, client } = this;
    const story = new LiveStory(session.out);
    const questions = new AbortController();
    const onLeft = (): void => questions.abort(session.signal.reason);
    session.signal.addEventListener('abort', onLeft, { once: true });
    this.#phase = { is: 'working', run, questions };
    try {
      for (let after = -1; ;) {
        const end = await follow(session, client, run, {
          after,
          until: 'standstill',
          onEvent: (event) => (session.out.isForPeople ? story.tell(event) : session.out.json(event)),
        });
        await story.endLine();
        if (end.is === 'done') return end;
        const decisions = await askAll(session, end.pending, questions.signal);
        if (decisions === 'nobody') return end;
        if (decisions !== 'over') await client.decide(run, decisions);
        after = end.seq;
      }
    } finally {
      session.signal.removeEventListener('abort', onLeft);
      this.#phase = { is: 'idle' };
    }
  }
}

/** The run is being cancelled: nobody wants its questions answered any more. */
class QuestionsOver extends Error {}
