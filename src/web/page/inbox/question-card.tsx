import type { Card } from '../../contract/index.js';
import { usePage } from '../page-context.js';
import { cardName } from '../words.js';
import { CardActions } from './card-actions.js';
import type { Work } from './card-desk.js';
import { CardHead } from './card-head.js';
import { CardNotes, SendingNote } from './card-notes.js';
import { QuestionFields } from './question-fields.js';

/** A set of questions waiting for an answer. */
export function QuestionCard({ card, work }: { card: Card; work: Work }) {
  const { desk, store } = usePage();
  const { sessionId, questions } = card.set;
  const isBusy = work.sending.value.name === 'sending';
  const canAnswer = store.state.value.me?.can !== 'view';
  const send = async () => {
    const fault = await desk.answer(card);
    if (fault !== undefined)
      document.querySelector<HTMLElement>(`[id="${sessionId}-${fault}-question"] input`)?.focus();
  };
  return (
    <article class="card" tabIndex={-1} aria-label={cardName(card.set)} data-card={sessionId} data-stop>
      <CardHead card={card} />
      <CardNotes card={card} work={work} />
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void send();
        }}
      >
        {questions.map((_, index) => (
          <QuestionFields key={index} card={card} work={work} index={index} />
        ))}
        {questions.length === 0 ? null : canAnswer ? (
          <>
            <SendingNote card={card} work={work} again={() => void send()} />
            <div class="actions">
              <button type="submit" class="primary" data-key="answer" disabled={isBusy} aria-busy={isBusy}>
                {isBusy ? 'Sending …' : 'Answer'}
              </button>
              <CardActions card={card} work={work} />
            </div>
          </>
        ) : (
          <MayOnlyLook />
        )}
      </form>
    </article>
  );
}

/** Tells a device that may not answer how to get one that may. */
export function MayOnlyLook() {
  return (
    <p class="note">
      This device may only look. <code>holdfast web link --can answer</code> prints a link for one that may
      answer.
    </p>
  );
}
