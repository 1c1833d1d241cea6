import { useEffect } from 'preact/hooks';
import { visibleBlock, visibleLabel } from '../../../foundation/text/visible-text.js';
import type { Card } from '../../contract/index.js';
import { usePage } from '../page-context.js';
import { Words } from '../prompt.js';
import { actorWords, answersInWords, cardName, endWords, timeOfDay } from '../words.js';
import { CardHead } from './card-head.js';
import { Damage } from './card-notes.js';
import type { CardDraft } from './drafts.js';

/** How a set ended: who decided what, and what was typed here but did not count. */
export function SettledCard({ card }: { card: Card }) {
  const { desk, store } = usePage();
  const { set } = card;
  const typed = desk.leftBehind(set.sessionId);
  const isDecided = set.status === 'completed' || set.status === 'rejected';
  const { me, fleet } = store.state.value;
  const isOfUs = fleet !== null && set.actor === `fleet:${fleet.self}`;
  const who = isOfUs ? 'you' : actorWords(set.actor, me);
  const isHere = who === 'you, here' || (isOfUs && desk.isSent(set.sessionId));
  // This browser's answer arrived, but the reply to it got lost.
  useEffect(() => {
    if (isHere && typed !== undefined) desk.forget(set.sessionId);
  }, [isHere, typed, desk, set.sessionId]);
  const reason = set.rejectionReason ?? set.abandonedReason;
  return (
    <article
      class="card settled"
      tabIndex={-1}
      aria-label={cardName(card.set)}
      data-card={set.sessionId}
      data-stop
    >
      <CardHead card={card} />
      <p class={`outcome ${set.status}`}>
        <strong>
          {endWords(set)}
          {isDecided && !isHere && !isOfUs ? ' elsewhere' : ''}
        </strong>
        {isDecided ? ` by ${who}` : ''} at {timeOfDay(Date.parse(set.lastActivityAt))}
        {set.late ? ', late' : ''}
        {isOfUs ? `. It arrived on ${visibleLabel(set.machine ?? '')}` : ''}
      </p>
      <Damage card={card} />
      {set.status === 'completed' ? (
        <dl class="answers">
          {answersInWords(set).map(({ title, said }, index) => (
            <div key={index}>
              <dt>
                <Words text={title} />
              </dt>
              <dd>
                <bdi>{visibleBlock(said)}</bdi>
              </dd>
            </div>
          ))}
        </dl>
      ) : null}
      {reason === null || reason === '' ? null : (
        <p class="reason">
          <bdi>{visibleBlock(reason)}</bdi>
        </p>
      )}
      {set.unheardReason === undefined ? null : (
        <p class="note">It did not count: {visibleLabel(set.unheardReason)}</p>
      )}
      {typed === undefined || isHere ? null : (
        <div class="note">
          <p>What you began here is kept until you discard it:</p>
          <Typed draft={typed} />
          <button
            type="button"
            class="quiet"
            onClick={() => {
              desk.forget(set.sessionId);
              store.dismiss(set.sessionId);
            }}
          >
            Discard
          </button>
        </div>
      )}
    </article>
  );
}

/** A summary of what was typed. */
export function Typed({ draft }: { draft: CardDraft }) {
  return (
    <>
      {draft.answers.map(({ selected, text }, index) => (
        <p key={index} class="typed">
          <bdi>{[...selected.map(visibleLabel), visibleBlock(text)].filter(Boolean).join(', ')}</bdi>
        </p>
      ))}
    </>
  );
}
