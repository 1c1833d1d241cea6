import { isHoldfastError } from '../../foundation/index.js';
import { type Hub, INBOX_CHANNEL, type Listening, OVERVIEW_CHANNEL } from '../../hub/index.js';
import type { Door, OpenOptions } from '../door.js';

/** Who listens to a hub, until closed. */
export interface Hearing {
  readonly hub: Hub;
  close(): void;
}

/**
 * Hears what changes anywhere, listening once per connection: pass what the last call returned. Undefined if no hub can
 * be reached; the read that follows reports why.
 */
export async function hearing(
  door: Door,
  before: Hearing | undefined,
  onCall: () => void,
  options?: OpenOptions,
): Promise<Hearing | undefined> {
  const heard: Listening[] = [];
  const close = () => {
    for (const listening of heard) listening.close();
  };
  try {
    const hub = await door.open(options);
    if (hub === before?.hub) return before;
    for (const channel of [INBOX_CHANNEL, OVERVIEW_CHANNEL])
      heard.push(await hub.connection.listen(channel, onCall));
    return { hub, close };
  } catch (error) {
    close();
    if (!isHoldfastError(error)) throw error;
    return undefined;
  }
}
