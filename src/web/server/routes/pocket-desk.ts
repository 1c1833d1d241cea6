import { openNoticeDesk } from '../../../app/notices/open-notices.js';
import { channelName, openPush } from '../../../app/notices/open-push.js';
import type { PocketParts } from '../../../operations/pocket.js';
import { readAudit } from '../files/audit.js';
import { listDevices } from '../files/devices.js';
import type { Call } from './route.js';

/** The number of audit lines shown. */
const MAX_LINES = 50;
/** How long a device that is no longer signed in stays listed after it was last seen. */
const SHOWN_MS = 30 * 24 * 60 * 60_000;

/** What a request's device can learn and change about itself and the others. */
export function pocketOf({ parts: { services, place }, device }: Call): PocketParts {
  const push = openPush(services);
  const standing = () => ({ key: push.key(), endpoint: push.endpointOf(device.id) });
  return {
    pocket: {
      standing,
      access() {
        const notified = new Set(push.devices());
        const since = services.clock.now().getTime() - SHOWN_MS;
        const devices = listDevices(place)
          .filter(({ state, seenAt }) => state === 'signed-in' || Date.parse(seenAt) > since)
          .map(({ id, name, can, createdAt, seenAt, state }) => {
            return { id, name, can, createdAt, seenAt, state, isNotified: notified.has(id) };
          })
          .sort((a, b) => Date.parse(b.seenAt) - Date.parse(a.seenAt));
        const isOwn = ({ id }: { readonly id: string }) => id === device.id;
        return {
          devices: [...devices.filter(isOwn), ...devices.filter((other) => !isOwn(other))],
          audit: readAudit(place, MAX_LINES),
        };
      },
      wish(subscription) {
        if (subscription === null) push.drop(device.id);
        else push.keep(device, subscription);
        return standing();
      },
      async test(signal = new AbortController().signal) {
        const [report] = await openNoticeDesk(services).test(channelName(device.id), signal);
        return {
          isSent: report?.isSent === true,
          reason: report?.isSent === true ? null : (report?.reason ?? null),
        };
      },
    },
  };
}
