/** The server over HTTP: what the commands and the screen are made on. */

export { Client, type Act } from './client.js';
export {
  contextPath,
  currentContext,
  readContexts,
  writeContexts,
  type Context,
  type ContextFile,
} from './context-file.js';
export { CliError, conflict, interrupted, notFound, timedOut, usage } from './errors.js';
export { ExitCode } from './exit-codes.js';
export { openFeed, type FeedFrame, type FeedOptions, type FeedStatus } from './feed.js';
export { baseUrl, DEFAULT_URL, resolveTarget, type Target, type TargetOptions } from './target.js';
export type { Query } from './transport.js';
export type * from './types.js';
