/**
 * The text of a remote task, put together from pieces that may come twice. Pure.
 *
 * A stream that is taken up again begins with the task as it is, or with its artifacts from their start, or just goes on.
 * Whichever it does, `take` answers with exactly the text that was not told yet, so that what is told is the artifacts'
 * text, once. A remote that takes back what it has said cannot be followed within a step: `Rewritten`.
 */

/** The remote has changed text that was told: the step has to be told anew. */
export class Rewritten extends Error {
  override readonly name = 'Rewritten';
  constructor() {
    super('the remote agent changed what it had said');
  }
}

/**
 * `begin`: the artifact begins with it, once more perhaps, or is this up to now; what follows goes on behind it ·
 * `append`: it goes on with it.
 */
export type Piece = 'begin' | 'append';

/** `before`: characters told in earlier steps, no longer known · `known`: what follows them · `at`: where the next piece goes. */
type Artifact = { before: number; known: string; at: number };

export class Transcript {
  #text = '';
  #last: string | undefined;
  readonly #artifacts = new Map<string, Artifact>();

  /** `told`: characters of each artifact that earlier steps have told. */
  constructor(told: Readonly<Record<string, number>> = {}) {
    for (const [id, before] of Object.entries(told)) this.#artifacts.set(id, { before, known: '', at: before });
  }

  /** Everything told in this step. */
  get text(): string {
    return this.#text;
  }

  /** Characters of each artifact that are told by now. */
  get told(): Record<string, number> {
    return Object.fromEntries([...this.#artifacts].map(([id, { before, known }]) => [id, before + known.length]));
  }

  /** Takes a piece of an artifact; the answer is what of it is new. Throws `Rewritten`. */
  take(id: string, piece: Piece, text: string): string {
    const artifact = this.#artifacts.get(id) ?? { before: 0, known: '', at: 0 };
    this.#artifacts.set(id, artifact);
    if (piece === 'begin') artifact.at = 0;
    const news = advance(artifact, text);
    return news === '' ? '' : this.#tell(id, news);
  }

  /** Artifacts are set apart by an empty line. */
  #tell(id: string, news: string): string {
    const said = this.#text !== '' && this.#last !== id ? `\n\n${news}` : news;
    this.#last = id;
    this.#text += said;
    return said;
  }
}

/** Lays the text at the artifact's place; what lies on known text must be the same. */
function advance(artifact: Artifact, text: string): string {
  const unknown = Math.max(artifact.before - artifact.at, 0);
  const from = Math.max(artifact.at - artifact.before, 0);
  const seen = text.slice(unknown);
  const overlap = artifact.known.slice(from, from + seen.length);
  if (!seen.startsWith(overlap)) throw new Rewritten();
  const news = seen.slice(overlap.length);
  artifact.known += news;
  artifact.at += text.length;
  return news;
}
