import type { StartOptions } from './driver.js';
import { AgentNotStartedError } from './errors.js';

/**
 * Refuses a conversation of another driver, or one with a malformed id: ids come from files that anybody may have edited,
 * and one that begins with `-` would be an option. Throws AGENT_NOT_STARTED.
 */
export function refuseForeignHandle(
  driver: string,
  { name = driver, resume: handle }: Pick<StartOptions, 'name' | 'resume'>,
): void {
  if (handle === undefined) return;
  if (handle.driver !== driver) {
    throw new AgentNotStartedError(name, `the conversation belongs to ${handle.driver}`);
  }
  if (!/^\w[\w-]*$/.test(handle.id))
    throw new AgentNotStartedError(name, 'the id of the conversation is not valid');
}
