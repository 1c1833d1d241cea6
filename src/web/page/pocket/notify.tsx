import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { PushState, PushTest } from '../../contract/index.js';
import { refusalWords } from '../inbox/card-desk.js';
import { usePage } from '../page-context.js';
import { canBeTold, ownSubscription, subscribe, unsubscribe } from './subscription.js';

const UNABLE = {
  no: 'This browser cannot be notified here.',
  install:
    'To be notified, add this page to the home screen first (Share, Add to Home Screen), and open it there.',
  denied: 'This browser blocks notifications from this page. Change that in its own settings.',
} as const;

/** Whether this device gets notices; the browser asks the person after a tap, never before. */
export function Notify() {
  const { store } = usePage();
  const standing = useSignal<PushState | null>(null);
  const isOn = useSignal(false);
  const isBusy = useSignal(false);
  const words = useSignal('');
  useEffect(() => {
    void (async () => {
      const [reply, own] = await Promise.all([store.api.read<PushState>('push'), ownSubscription()]);
      if (!reply.isDone) return;
      standing.value = reply.value;
      isOn.value = own !== null && own.endpoint === reply.value.endpoint;
    })();
  }, [store, standing, isOn]);
  const can = canBeTold();
  const isLooking = store.state.value.me?.can === 'view';
  const work = async (task: () => Promise<string>) => {
    isBusy.value = true;
    words.value = await task().catch((error: unknown) => `The browser refused: ${String(error)}`);
    isBusy.value = false;
  };
  const switchOn = () =>
    work(async () => {
      const reply = await subscribe(store, standing.value?.key ?? '');
      if (reply === 'denied') return UNABLE.denied;
      if (!reply.isDone) return refusalWords(reply);
      isOn.value = true;
      return 'This device now gets notifications.';
    });
  const switchOff = () =>
    work(async () => {
      await unsubscribe();
      const reply = await store.api.post('push', { subscription: null });
      if (!reply.isDone) return refusalWords(reply);
      isOn.value = false;
      return 'This device no longer gets notifications.';
    });
  const test = () =>
    work(async () => {
      const reply = await store.api.post<PushTest>('push/test', {});
      if (!reply.isDone) return refusalWords(reply);
      return reply.value.isSent
        ? 'Sent. It should appear in a moment.'
        : `Not sent: ${reply.value.reason ?? 'the reason is unknown'}.`;
    });
  return (
    <fieldset class="choices">
      <legend>Notifications</legend>
      {can !== 'yes' ? (
        <p class="hint">{UNABLE[can]}</p>
      ) : isLooking ? (
        <p class="hint">A device that may only look is not notified.</p>
      ) : (
        <div class="stack">
          <button
            type="button"
            disabled={isBusy.value || standing.value === null}
            onClick={() => void (isOn.value ? switchOff() : switchOn())}
          >
            {isOn.value ? 'Stop notifying this device' : 'Notify this device'}
          </button>
          {isOn.value ? (
            <button type="button" class="quiet" disabled={isBusy.value} onClick={() => void test()}>
              Send a test
            </button>
          ) : null}
        </div>
      )}
      <p class="hint" role="status">
        {words.value}
      </p>
    </fieldset>
  );
}
