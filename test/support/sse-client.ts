/**
 * A client of event streams for tests: frames as an async iterator, whatever the chunks they come in.
 *
 * Leaving the loop closes the connection. A stream that is cut instead of ended throws, as it should.
 */

export type SseFrame = { id: string | null; data: string };

export type SseInit = RequestInit & { onComment?: (text: string) => void };

/** Opens the URL, or reads a response that is there. A response that is no event stream throws with its body. */
export async function* readSse(source: string | URL | Response, init: SseInit = {}): AsyncGenerator<SseFrame> {
  const { onComment, ...request } = init;
  const headers = new Headers(request.headers);
  if (!headers.has('accept')) headers.set('accept', 'text/event-stream');
  const response = source instanceof Response ? source : await fetch(source, { ...request, headers });
  if (!response.ok || !response.headers.get('content-type')?.startsWith('text/event-stream')) {
    throw new Error(`no event stream: ${response.status} ${await response.text()}`);
  }
  let id: string | null = null;
  let data: string[] = [];
  for await (const line of linesOf(response.body!)) {
    if (line === '') {
      if (data.length > 0) yield { id, data: data.join('\n') };
      id = null;
      data = [];
    } else if (line.startsWith(':')) onComment?.(line.slice(1).trim());
    else if (line.startsWith('id:')) id = line.slice(3).replace(/^ /, '');
    else if (line.startsWith('data:')) data.push(line.slice(5).replace(/^ /, ''));
  }
}

async function* linesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const bytes of body) {
    rest += decoder.decode(bytes, { stream: true });
    // A CR at the end may be half of a CRLF: it stays until the next bytes come.
    const lines = rest.split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop()!;
    yield* lines;
  }
  if (rest !== '') yield rest.replace(/\r$/, '');
}

/** All frames until the stream ends. */
export async function collectSse(source: string | URL | Response, init?: SseInit): Promise<SseFrame[]> {
  const frames: SseFrame[] = [];
  for await (const frame of readSse(source, init)) frames.push(frame);
  return frames;
}
