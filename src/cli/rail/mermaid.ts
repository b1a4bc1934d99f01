/** A machine as a Mermaid state diagram, for documents and bug reports. The active states are lit by `classDef active`. Pure. */

import { afterEvent, eventName } from './choices.js';
import {
  activePaths,
  nodesOf,
  type Node,
  type StateDefinition,
  type StateValue,
  type TransitionDefinition,
} from './definition.js';

const ACTIVE = 'classDef active fill:#1f9d55,stroke:#0b5f30,color:#ffffff,font-weight:bold';

/** The diagram's source, ending in a line end. Without a value nothing is lit. */
export function toMermaid(definition: StateDefinition, value?: StateValue | null): string {
  const nodes = nodesOf(definition);
  const root = nodes[0]!;
  const ids = new Map(nodes.map((node) => [node.path.join('.'), idOf(node)]));
  const lines = ['stateDiagram-v2', ...bodyOf(root, nodes, '  ')];
  for (const node of nodes) {
    for (const transition of transitionsOf(node.state)) {
      // A diagram has no place for the root: what it does in any state is told as a note would be, from nowhere.
      const from = node.parent ? idOf(node) : '[*]';
      for (const target of transition.target ?? [])
        lines.push(`  ${from} --> ${idOfTarget(target, ids, definition.id)} : ${escaped(labelOf(transition))}`);
    }
    if (node.state.type === 'final' && node.parent && !node.parent.parent) lines.push(`  ${idOf(node)} --> [*]`);
  }
  const active = activePaths(value);
  const lit = nodes.filter((node) => node.parent && active.has(node.path.join('.'))).map(idOf);
  lines.push(`  ${ACTIVE}`);
  if (lit.length > 0) lines.push(`  class ${lit.join(',')} active`);
  return `${lines.join('\n')}\n`;
}

/** A state's children, nested; regions of a parallel state are parted by `--`. */
function bodyOf(parent: Node, nodes: readonly Node[], indent: string): string[] {
  const children = nodes.filter((node) => node.parent === parent);
  return children.flatMap((child, i) => {
    const id = idOf(child);
    const name = child.state.type === 'history' ? `${child.key} (history)` : child.key;
    const inner = bodyOf(child, nodes, `${indent}  `);
    return [
      ...(parent.state.type === 'parallel' && i > 0 ? [`${indent}--`] : []),
      `${indent}state "${escaped(name)}" as ${id}`,
      ...(inner.length > 0 ? [`${indent}state ${id} {`, ...inner, `${indent}}`] : []),
      ...(child.isInitial && parent.state.type !== 'parallel' ? [`${indent}[*] --> ${id}`] : []),
    ];
  });
}

/** Only what goes somewhere: a diagram of what merely acts would be a diagram of loops. */
const transitionsOf = (state: StateDefinition): (TransitionDefinition & { event: string })[] => [
  ...state.always.map((transition) => ({ ...transition, event: '' })),
  ...state.after.map((transition) => ({ ...transition, event: afterEvent(transition.delay) })),
  ...state.on,
];

function labelOf({ event, guards }: TransitionDefinition): string {
  const { text, end } = eventName(event);
  const ending = end === undefined ? '' : ` ${end}`;
  return `${text}${ending}${guards.length > 0 ? ` [${guards.join(' and ')}]` : ''}`;
}

/** Unique and made of what Mermaid takes as a name: the path, each odd character as its code. */
const idOf = ({ path }: Node): string => nameOf(path);
const nameOf = (path: readonly string[]): string =>
  path.map((key) => key.replace(/[^A-Za-z0-9]/g, (odd) => (odd === '_' ? '_' : `_${odd.charCodeAt(0)}_`))).join('__');

const idOfTarget = (target: string, ids: ReadonlyMap<string, string>, root: string): string =>
  ids.get(target) ?? ids.get(target.slice(root.length + 1)) ?? nameOf(target.split('.'));

/** Text that ends no label: quotes, line ends and semicolons are Mermaid's own. */
const escaped = (text: string): string => text.replace(/["\n;#]/g, (odd) => `#${odd.charCodeAt(0)};`);
