import { useSignal } from '@preact/signals';
import { useEffect, useLayoutEffect, useMemo } from 'preact/hooks';
import { counted, grouped } from '../../../foundation/text/counted.js';
import { visibleExcerpt } from '../../../foundation/text/visible-text.js';
import type { ReaderItem, TranscriptHead, TranscriptRecord } from '../../contract/sessions.js';
import { Age } from '../frame/age.js';
import { Late } from '../frame/late.js';
import { Loading } from '../frame/loading.js';
import { usePage } from '../page-context.js';
import { ItemView } from './item-view.js';
import { Reading } from './reading.js';
import { useScrolling } from './scrolling.js';
import { type Ahead, wantedOf } from './wanted.js';

/** One conversation of any length: what was said, what was done, and where its file is damaged. */
export function Transcript({ id, ahead }: { id: string; ahead: Ahead }) {
  const { store } = usePage();
  const reading = useMemo(() => new Reading(store, id), [store, id]);
  useLayoutEffect(() => reading.start(ahead), [reading, ahead]);
  const isLive = store.connection.value.name === 'live';
  useEffect(() => {
    if (isLive && typeof reading.standing.peek() === 'object')
      void reading.open(wantedOf(location.hash) ?? 'start');
  }, [reading, isLive]);
  useEffect(() => {
    const follow = () => {
      const wanted = wantedOf(location.hash);
      const shown = document.getElementById(location.hash.slice(1));
      if (wanted !== null && shown === null) void reading.open(wanted);
    };
    addEventListener('hashchange', follow);
    return () => removeEventListener('hashchange', follow);
  }, [reading]);
  const standing = reading.standing.value;
  if (standing === 'missing')
    return (
      <section class="transcript">
        <Crumb />
        <p class="empty">There is no such conversation.</p>
      </section>
    );
  if (typeof standing === 'object')
    return (
      <section class="transcript">
        <Crumb />
        <div class="empty">
          <p>{standing.fault}</p>
          <button type="button" onClick={() => void reading.open('start')}>
            Try again
          </button>
        </div>
      </section>
    );
  if (standing === 'loading') return <Loading title="" />;
  return <Reader id={id} reading={reading} />;
}

function Reader({ id, reading }: { id: string; reading: Reading }) {
  const { store } = usePage();
  const asked = useSignal<ReaderItem | null>(null);
  const { list, above, below } = useScrolling(reading);
  const { pages } = reading.held.value;
  const items = pages.flatMap((page) => page.items);
  const isEnd = pages.at(-1)?.isEnd === true;
  const readRecord = async (offset: number) => {
    const reply = await store.api.read<TranscriptRecord>(
      `sessions/${encodeURIComponent(id)}/record?offset=${offset}`,
    );
    if (reply.isDone) return reply.value;
    store.noteRefused(reply);
    return null;
  };
  const onClose = () => {
    asked.value = null;
  };
  const actions = {
    isOfRun: id.startsWith('run-'),
    onMore: (item: ReaderItem) => {
      asked.value = item;
    },
    readWhole: async ({ offset }: ReaderItem) => (await readRecord(offset))?.text ?? null,
  };
  return (
    <section class="transcript">
      <Crumb />
      <Head id={id} head={reading.head.value} reading={reading} />
      {reading.standing.value === 'removed' ? (
        <p class="note bad" role="status">
          This conversation was removed. What was read stays here until you leave; <code>holdfast trash</code>{' '}
          lists what can be put back.
        </p>
      ) : null}
      <Late
        load={find}
        props={{ id, onHit: ({ offset }: { offset: number }) => void reading.open({ after: offset }) }}
        meanwhile={<FindPlace />}
      />
      <div ref={above} class="unheld" />
      <div ref={list} class={items.length > 20 ? 'turns many' : 'turns'}>
        {items.length === 0 ? <p class="empty">Nothing was said yet.</p> : null}
        {items.map((item) => (
          <ItemView
            key={`${item.kind}${item.offset}`}
            item={item}
            isTarget={reading.target.value === item.offset}
            actions={actions}
          />
        ))}
      </div>
      <div ref={below} class="unheld" />
      <nav class="reach" aria-label="In this transcript">
        <button type="button" onClick={() => void reading.open('start')}>
          ↑ Start
        </button>
        <Position reading={reading} />
        <button type="button" onClick={() => void reading.open('end')}>
          ↓ {reading.fresh.value > 0 && isEnd ? `${reading.fresh.value} new` : 'End'}
        </button>
      </nav>
      {asked.value === null ? null : (
        <Late load={rowSheet} props={{ id, item: asked.value, readRecord, onClose }} />
      )}
    </section>
  );
}

const find = () => import('./find.js').then(({ Find }) => Find);
const takeAlong = () => import('./take-along.js').then(({ TakeAlong }) => TakeAlong);
const rowSheet = () => import('./row-sheet.js').then(({ RowSheet }) => RowSheet);

/** A placeholder with the height of the search bar, so that nothing moves when it appears. */
function FindPlace() {
  return (
    <div class="find" aria-hidden="true">
      <input type="search" placeholder="Find" disabled />
      <button type="button" disabled>
        Find
      </button>
    </div>
  );
}

/** The turn being read; a number and Enter go to another one. */
function Position({ reading }: { reading: Reading }) {
  const typed = useSignal('');
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        const turn = Number(typed.value);
        if (Number.isSafeInteger(turn) && turn > 0) void reading.open({ turn });
      }}
    >
      <label>
        Turn{' '}
        <input
          type="text"
          inputMode="numeric"
          size={6}
          value={typed}
          onInput={(event) => {
            typed.value = event.currentTarget.value;
          }}
        />
      </label>{' '}
      <span class="hint">of {grouped(reading.turns.value)}</span>
    </form>
  );
}

function Head({ id, head, reading }: { id: string; head: TranscriptHead | null; reading: Reading }) {
  const isOpen = useSignal(false);
  return (
    <header class="run-head">
      <h1>{head === null ? visibleExcerpt(id, 40) : headWords(head)}</h1>
      {head === null ? null : (
        <>
          <p class="where">
            <span>
              {reading.isLive.value ? '● ' : ''}
              {head.isOfRun ? 'run' : 'conversation'}, {reading.isLive.value ? 'in use now' : head.status}
            </span>
            <span>{counted(reading.turns.value, 'turn')}</span>
            <span>
              active <Age at={head.lastActivity} /> ago
            </span>
            {head.isDamaged ? <span class="fault">✗ damaged</span> : null}
            {head.run === null ? null : <a href={`/r/${head.run}`}>the run</a>}
          </p>
          <details
            class="commands"
            onToggle={({ currentTarget }) => {
              isOpen.value ||= currentTarget.open;
            }}
          >
            <summary>Resume it, check it, save it</summary>
            {isOpen.value ? (
              <Late
                load={takeAlong}
                props={{ id, command: head.command, onChanged: () => void reading.look() }}
              />
            ) : null}
          </details>
        </>
      )}
    </header>
  );
}

function headWords({ agent, workingDirectory }: TranscriptHead): string {
  const where = workingDirectory?.split('/').at(-1);
  const who = visibleExcerpt(agent, 60);
  return where === undefined || where === '' ? who : `${who} in ${visibleExcerpt(where, 60)}`;
}

function Crumb() {
  return (
    <p class="crumb">
      <a href="/s">‹ Sessions</a>
    </p>
  );
}
