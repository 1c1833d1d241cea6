import { isHoldfastError } from '../../foundation/index.js';
import { type Hub, INBOX_CHANNEL, OVERVIEW_CHANNEL } from '../../hub/index.js';
import type { Door, OpenOptions } from '../door.js';

/**
 * The hub that announces changes anywhere, listened to once per connection: pass the hub of the last call. Undefined if
 * no hub can be reached; the read that follows reports why.
 */
export async function hearing(
  door: Door,
  before: Hub | undefined,
  onCall: () => void,
  options?: OpenOptions,
): Promise<Hub | undefined> {
  try {
    const hub = await door.open(options);
    if (hub === before) return hub;
    await hub.connection.listen(INBOX_CHANNEL, onCall);
    await hub.connection.listen(OVERVIEW_CHANNEL, onCall);
    return hub;
  } catch (error) {
    if (!isHoldfastError(error)) throw error;
    return undefined;
  }
}
