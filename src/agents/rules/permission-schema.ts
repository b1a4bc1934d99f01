/** What a configuration may say about permissions. */

import { z } from 'zod';
import { isObject } from '../../json.js';
import { section } from '../schema.js';
import type { Conditions } from './arguments.js';
import { patternFault } from './pattern.js';
import { Permission, type PermissionRule } from './permissions.js';

/** A regular expression that compiles. */
export const pattern = z
  .string()
  .min(1)
  .superRefine((value, context) => {
    const fault = patternFault(value);
    if (fault) context.addIssue({ code: 'custom', message: fault });
  })
  .describe('A regular expression (RE2), found anywhere in the text; (?i) at its front ignores case.');

/** A tool's name, or a pattern of one. */
export const toolName = z.string().min(1).describe('The name of a tool; * stands for any characters.');

const ordered = z.union([z.number(), z.string()]).optional();

const comparison = section({
  eq: z.unknown().optional(),
  ne: z.unknown().optional(),
  gt: ordered,
  gte: ordered,
  lt: ordered,
  lte: ordered,
  in: z.array(z.unknown()).min(1).optional(),
  matches: pattern.optional(),
  exists: z.boolean().optional(),
}).refine((value) => Object.keys(value).length > 0, 'must compare with something');

const plain = [z.string(), z.number(), z.boolean(), z.null(), z.array(z.unknown())] as const;

/** What editors are told of a condition. */
export const conditionOutline = z.union([...plain, comparison]);

/** Checked by a function, since the faults of a union would not say what is wrong inside a comparison. */
export const condition = z.unknown().transform((value, context) => {
  const parsed = (isObject(value) ? comparison : z.union(plain, 'must be a value or a comparison')).safeParse(value);
  if (parsed.success) return parsed.data as Conditions[string];
  for (const { path, message } of parsed.error.issues) context.addIssue({ code: 'custom', path, message });
  return z.NEVER;
});

export const permissionRule: z.ZodType<PermissionRule> = section({
  tool: toolName,
  when: z
    .record(z.string().min(1), condition)
    .optional()
    .describe('Conditions by the path of an argument; a plain value means "equals". All must hold.'),
  action: z.enum(Permission),
});
