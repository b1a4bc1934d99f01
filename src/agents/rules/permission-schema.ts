/** What a configuration may say about permissions. */

import { z } from 'zod';
import { section } from '../schema.js';
import type { Comparison } from './arguments.js';
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

const comparison: z.ZodType<Comparison> = section({
  eq: z.json().optional(),
  ne: z.json().optional(),
  gt: ordered,
  gte: ordered,
  lt: ordered,
  lte: ordered,
  in: z.array(z.json()).min(1).optional(),
  matches: pattern.optional(),
  exists: z.boolean().optional(),
}).refine((value) => Object.keys(value).length > 0, 'must compare with something');

/** Not a union: its faults would not say what is wrong inside the comparison. */
const condition = z.json().transform((value, context) => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const parsed = comparison.safeParse(value);
  if (parsed.success) return parsed.data;
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
