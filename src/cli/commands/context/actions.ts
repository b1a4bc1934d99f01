/** `context set|use|show|remove`: the servers a person works with. A token goes into the file and never comes out. */

import {
  baseUrl,
  contextPath,
  currentContext,
  readContexts,
  usage,
  writeContexts,
  type ContextFile,
} from '../../client/index.js';
import { printItem, printList, printOutcome } from '../../output/print.js';
import type { Session } from '../../session/session.js';
import { contexts as view, type NamedContext } from '../../views/contexts.js';

export async function set(session: Session, options: { server: string; token?: string }, name: string): Promise<void> {
  const { env } = session.io;
  if (name.trim() === '') throw usage('name: cannot be empty');
  const file = await readContexts(env);
  const token = options.token === '-' ? await readToken(session) : options.token;
  const kept = Object.hasOwn(file.contexts, name) ? file.contexts[name] : undefined;
  const url = baseUrl(options.server);
  // Another server gets no token that was meant for this name's last one.
  const secret = token ?? (kept?.url === url ? kept.token : null);
  if (secret !== null && !/^[\x21-\x7e]+$/.test(secret))
    throw usage('token: expected visible ASCII characters without spaces');
  await save(session, { ...file, current: name, contexts: { ...file.contexts, [name]: { url, token: secret } } }, name);
}

export async function use(session: Session, _options: object, name: string): Promise<void> {
  const file = await readContexts(session.io.env);
  currentContext(file, name);
  await save(session, { ...file, current: name }, name);
}

export async function show(session: Session, _options: object, name?: string): Promise<void> {
  const file = await readContexts(session.io.env);
  if (name === undefined) {
    const items = namedIn(file);
    return printList(session, view, { items, total: items.length, has_more: false });
  }
  currentContext(file, name);
  await printItem(
    session,
    view,
    namedIn(file).find((context) => context.name === name)!,
  );
}

export async function remove(session: Session, _options: object, name: string): Promise<void> {
  const { env } = session.io;
  const file = await readContexts(env);
  currentContext(file, name);
  const { [name]: _gone, ...contexts } = file.contexts;
  await writeContexts(env, { ...file, current: file.current === name ? null : file.current, contexts });
  await printOutcome(session, {
    kind: 'ContextRemoved',
    item: { name },
    names: [name],
    sentence: `${name} is forgotten`,
  });
}

const namedIn = ({ current, contexts }: ContextFile): NamedContext[] =>
  Object.entries(contexts).map(([name, { url, token }]) => ({
    name,
    url,
    has_token: token !== null,
    current: name === current,
  }));

async function save(session: Session, file: ContextFile, name: string): Promise<void> {
  const { env } = session.io;
  await writeContexts(env, file);
  const item = namedIn(file).find((context) => context.name === name)!;
  const sentence = `${name} (${item.url}) is the current server, kept in ${contextPath(env)}`;
  await printOutcome(session, { kind: view.kind, item, names: [name], sentence });
}

async function readToken(session: Session): Promise<string> {
  if (session.interactive) await session.io.stderr.write('token: ');
  return (await session.lines.next(session.signal))?.trim() ?? '';
}
