import { useComputed, useSignal, useSignalEffect } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { visibleLabel } from '../../../foundation/text/visible-text.js';
import { waits } from '../live/page-state.js';
import { usePage } from '../page-context.js';
import { PocketNotes } from '../pocket/notes.js';
import { connectionNews, connectionWords } from '../words.js';
import { Age } from './age.js';
import { KeysHelp, Settings } from './settings.js';

/** The frame around every place: the navigation, the connection, and the settings. */
export function Layout({ children }: { children: ComponentChildren }) {
  const { store, keys, router, snoozes, pocket } = usePage();
  const isSet = useSignal(false);
  const waiting = useComputed(() => {
    const nowMs = store.nowMs.value;
    const cards = [...store.state.value.cards.values()].filter(waits);
    const awake = cards.filter(({ set }) => !snoozes.isAsleep(set.sessionId, nowMs)).length;
    return awake + store.rows.value.filter(({ group }) => group === 'rests').length;
  });
  const working = useComputed(
    () => store.rows.value.filter(({ kind, group }) => kind === 'run' && group === 'works').length,
  );
  useSignalEffect(() => {
    pocket.showCount(waiting.value);
    document.title = waiting.value === 0 ? 'Holdfast' : `(${waiting.value}) Holdfast`;
  });
  const { name } = router.place.value;
  return (
    <div class="frame">
      <a class="skip" href="#content">
        Skip to the content
      </a>
      <header class="top">
        <a class="brand" href="/">
          Holdfast
        </a>
        <ConnectionView />
        <button
          type="button"
          class="icon"
          aria-label="Settings"
          onClick={() => {
            isSet.value = true;
          }}
        >
          <svg viewBox="0 0 20 20" width="20" height="20" aria-hidden="true" focusable="false">
            <path
              d="M3 5h14M3 10h14M3 15h14"
              stroke="currentColor"
              stroke-width="1.75"
              stroke-linecap="round"
              fill="none"
            />
          </svg>
        </button>
      </header>
      <nav class="places" aria-label="Places">
        <a href="/" aria-current={name === 'inbox' || name === 'question' ? 'page' : undefined}>
          Inbox {waiting.value === 0 ? null : <span class="count">{waiting.value}</span>}
        </a>
        <a href="/runs" aria-current={['runs', 'run', 'report'].includes(name) ? 'page' : undefined}>
          Runs {working.value === 0 ? null : <span class="count calm">{working.value}</span>}
        </a>
        <a href="/s" aria-current={name === 'sessions' || name === 'transcript' ? 'page' : undefined}>
          Sessions
        </a>
      </nav>
      <main id="content" tabIndex={-1}>
        <PocketNotes />
        <FleetNote />
        {children}
      </main>
      <p class="hidden" role="status">
        {store.news.value}
      </p>
      {isSet.value ? (
        <Settings
          onClose={() => {
            isSet.value = false;
          }}
        />
      ) : null}
      {keys.isHelpShown.value ? (
        <KeysHelp
          onClose={() => {
            keys.isHelpShown.value = false;
          }}
        />
      ) : null}
    </div>
  );
}

/** A note about the other machines: what is shown of them may be old. */
function FleetNote() {
  const { store } = usePage();
  const trouble = store.state.value.fleet?.trouble;
  if (trouble == null) return null;
  return (
    <p class="pocket-note" role="status">
      Other machines cannot be read: {visibleLabel(trouble.reason)}.{' '}
      {trouble.at === null ? (
        'Nothing is known about them.'
      ) : (
        <>
          What is shown of them is <Age at={trouble.at} /> old, and answers to them are not stored.
        </>
      )}
    </p>
  );
}

const SHAPES = { live: '●', connecting: '◌', reconnecting: '◌', offline: '○' } as const;

function ConnectionView() {
  const { store } = usePage();
  const words = useComputed(() => connectionWords(store.connection.value, store.nowMs.value));
  const news = useComputed(() => connectionNews(store.connection.value));
  const { name } = store.connection.value;
  return (
    <p class={`connection ${name}`}>
      <span aria-hidden="true">
        <span class="dot">{SHAPES[name]}</span> {words}
      </span>
      <span class="hidden" role="status">
        {news}
      </span>
      {name === 'offline' || name === 'reconnecting' ? (
        <button type="button" class="link" onClick={() => store.retry()}>
          Try now
        </button>
      ) : null}
    </p>
  );
}
