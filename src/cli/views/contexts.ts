/** Servers of the context file, without their secrets. */

import type { View } from './view.js';

export type NamedContext = { name: string; url: string; has_token: boolean; current: boolean };

export const contexts: View<NamedContext> = {
  kind: 'Context',
  name: ({ name }) => [name],
  columns: [
    { title: 'CURRENT', cell: ({ current }) => (current ? '*' : '') },
    { title: 'NAME', cell: ({ name }) => name },
    { title: 'TOKEN', cell: ({ has_token }) => (has_token ? 'yes' : 'no') },
    { title: 'SERVER', cell: ({ url }) => url },
  ],
  keys: {},
};
