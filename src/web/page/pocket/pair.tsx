import { useSignal } from '@preact/signals';
import { useCallback, useEffect } from 'preact/hooks';
import type { PairingAsked, SignedIn } from '../../contract/index.js';
import { refusalWords } from '../inbox/card-desk.js';
import { browserName } from '../live/store.js';
import { usePage } from '../page-context.js';

const ASK_EVERY_MS = 1_000;

/** Signs in with the code that `holdfast web pair` shows, typed or scanned. An installed app has no other way in. */
export function PairForm({ code }: { code: string | null }) {
  const { store } = usePage();
  const typed = useSignal('');
  const asked = useSignal<PairingAsked | null>(null);
  const fault = useSignal<string | null>(null);
  const isBusy = useSignal(false);
  const ask = useCallback(
    async (given: string) => {
      isBusy.value = true;
      fault.value = null;
      const body = { code: given, name: browserName(navigator.userAgent) };
      const reply = await store.api.post<PairingAsked>('pair', body);
      isBusy.value = false;
      if (reply.isDone) asked.value = reply.value;
      else fault.value = refusalWords(reply);
    },
    [store, asked, fault, isBusy],
  );
  useEffect(() => {
    if (code !== null) void ask(code);
  }, [code, ask]);
  const { value: waiting } = asked;
  useEffect(() => {
    if (waiting === null) return;
    const timer = setInterval(async () => {
      const reply = await store.api.post<SignedIn | { isWaiting: true }>('pair/claim', {
        ticket: waiting.ticket,
      });
      // No server answered: a phone that was locked asks again.
      if (!reply.isDone && reply.status === 0) return;
      if (reply.isDone && 'isWaiting' in reply.value) return;
      clearInterval(timer);
      if (reply.isDone) store.enterWith(reply.value as SignedIn);
      else fault.value = refusalWords(reply);
      asked.value = null;
    }, ASK_EVERY_MS);
    return () => clearInterval(timer);
  }, [waiting, store, asked, fault]);
  if (waiting !== null)
    return (
      <div class="pairing">
        <p role="status">
          The terminal asks whether this device is yours. If it shows the same four letters, say yes there:
        </p>
        <p class="check">{waiting.check}</p>
      </div>
    );
  return (
    <form
      class="pairing"
      onSubmit={(event) => {
        event.preventDefault();
        void ask(typed.value);
      }}
    >
      {fault.value === null ? null : (
        <p class="fault" role="alert">
          {fault.value}
        </p>
      )}
      <label class="field">
        <span>
          8-character code from <code>holdfast web pair</code>
        </span>
        <input
          type="text"
          name="code"
          required
          maxLength={20}
          autocomplete="one-time-code"
          autocapitalize="characters"
          spellcheck={false}
          value={typed.value}
          onInput={(event) => {
            typed.value = event.currentTarget.value;
          }}
        />
      </label>
      <button type="submit" disabled={isBusy.value}>
        Sign in with the code
      </button>
    </form>
  );
}
