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
    /** The percentage of a window that may be used, if the agent reports its usage. */
    stopAtPercent: z.number().min(1).max(100).optional(),
  });
}
export type AccountSettings = z.infer<ReturnType<typeof accountSettings>>;
