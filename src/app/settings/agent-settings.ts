import * as z from 'zod';
import { PRESET_NAMES } from '../../agents/index.js';

export const AgentName = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/, 'letters, digits, dot, dash and underscore only');

/** Its first group is the value. */
const Pattern = z.string().transform((source, context) => {
  try {
    const hasGroup = (new RegExp(`${source}|`).exec('')?.length ?? 0) > 1;
    if (hasGroup) return new RegExp(source, 'i');
    context.addIssue('must hold a group, such as (\\d+)');
  } catch {
    context.addIssue('is no regular expression');
  }
  return z.NEVER;
});

const OneLine = z.string().regex(/^[^\r\n]*$/, 'must be one line');

/** How to talk to a program without a protocol. For defaults see `LineOptions`. */
const LineSettings = z.strictObject({
  endMarkers: z.array(OneLine).min(1).optional(),
  failureMarkers: z.array(OneLine).optional(),
  markersCount: z.enum(['end', 'anywhere']).optional(),
  idleMs: z.int().positive().optional(),
  exitCompletes: z.boolean().optional(),
  promptTerminator: OneLine.optional(),
  lineBreak: OneLine.optional(),
  showsMarkerWhenReady: z.boolean().optional(),
  goodbye: OneLine.optional(),
  context: z.strictObject({ pattern: Pattern.optional(), windowTokens: z.int().positive() }).optional(),
});

/** An agent of the user's own: `agents.<name>` in `config.json`. */
export const AgentSettings = z
  .strictObject({
    driver: z.enum(['claude', 'codex', 'acp', 'line']),
    command: z.string().min(1),
    args: z.array(z.string()).default([]),
    /** For `acp`: the agent whose behaviour to expect. */
    preset: z.enum(PRESET_NAMES).optional(),
    /** For `line`. */
    line: LineSettings.optional(),
    model: z.string().optional(),
    systemPrompt: z.string().optional(),
    environment: z.record(z.string(), z.string()).default({}),
  })
  .refine(({ driver, line }) => line === undefined || driver === 'line', {
    path: ['line'],
    message: 'is for the driver line only',
  });
export type AgentSettings = z.infer<typeof AgentSettings>;
