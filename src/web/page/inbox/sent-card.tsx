import { useSignal } from '@preact/signals';
import { visibleExcerpt } from '../../../foundation/text/visible-text.js';
import type { Card } from '../../contract/index.js';
import { usePage } from '../page-context.js';
import { cardName } from '../words.js';
import { CardHead } from './card-head.js';
import { Typed } from './settled-card.js';

/** A set of another machine with a decision that has not arrived there yet. */
export function SentCard({ card }: { card: Card }) {
  const { desk, store } = usePage();
  const told = useSignal<string | null>(null);
  const { sessionId, machine = '', onItsWay } = card.set;
  const { me, fleet } = store.state.value;
  const isOurs = fleet !== null && onItsWay?.by === fleet.self.slice(fleet.self.indexOf('/') + 1);
  const who = isOurs ? 'What you decided' : `What ${visibleExcerpt(onItsWay?.by ?? '', 60)} decided`;
  const typed = desk.leftBehind(sessionId);
  const takeBack = async () => {
    told.value = 'Taking it back …';
    told.value = await desk.takeBack(card);
  };
  return (
    <article class="card" tabIndex={-1} aria-label={cardName(card.set)} data-card={sessionId} data-stop>
      <CardHead card={card} />
      <p class="outcome" role="status">
        <strong>{who} is on its way</strong> to {visibleExcerpt(machine, 63)}. It counts when it arrives
        there.
      </p>
      {typed === undefined ? null : (
        <div>
          <p class="hint">{isOurs && desk.isSent(sessionId) ? 'Sent:' : 'What you began here is kept:'}</p>
          <Typed draft={typed} />
        </div>
      )}
      {told.value === null ? null : <p class="note">{told.value}</p>}
      {isOurs && me?.can !== 'view' ? (
        <div class="actions">
          <button type="button" onClick={() => void takeBack()}>
            Take back
          </button>
        </div>
      ) : null}
    </article>
  );
}
