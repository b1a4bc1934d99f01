/** Fields of a start that several dialects have, with the same words. Null is absent (CONTRACT 0.3). */

import { z } from 'zod';
import { busyPolicies, disconnectPolicies, executionModes } from '../agents/types.js';

export const onBusy = z.enum(busyPolicies).nullish();
export const onDisconnect = z.enum(disconnectPolicies).nullish();
export const toolExecutionMode = z.enum(executionModes).nullish();
