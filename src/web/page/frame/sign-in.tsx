import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { refusalWords } from '../inbox/card-desk.js';
import { usePage } from '../page-context.js';
import { Late } from './late.js';

/** The code of the link, removed from the address bar at once: it must not get into any history. */
export function takeCode(): string | null {
  const code = /^#code=([\w-]{16,200})$/.exec(location.hash)?.[1] ?? null;
  if (location.hash.startsWith('#code=')) history.replaceState(null, '', location.pathname);
  return code;
}

/** Signs in with the code of the link, or says how to get one. */
export function SignIn({ code }: { code: string | null }) {
  const { store, pocket } = usePage();
  const fault = useSignal<string | null>(null);
  const isBusy = useSignal(code !== null);
  useEffect(() => {
    if (code === null) return;
    void store.signIn(code).then((reply) => {
      // A link opened twice in one browser already worked the first time.
      if (!reply.isDone && reply.status === 401 && store.goOn()) return;
      isBusy.value = false;
      if (!reply.isDone)
        fault.value =
          reply.status === 401 || reply.status === 403
            ? 'This link was already used or is too old. A new one takes a moment.'
            : refusalWords(reply);
    });
  }, [code, store, fault, isBusy]);
  const wasIn = store.access.value === 'ended';
  return (
    <main class="sign-in" id="content">
      <h1>{isBusy.value ? 'Signing in …' : wasIn ? 'Signed out' : 'Holdfast'}</h1>
      {isBusy.value ? null : (
        <>
          {wasIn ? (
            <p>
              This browser is no longer signed in: its sign-in expired, or was ended in a terminal. What you
              typed is kept here and comes back when you sign in.
            </p>
          ) : null}
          {fault.value === null ? null : <p class="fault">{fault.value}</p>}
          <p>To sign in, run this in a terminal on the machine where Holdfast runs, and open its link:</p>
          <pre class="command">
            <code>holdfast web link</code>
          </pre>
          <p class="hint">The link works once, for two minutes. There is no password to remember.</p>
          <Late load={pairForm} props={{ code: pocket.code }} />
        </>
      )}
    </main>
  );
}

const pairForm = () => import('../pocket/pair.js').then(({ PairForm }) => PairForm);
