import { messageOf } from '../../foundation/index.js';
import type { QuestionsElsewhere } from '../../notices/index.js';
import type { Services } from '../services.js';
import type { OpenFleetQuestions } from './open-fleet.js';

/** How long connecting to a server of the fleet may take: a process that is ending may have to wait for it. */
const TIMEOUT_MS = 3_000;

/** What is waiting on other machines, for notices here. Before it is watched, no fleet code is loaded and no server is asked. */
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
