/**
 * The rail: a machine drawn as text. Nesting is indentation, one state a row, its transitions to the right.
 *
 *   ● run
 *   ├▸ ○ running               …
 *   │  ├▸ ○ inferring          model ✓ [has calls] → acting · [else] → done
 *   ├─ ● waiting       ← 4m12  DECIDE [has decisions] → running.acting   CANCEL → cancelling
 *   └─ ◎ done
 *
 * The rows depend on the definition and the width alone: while a machine moves, light moves over the drawing and no row
 * ever does. It needs no layout engine, works for any machine, and reads well in a log. Pure.
 */

import { ALWAYS, choicesOf, eventName, guardText, targetText, type Branch, type Choice } from './choices.js';
import { activePaths, leavesOf, nodesOf, type Node, type StateDefinition, type StateValue } from './definition.js';
import { ascii, unicode, type Glyphs } from './glyphs.js';
import { clipLine, pad, segment, widthOf, type Line, type Segment, type Style } from './segments.js';
import { span } from './time.js';

/** A transition that was taken. Paths of keys; times are unix milliseconds. */
export type Taken = { at: number; event: string; from: readonly string[]; to: readonly string[] };

/** What is known of a machine at work. All but the definition may be missing. */
export type Machine = {
  definition: StateDefinition;
  value?: StateValue | null;
  /** Since when it has this value, unix milliseconds. */
  since?: number | null;
  /** What it would take now. Missing: all that the active states know. */
  enabled_events?: readonly { event: string }[];
  /** The last one is the newest. */
  transitions?: readonly Taken[];
  deadlines?: readonly { id: string; due: number }[];
};

export type RailOptions = {
  /** Unix milliseconds; ages and deadlines are told from here. */
  now: number;
  ascii?: boolean;
  /** Cells of a row. Missing: as long as it takes. */
  width?: number;
  /** What does not fit goes on in the next row (instead of being cut off). */
  wrap?: boolean;
};

/** `← 59m59` and a gap. */
const SINCE = 8;

type Drawing = {
  glyphs: Glyphs;
  root: string;
  active: ReadonlySet<string>;
  here: ReadonlySet<string>;
  since: string;
  canTake: (node: Node, event: string) => boolean;
  wasTaken: (node: Node, event: string, branch: Branch) => boolean;
};

/** The rail of a machine, top to bottom. */
export function drawRail(machine: Machine, options: RailOptions): Line[] {
  const nodes = nodesOf(machine.definition);
  const drawing = drawingOf(machine, nodes, options);
  const tree = nodes.map((node) => treeOf(node, drawing));
  const left = Math.max(...tree.map(({ head }) => widthOf(head)));
  const gap = drawing.active.size > 0 ? 1 + SINCE + 1 : 2;
  return nodes.flatMap((node, i) => {
    const { head, below } = tree[i]!;
    const rows = rowsOf(atomsOf(node, drawing), options.wrap ? (options.width ?? Infinity) - left - gap : Infinity);
    const lines = rows.map((row, n): Line => {
      const margin = n === 0 ? head : below;
      const since = n === 0 && drawing.here.has(node.path.join('.')) ? drawing.since : '';
      const filler = ' '.repeat(left - widthOf(margin) + 1);
      return [...margin, segment(filler), segment(pad(since, gap - 1), 'active'), ...row];
    });
    return options.width === undefined
      ? lines
      : lines.map((line) => clipLine(line, options.width!, drawing.glyphs.ellipsis));
  });
}

function drawingOf(machine: Machine, nodes: readonly Node[], options: RailOptions): Drawing {
  const glyphs = options.ascii ? ascii : unicode;
  const active = activePaths(machine.value);
  const enabled = machine.enabled_events && new Set(machine.enabled_events.map(({ event }) => event));
  const last = machine.transitions?.at(-1);
  const taken = last && placeOf(last, nodes);
  return {
    glyphs,
    root: machine.definition.id,
    active,
    here: new Set(leavesOf(active)),
    since:
      machine.since === undefined || machine.since === null
        ? ''
        : `${glyphs.here} ${span(options.now - machine.since)}`,
    canTake: (node, event) => event !== ALWAYS && active.has(node.path.join('.')) && (enabled?.has(event) ?? true),
    wasTaken: (node, event, branch) =>
      taken?.node === node && last!.event === event && taken.branch === branch.target?.join(),
  };
}

/** The state and the branch that a taken transition belongs to: the deepest state it was in that knows the event. */
function placeOf(taken: Taken, nodes: readonly Node[]): { node: Node; branch: string | undefined } | undefined {
  const from = taken.from.join('.');
  const to = taken.to.join('.');
  const reaches = (target: readonly string[] | null): boolean =>
    target === null
      ? from === to
      : target.some((path) => within(to, path) || within(to, path.slice(path.indexOf('.') + 1)));
  for (const node of nodes.filter(({ path }) => within(from, path.join('.'))).reverse()) {
    const known = node.state.on.filter(({ event }) => event === taken.event);
    if (known.length === 0) continue;
    const target = (known.find(({ target }) => reaches(target)) ?? known[0]!).target;
    return { node, branch: target?.join() };
  }
  return undefined;
}

const within = (path: string, ancestor: string): boolean =>
  ancestor === '' || path === ancestor || path.startsWith(`${ancestor}.`);

/** A state's own part of its row, and what stands in its place when the row goes on below. */
function treeOf(node: Node, { glyphs, active }: Drawing): { head: Line; below: Line } {
  const isActive = active.has(node.path.join('.'));
  const bars = node.parent ? barsOf(node.parent, glyphs) : '';
  const branch = node.parent ? branchGlyph(node, glyphs) : '';
  const hasChildren = Object.keys(node.state.states).length > 0;
  const isParallel = node.state.type === 'parallel' ? ` ${glyphs.parallel}` : '';
  return {
    head: [
      segment(bars + branch, 'frame'),
      segment(`${markOf(node, isActive, glyphs)} `, isActive ? 'active' : 'dim'),
      segment(node.key, isActive ? 'active' : node.path.length === 0 ? 'strong' : 'plain'),
      segment(isParallel, 'dim'),
    ],
    below: [segment(barsOf(node, glyphs) + (hasChildren ? glyphs.bar : glyphs.blank), 'frame')],
  };
}

/** The lines that pass by a state's rows on their way to the siblings below its ancestors. */
function barsOf(node: Node, glyphs: Glyphs): string {
  if (!node.parent) return '';
  return barsOf(node.parent, glyphs) + (isLast(node) ? glyphs.blank : glyphs.bar);
}

const isLast = ({ key, parent }: Node): boolean => Object.keys(parent!.state.states).at(-1) === key;

function branchGlyph(node: Node, glyphs: Glyphs): string {
  // All children of a parallel state are entered together: an arrow at each would say nothing.
  const isInitial = node.isInitial && node.parent!.state.type !== 'parallel';
  if (isLast(node)) return isInitial ? glyphs.initialCorner : glyphs.corner;
  return isInitial ? glyphs.initialFork : glyphs.fork;
}

function markOf({ state: { type } }: Node, isActive: boolean, glyphs: Glyphs): string {
  if (type === 'final') return isActive ? glyphs.activeFinal : glyphs.final;
  if (type === 'history') return glyphs.history;
  return isActive ? glyphs.active : glyphs.inactive;
}

/** What stands to the right of a state, in pieces that are never broken. */
function atomsOf(node: Node, drawing: Drawing): Segment[][] {
  const { moves, stays } = choicesOf(node.state);
  const atoms: Segment[][] = [];
  for (const [i, choice] of moves.entries()) {
    const names = namesOf(node, choice, drawing);
    for (const [n, branch] of choice.branches.entries()) {
      const lead = n === 0 ? [...(i > 0 ? [segment('  ')] : []), ...names] : [segment(drawing.glyphs.or, 'dim')];
      atoms.push([...lead, ...branchOf(node, choice, branch, drawing)]);
    }
  }
  for (const [i, choice] of stays.entries()) {
    const mark = i === 0 ? [segment(`${drawing.glyphs.stays} `, 'dim')] : [];
    const gap = i === 0 && moves.length === 0 ? [] : [segment(i === 0 ? '  ' : ' ')];
    atoms.push([...gap, ...mark, ...namesOf(node, choice, drawing), ...guardsOf(choice.branches[0]!)]);
  }
  return atoms;
}

/** The events of a choice, each in its own light. */
function namesOf(node: Node, choice: Choice, drawing: Drawing): Segment[] {
  return choice.events.flatMap((event, i) => {
    const isTaken = choice.branches.some((branch) => drawing.wasTaken(node, event, branch));
    const style: Style = isTaken ? 'last' : drawing.canTake(node, event) ? 'enabled' : 'dim';
    const { text, end } = eventName(event);
    const ending = end === undefined ? '' : ` ${end === 'done' ? drawing.glyphs.done : drawing.glyphs.failed}`;
    const mark = isTaken ? drawing.glyphs.last : '';
    return [...(i > 0 ? [segment(', ', 'dim')] : []), segment(`${mark}${text}${ending}`, style)];
  });
}

function branchOf(node: Node, choice: Choice, branch: Branch, drawing: Drawing): Segment[] {
  const { glyphs, root } = drawing;
  const isTaken = choice.events.some((event) => drawing.wasTaken(node, event, branch));
  const isEnabled = choice.events.some((event) => drawing.canTake(node, event));
  const style: Style = isTaken ? 'last' : isEnabled ? 'plain' : 'dim';
  const guards = guardsOf(branch);
  if (branch.target === null) return [...guards, segment(` ${glyphs.stays}`, style)];
  const target = branch.target.map((path) => targetText(path, node, root)).join(' + ');
  return [...guards, segment(` ${glyphs.arrow} ${target}`, style)];
}

const guardsOf = ({ guards, isElse }: Branch): Segment[] =>
  guards.length > 0 || isElse ? [segment(` [${guards.map(guardText).join(' and ') || 'else'}]`, 'guard')] : [];

/** Pieces in rows of at most `width` cells; a piece that is wider has a row of its own. At least one row. */
function rowsOf(atoms: readonly Segment[][], width: number): Segment[][] {
  const rows: Segment[][] = [[]];
  let used = 0;
  for (const atom of atoms) {
    const size = widthOf(atom) + (used > 0 ? 1 : 0);
    if (used > 0 && used + size > width) {
      const isGap = atom[0]!.text.trim() === '';
      const fresh = isGap ? atom.slice(1) : [segment('  '), ...atom];
      rows.push([...fresh]);
      used = widthOf(fresh);
      continue;
    }
    rows.at(-1)!.push(...(used > 0 ? [segment(' ')] : []), ...atom);
    used += size;
  }
  return rows;
}
