import { useEffect, useRef } from 'preact/hooks';
import { PERMISSION_CHOICES } from '../../../foundation/permission-card.js';
import { visibleLabel } from '../../../foundation/text/visible-text.js';
import { unreadFault } from '../../../models/inbox/index.js';
import type { Card } from '../../contract/index.js';
import { usePage } from '../page-context.js';
import { Prompt } from '../prompt.js';
import { cardName } from '../words.js';
import { CardActions } from './card-actions.js';
import type { Work } from './card-desk.js';
import { CardHead } from './card-head.js';
import { CardNotes, SendingNote } from './card-notes.js';
import { MayOnlyLook } from './question-card.js';

/** What an agent wants to do: all of it must be read before it can be allowed. */
export function PermissionCard({ card, work }: { card: Card; work: Work }) {
  const { store } = usePage();
  const { sessionId, questions } = card.set;
  const [question] = questions;
  const can = store.state.value.me?.can;
  return (
    <article
      class="card permission"
      tabIndex={-1}
      aria-label={cardName(card.set)}
      data-card={sessionId}
      data-stop
    >
      <CardHead card={card} />
      <CardNotes card={card} work={work} />
      {question === undefined ? null : <Whole text={question.prompt} work={work} id={sessionId} />}
      {question === undefined ? null : can === 'view' ? (
        <MayOnlyLook />
      ) : (
        <Decision card={card} work={work} isSteering={can === 'steer'} />
      )}
    </article>
  );
}

/** Content under the bars at the top and bottom of a phone does not count as seen. */
const UNCOVERED = '-52px 0px -56px 0px';

/** The full text of a permission. It counts as read once its beginning and its end have been on the screen. */
function Whole({ text, work, id }: { text: string; work: Work; id: string }) {
  const head = useRef<HTMLSpanElement>(null);
  const end = useRef<HTMLSpanElement>(null);
  useEffect(() => {
    if (work.isRead.peek() || head.current === null || end.current === null) return;
    const unseen = new Set<Element>([head.current, end.current]);
    const observer = new IntersectionObserver(
      (entries) => {
        for (const { isIntersecting, target } of entries) if (isIntersecting) unseen.delete(target);
        if (unseen.size > 0) return;
        observer.disconnect();
        work.isRead.value = true;
      },
      { threshold: 1, rootMargin: UNCOVERED },
    );
    for (const mark of unseen) observer.observe(mark);
    return () => observer.disconnect();
  }, [work]);
  return (
    <div class="whole" role="group" tabIndex={0} aria-label="Everything that is asked for" id={`${id}-whole`}>
      <span class="mark" ref={head} />
      <Prompt text={text} />
      <span class="mark" ref={end} />
    </div>
  );
}

function Decision({ card, work, isSteering }: { card: Card; work: Work; isSteering: boolean }) {
  const { desk } = usePage();
  const { set } = card;
  const isBusy = work.sending.value.name === 'sending';
  const isRead = work.isRead.value;
  const words = work.draft.value.answers[0]?.text ?? '';
  const labels = (set.questions[0]?.options ?? []).map(({ label }) => label);
  const shown = labels.filter((label) => isSteering || label !== PERMISSION_CHOICES.always);
  return (
    <>
      {isRead ? null : (
        <p class="hint" id={`${set.sessionId}-unread`}>
          Scroll to the end to allow it.
        </p>
      )}
      <details class="own-words" open={words !== ''}>
        <summary>Deny and tell the agent why</summary>
        <label class="field">
          Your words to the agent
          <textarea
            rows={2}
            dir="auto"
            data-key="other"
            value={words}
            onInput={(event) => desk.write(card, 0, event.currentTarget.value)}
          />
        </label>
        <button
          type="button"
          disabled={isBusy || words.trim() === ''}
          onClick={() => void desk.decide(card, null)}
        >
          Deny and tell
        </button>
      </details>
      <SendingNote card={card} work={work} />
      <div class="actions">
        {shown.map((label) => {
          const isUnread = unreadFault({ view: set, isRead }, label) !== undefined;
          return (
            <button
              type="button"
              key={label}
              class={label === PERMISSION_CHOICES.allow ? 'primary' : ''}
              data-key="option"
              disabled={isBusy || isUnread}
              aria-describedby={isUnread ? `${set.sessionId}-unread` : undefined}
              onClick={() => void desk.decide(card, label)}
            >
              {visibleLabel(label)}
            </button>
          );
        })}
        <CardActions card={card} work={work} />
      </div>
    </>
  );
}
