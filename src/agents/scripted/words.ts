/**
 * The bracket words a user may put into a message to a scripted agent (CONTRACT 10.5). Pure.
 *
 * They combine in any order; `rest` is the message without them. Anything else in double brackets is plain text.
 */

export type Words = {
  /** Stream over about two seconds. */
  slow: boolean;
  /** Break off in the middle with an error. */
  fail: boolean;
  /** Number of text deltas, when asked for. */
  long: number | null;
  /** Tool calls to make, in the order asked for. */
  calls: ('approval' | 'progress' | 'frontend' | 'lookup' | 'note')[];
  rest: string;
};

const WORD = /\[\[(slow|fail|approval|progress|frontend|client-tool|(?:tools|long)\s+\d{1,9})\]\]\s*/g;
const MAX_DELTAS = 1_000_000;
const MAX_CALLS = 256;

/** `[[tools N]]` is capped at 256 calls, `[[long N]]` at a million deltas. */
export function parseWords(message: string): Words {
  const words: Words = { slow: false, fail: false, long: null, calls: [], rest: '' };
  const rest = message.replace(WORD, (_, word: string) => {
    const [name, count] = word.split(/\s+/) as [string, string | undefined];
    if (name === 'slow') words.slow = true;
    else if (name === 'fail') words.fail = true;
    else if (name === 'approval' || name === 'progress' || name === 'frontend') words.calls.push(name);
    else if (name === 'client-tool') words.calls.push('frontend');
    else if (name === 'long') words.long = Math.min(Number(count), MAX_DELTAS) || null;
    else for (let i = 0; i < Math.min(Number(count), MAX_CALLS); i++) words.calls.push(i % 2 ? 'note' : 'lookup');
    return '';
  });
  words.rest = rest.trim();
  return words;
}
