import { messageOf } from '../../foundation/index.js';
import type { QuestionsElsewhere } from '../../notices/index.js';
import type { Services } from '../services.js';
import type { OpenFleetQuestions } from './open-fleet.js';

/** How long a server of the fleet may take to be reached: a process that ends may have to wait for that. */
const TIMEOUT_MS = 3_000;

/** What waits on other machines, for who is told of it here. Nothing of the fleet is loaded, and nobody asked, before it is watched. */
export function noticesElsewhere(services: Services): QuestionsElsewhere {
  let known: OpenFleetQuestions['known'] | undefined;
  return {
    get isRead() {
      return known?.isRead ?? false;
    },
    get pending() {
      return known?.pending ?? [];
    },
    standing: (id) => known?.standing(id),
    watch(onChange) {
      const onFailed = (error: unknown) =>
        services.log.warn('notice.fleet-not-read', { error: messageOf(error) });
      const closed = new AbortController();
      const watching = (async () => {
        const { openFleetQuestions } = await import('./open-fleet.js');
        await using fleet = await openFleetQuestions(services, { isQuick: true, timeoutMs: TIMEOUT_MS });
        if (fleet === undefined || closed.signal.aborted) return;
        known = fleet.known;
        const watch = known.watch(onChange, onFailed);
        await new Promise((resolve) => closed.signal.addEventListener('abort', resolve, { once: true }));
        watch.close();
      })().catch(onFailed);
      return {
        async close() {
          closed.abort();
          await watching;
        },
      };
    },
  };
}
