import { useComputed, useSignal } from '@preact/signals';
import { Component } from 'preact';
import { useEffect } from 'preact/hooks';
import { counted } from '../../../foundation/text/counted.js';
import { visibleLabel } from '../../../foundation/text/visible-text.js';
import type { Card } from '../../contract/index.js';
import { Loading } from '../frame/loading.js';
import { waits } from '../live/page-state.js';
import { usePage } from '../page-context.js';
import { RunRow } from '../runs/run-row.js';
import { timeOfDay } from '../words.js';
import { refusalWords } from './card-desk.js';
import { CardView } from './card-view.js';
import { RestCard } from './rest-card.js';

/** From this many cards on, those off the screen are not drawn. */
const MANY = 20;

/** Everything that is waiting for the person, oldest first. */
export function Inbox() {
  const { store, snoozes } = usePage();
  // As text, so that nothing is redrawn every second.
  const sleepers = useComputed(() =>
    [...store.state.value.cards.keys()].filter((id) => snoozes.isAsleep(id, store.nowMs.value)).join(),
  );
  const asleepIds = new Set(sleepers.value.split(','));
  const isAsleep = ({ set }: Card) => asleepIds.has(set.sessionId);
  const all = store.cards.value;
  const awake = all.filter((card) => !isAsleep(card));
  const asleep = all.filter(isAsleep);
  const resting = store.rows.value.filter(({ group }) => group === 'rests');
  const waiting = awake.filter(waits).length;
  if (store.state.value.seq === -1) return <Loading title="Waiting for you" />;
  return (
    <section class="inbox">
      <h1>
        Waiting for you{' '}
        {waiting + resting.length === 0 ? null : <span class="count">{waiting + resting.length}</span>}
      </h1>
      {awake.length + resting.length === 0 ? <Nothing hasLater={asleep.length > 0} /> : null}
      <div class={all.length > MANY ? 'cards many' : 'cards'}>
        {awake.map((card) => (
          <StableCard key={card.set.sessionId} card={card} />
        ))}
        {resting.map((row) => (
          <RestCard key={row.key} row={row} />
        ))}
      </div>
      {asleep.length === 0 ? null : <Later cards={asleep} />}
      <Beside />
    </section>
  );
}

/** A card that is redrawn only when it changes: there may be hundreds. */
class StableCard extends Component<{ card: Card }> {
  override shouldComponentUpdate({ card }: { card: Card }): boolean {
    return card !== this.props.card;
  }

  override render() {
    return <CardView card={this.props.card} />;
  }
}

function Nothing({ hasLater }: { hasLater: boolean }) {
  const { store } = usePage();
  const working = store.rows.value.filter(({ kind, group }) => kind === 'run' && group === 'works').length;
  return (
    <div class="empty">
      <p class="empty-title">Nothing is waiting{hasLater ? ' right now' : ''}.</p>
      <p>
        {working === 0 ? (
          <>
            No run is working. <code>holdfast run</code> starts one.
          </>
        ) : (
          <a href="/runs">{counted(working, 'run working', 'runs working')}</a>
        )}
      </p>
    </div>
  );
}

/** What is working meanwhile, if there is room for it. */
function Beside() {
  const { store } = usePage();
  const working = store.rows.value.filter(({ group }) => group === 'works' || group === 'asks');
  const runs = working.filter(({ kind }) => kind === 'run').slice(0, MAX_BESIDE);
  if (runs.length === 0) return null;
  return (
    <aside class="beside" aria-label="Runs under way">
      <h2 class="section-title">Under way</h2>
      <ul class="rows">
        {runs.map((row) => (
          <li key={row.key}>
            <RunRow row={row} isBrief />
          </li>
        ))}
      </ul>
    </aside>
  );
}

const MAX_BESIDE = 8;

function Later({ cards }: { cards: readonly Card[] }) {
  const { snoozes } = usePage();
  return (
    <details class="later">
      <summary>Later ({cards.length})</summary>
      <ul>
        {cards.map(({ set }) => (
          <li key={set.sessionId}>
            <span>
              {visibleLabel(set.questions[0]?.title ?? '')} · until{' '}
              {timeOfDay(snoozes.until.value[set.sessionId] ?? 0)}
            </span>
            <button type="button" class="quiet" onClick={() => snoozes.wake(set.sessionId)}>
              Show now
            </button>
          </li>
        ))}
      </ul>
    </details>
  );
}

/** A single set, for a link to it. */
export function OneQuestion({ id }: { id: string }) {
  const { store } = usePage();
  const read = useSignal<Card | null>(null);
  const fault = useSignal<string | null>(null);
  const { cards, settled, seq } = store.state.value;
  const isTold = seq !== -1;
  const told = cards.get(id) ?? settled.get(id)?.card;
  useEffect(() => {
    if (told !== undefined) {
      read.value = told;
      return;
    }
    if (!isTold) return;
    void store.api.card(id).then((reply) => {
      if (reply.isDone) read.value = reply.value;
      else fault.value = reply.status === 404 ? 'There is no such question.' : refusalWords(reply);
    });
  }, [id, told, isTold, store, read, fault]);
  const card = told ?? read.value;
  return (
    <section class="inbox alone">
      <p class="crumb">
        <a href="/">‹ Inbox</a>
      </p>
      <h1 class="hidden">One question</h1>
      {card === null ? (
        fault.value === null ? (
          <Loading title="One question" />
        ) : (
          <p class="empty">{fault.value}</p>
        )
      ) : (
        <CardView card={card} isAlone />
      )}
    </section>
  );
}
