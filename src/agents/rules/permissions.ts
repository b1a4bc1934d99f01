/**
 * Whether a call may run, must be asked about, or is refused (CONTRACT 5.2).
 *
 * Rules read like a firewall's: from the top, the first that matches decides, and what no rule matches falls to the
 * tool's own `permission`, else `allow`. So an agent's rules go before what the tool's author thought best, in both
 * directions.
 *
 * Doubt never opens: where an argument is there but cannot be compared (`"150"` with `gt: 100`), a rule that asks or
 * denies matches, and one that allows does not.
 */

import { judge, type Conditions } from './arguments.js';
import { matchesName } from './names.js';

/** What a rule, or a tool by itself, says about a call. */
export const Permission = {
  /** Runs when its turn comes. */
  allow: 'allow',
  /** Waits for a person's approval before it runs. */
  ask: 'ask',
  /** Never runs; the model is told so. */
  deny: 'deny',
} as const;
export type Permission = (typeof Permission)[keyof typeof Permission];

export type PermissionRule = Readonly<{
  /** A tool's name; `*` stands for any characters. */
  tool: string;
  /** Conditions on the arguments, all of which must hold. Absent: every call. */
  when?: Conditions;
  action: Permission;
}>;

/** `rule`: the one that decided; absent when none matched. */
export type PermissionDecision = { action: Permission; rule?: PermissionRule };

/**
 * Decides one call. `args` is what the tool would be given, that is `tool.validate(…).value`: rules then see defaults
 * and conversions as the tool does, and cannot be passed by leaving an argument to its default. Pure.
 */
export function permissionOf(
  agent: { permissions: readonly PermissionRule[] },
  tool: { name: string; permission?: Permission },
  args: unknown,
): PermissionDecision {
  const rule = agent.permissions.find((rule) => matchesName(rule.tool, tool.name) && applies(rule, args));
  return rule ? { action: rule.action, rule } : { action: tool.permission ?? Permission.allow };
}

function applies({ when, action }: PermissionRule, args: unknown): boolean {
  const verdict = judge(when ?? {}, args);
  return verdict === 'holds' || (verdict === 'incomparable' && action !== Permission.allow);
}
