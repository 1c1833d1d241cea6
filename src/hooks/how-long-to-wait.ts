import type { PermissionAsked } from './events.js';

/**
 * How long a hook waits for a person before the agent's own dialog gets its turn; undefined = as long as the agent waits. If
 * that dialog is open in the meantime, the wait holds up nothing; otherwise it opens only after the hook. 0 = no wait: the
 * agent waits at its terminal, and people only get a notice.
 */
export function patienceMs(
  { hasOwnDialog }: Pick<PermissionAsked, 'hasOwnDialog'>,
  waitSeconds: number,
): number | undefined {
  if (waitSeconds === 0) return 0;
  return hasOwnDialog ? undefined : waitSeconds * 1_000;
}

/** Why a card is withdrawn if nobody answered in that time. */
export const GAVE_WAY = 'nobody answered in time, so the agent asks at its own terminal';
