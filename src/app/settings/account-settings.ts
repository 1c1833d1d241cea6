import * as z from 'zod';
import { AgentName } from './agent-settings.js';

/** An account of the user's own: `accounts.<name>` in `config.json`. */
export function accountSettings(Directory: z.ZodType<string>) {
  return z.strictObject({
    agent: AgentName,
    /** Where the agent keeps the login of this account; its usual place if absent. */
    settingsDirectory: Directory.optional(),
    /** How many runs a worker starts on it at the same time. */
    slots: z.int().min(1).max(1_000).optional(),
    /** How much of a window may be used, where the agent tells how much is. */
    stopAtPercent: z.number().min(1).max(100).optional(),
  });
}
export type AccountSettings = z.infer<ReturnType<typeof accountSettings>>;
