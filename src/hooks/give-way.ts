import type { PermissionAsked } from './events.js';

/**
 * How long a hook waits for a person before the agent's own dialog gets its turn; undefined = as long as the agent does. Where
 * that dialog is open meanwhile, waiting takes nothing from anybody; everywhere else it comes only after the hook. 0 = not
 * at all: the agent waits at its terminal, and people are only told.
 */
export function patienceMs(
  { hasOwnDialog }: Pick<PermissionAsked, 'hasOwnDialog'>,
  waitSeconds: number,
): number | undefined {
  if (waitSeconds === 0) return 0;
  return hasOwnDialog ? undefined : waitSeconds * 1_000;
}

/** Why a card is withdrawn that nobody answered in that time. */
export const GAVE_WAY = 'nobody answered in time, so the agent asks at its own terminal';
