import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineAgent } from '../agent.js';
import { ConfigError } from '../config-error.js';
import { defineTool } from '../tool.js';
import { judge, type Conditions, type Verdict } from './arguments.js';
import { matchesName } from './names.js';
import { MAX_TEXT } from './pattern.js';
import { permissionOf, type PermissionRule } from './permissions.js';

describe('a name in a rule', () => {
  it.each([
    ['refund', 'refund', true],
    ['refund', 'refunds', false],
    ['refund', 'Refund', false],
    ['*', 'anything', true],
    ['*', '', true],
    ['mcp_*', 'mcp_', true],
    ['mcp_*', 'mcp_a_b', true],
    ['mcp_*', 'xmcp_a', false],
    ['*_delete', 'mcp_delete', true],
    ['*_delete', 'mcp_delete_all', false],
    ['a*b*c', 'aXbYc', true],
    ['a*b*c', 'acb', false],
    ['ab*ba', 'aba', false],
    ['a*a*a', 'aa', false],
    ['a*bc*c', 'abc', false],
    ['*a*', 'bab', true],
    ['a.c', 'abc', false],
    ['a**c', 'ac', true],
  ])('%s means %s: %s', (pattern, name, matches) => expect(matchesName(pattern, name)).toBe(matches));
});

describe('a condition', () => {
  const args = {
    eur: 150,
    note: 'urgent: pay',
    flag: false,
    nothing: null,
    to: { country: 'DE', tags: ['a', 'b'] },
    items: [{ eur: 1 }, { eur: 2 }],
    ['a.b']: 1,
    long: 'x'.repeat(MAX_TEXT + 1),
    undef: undefined,
  };
  const [holds, fails, incomparable] = ['holds', 'fails', 'incomparable'] as const;

  it.each<[Conditions, Verdict]>([
    [{}, holds],
    [{ eur: 150 }, holds],
    [{ eur: 151 }, fails],
    [{ eur: '150' }, fails],
    [{ nothing: null }, holds],
    [{ flag: false }, holds],
    [{ 'to.tags': ['a', 'b'] }, holds],
    [{ 'to.tags': ['b', 'a'] }, fails],
    [{ to: { eq: { tags: ['a', 'b'], country: 'DE' } } }, holds],
    [{ eur: { ne: 1 } }, holds],
    [{ eur: { ne: 150 } }, fails],
    [{ eur: { gt: 149 } }, holds],
    [{ eur: { gt: 150 } }, fails],
    [{ eur: { gte: 150, lte: 150 } }, holds],
    [{ eur: { gte: 150, lt: 150 } }, fails],
    [{ note: { gt: 'a', lt: 'v' } }, holds],
    [{ eur: { in: [1, 150] } }, holds],
    [{ eur: { in: ['150'] } }, fails],
    [{ 'to.country': { matches: '^(DE|AT)$' } }, holds],
    [{ note: { matches: 'URGENT' } }, fails],
    [{ note: { matches: '(?i)URGENT' } }, holds],
    [{ 'items.1.eur': 2 }, holds],
    [{ 'items.2.eur': { exists: false } }, holds],
    [{ 'items.length': { exists: false } }, fails],
    [{ eur: { exists: true }, nothing: { exists: true } }, holds],
    [{ gone: { exists: false } }, holds],
    [{ undef: { exists: false } }, holds],
    [{ 'a.b': { exists: false } }, holds],
    [{ 'eur.x': { exists: true } }, fails],
    // A missing argument compares with nothing.
    [{ gone: { gt: 0 } }, fails],
    [{ gone: { ne: 1 } }, fails],
    [{ gone: null }, fails],
    [{ gone: { in: [null] } }, fails],
    [{ gone: { matches: '' } }, fails],
    [{ toString: { exists: true } }, fails],
    // What cannot be compared.
    [{ note: { gt: 100 } }, incomparable],
    [{ nothing: { lt: 1 } }, incomparable],
    [{ flag: { gte: 0 } }, incomparable],
    [{ to: { gt: 'a' } }, incomparable],
    [{ eur: { matches: '150' } }, incomparable],
    [{ long: { matches: 'x' } }, incomparable],
    [{ note: { gt: 100 }, eur: 1 }, fails],
    [{ note: { gt: 100 }, eur: 150 }, incomparable],
  ])('%j: %s', (conditions, expected) => expect(judge(conditions, args)).toBe(expected));

  it('holds of no arguments at all only when it asks for their absence', () => {
    for (const none of [null, undefined, 'text', 7]) {
      expect(judge({ a: { exists: false } }, none)).toBe('holds');
      expect(judge({ a: { exists: true } }, none)).toBe('fails');
    }
  });

  it('is matched in linear time, whatever the pattern', () => {
    // A backtracking engine takes 2^n steps for this one, and would not come back.
    expect(judge({ a: { matches: '^(a+)+$' } }, { a: `${'a'.repeat(50_000)}b` })).toBe('fails');
  });
});

describe('permissionOf', () => {
  const rules: PermissionRule[] = [
    { tool: 'refund', when: { eur: { gt: 1000 } }, action: 'deny' },
    { tool: 'refund', when: { eur: { gt: 100 } }, action: 'ask' },
    { tool: 'refund', when: { eur: { lte: 5 }, vip: true }, action: 'allow' },
    { tool: 'mcp_*', action: 'ask' },
    { tool: 'mcp_read', action: 'allow' },
  ];
  const decide = (name: string, args: unknown, permission?: 'allow' | 'ask' | 'deny') =>
    permissionOf({ permissions: rules }, { name, ...(permission && { permission }) }, args);

  it.each<[string, unknown, 'allow' | 'ask' | 'deny' | undefined, string, number | undefined]>([
    ['refund', { eur: 5000 }, undefined, 'deny', 0],
    ['refund', { eur: 500 }, undefined, 'ask', 1],
    ['refund', { eur: 50 }, undefined, 'allow', undefined],
    ['refund', { eur: 50 }, 'deny', 'deny', undefined],
    ['refund', { eur: 5, vip: true }, 'deny', 'allow', 2],
    ['refund', {}, 'ask', 'ask', undefined],
    // The first that matches decides, also when a later one is nearer.
    ['mcp_read', {}, 'allow', 'ask', 3],
    ['other', {}, undefined, 'allow', undefined],
    // Doubt closes: the first rule that restricts takes it, one that allows does not.
    ['refund', { eur: '5000' }, undefined, 'deny', 0],
  ])('%s %j (itself: %s): %s by rule %s', (name, args, own, action, rule) => {
    expect(decide(name, args, own)).toEqual({ action, ...(rule === undefined ? {} : { rule: rules[rule] }) });
  });

  it('does not open on doubt', () => {
    const only = [{ tool: '*', when: { eur: { lt: 10 } }, action: 'allow' as const }];
    expect(permissionOf({ permissions: only }, { name: 't', permission: 'ask' }, { eur: '1' }).action).toBe('ask');
  });

  it('sees defaults and conversions when it is given what the tool is given', () => {
    const tool = defineTool({
      name: 'refund',
      description: 'd',
      input: z.object({ eur: z.coerce.number().default(500) }),
    });
    const agent = { permissions: rules };
    for (const [args, action] of [
      [{}, 'ask'],
      [{ eur: '2000' }, 'deny'],
      [{ eur: '7' }, 'allow'],
    ] as const) {
      const checked = tool.validate(args);
      if (!checked.ok) throw new Error(checked.error);
      expect(permissionOf(agent, tool, checked.value).action).toBe(action);
    }
  });
});

describe('rules of a definition', () => {
  const define = (permissions: unknown) =>
    defineAgent({ id: 'a', model: 'scripted:assistant', permissions: permissions as PermissionRule[] }).permissions;

  it('are kept as they are', () => {
    const rules = [
      { tool: 'refund', when: { eur: { gt: 100 }, 'to.country': 'DE', tags: ['x'], n: null }, action: 'ask' },
      { tool: 'mcp_*', action: 'deny' },
    ];
    expect(define(rules)).toEqual(rules);
  });

  it.each<[string, unknown, string]>([
    ['an unknown action', { tool: 't', action: 'maybe' }, 'permissions[0].action: '],
    ['no tool', { action: 'ask' }, 'permissions[0].tool: '],
    [
      'an unknown key',
      { tool: 't', action: 'ask', wen: {} },
      'permissions[0]: unknown key "wen", did you mean "when"?',
    ],
    [
      'an unknown operator',
      { tool: 't', when: { eur: { gtt: 1 } }, action: 'ask' },
      'permissions[0].when.eur: unknown key "gtt", did you mean "gt"?',
    ],
    [
      'an empty comparison',
      { tool: 't', when: { eur: {} }, action: 'ask' },
      'permissions[0].when.eur: must compare with something',
    ],
    ['what is no value', { tool: 't', when: { a: () => 1 }, action: 'ask' }, 'permissions[0].when.a: must be a value'],
    ['a bad operand', { tool: 't', when: { eur: { gt: true } }, action: 'ask' }, 'permissions[0].when.eur.gt: '],
    [
      'a bad pattern',
      { tool: 't', when: { a: { matches: '(' } }, action: 'ask' },
      'permissions[0].when.a.matches: error parsing regexp: missing closing )',
    ],
    [
      'a pattern that looks around',
      { tool: 't', when: { a: { matches: '(?=x)' } }, action: 'ask' },
      'permissions[0].when.a.matches: error parsing regexp',
    ],
  ])('refuse %s', (_, rule, problem) => {
    expect(() => define([rule])).toThrow(ConfigError);
    expect(() => define([rule])).toThrow(problem);
  });
});
