import { visibleLabel } from '../../../foundation/text/visible-text.js';
import type { Card } from '../../contract/index.js';
import { usePage } from '../page-context.js';
import { lateWords } from '../words.js';
import type { Work } from './card-desk.js';

/** Notes to read before answering a card. */
export function CardNotes({ card, work }: { card: Card; work: Work }) {
  const late = lateWords(card.set);
  return (
    <>
      <Damage card={card} />
      {late === null ? null : <p class="note">{late}</p>}
      {work.origin.value === 'elsewhere' ? (
        <p class="note">What you typed on another screen is here. Nothing was sent yet.</p>
      ) : null}
    </>
  );
}

/** The names of a set's files that do not verify. */
export function Damage({ card: { set } }: { card: Card }) {
  if (set.faults.length === 0) return null;
  return (
    <div class="note bad">
      <p>
        <strong>Damaged.</strong> Some of its files cannot be trusted:
      </p>
      <ul>
        {set.faults.map(({ file, kind, reason }) => (
          <li key={file}>
            <code>{visibleLabel(file)}</code> {visibleLabel(kind)}: {visibleLabel(reason)}
          </li>
        ))}
      </ul>
      <p>
        <code>holdfast sessions recover {set.sessionId.slice(0, 8)}</code> sets them aside and keeps them.
      </p>
    </div>
  );
}

/** The progress of sending, next to the buttons. */
export function SendingNote({ card, work, again }: { card: Card; work: Work; again?: () => void }) {
  const { desk, store } = usePage();
  const sending = work.sending.value;
  const isLive = store.connection.value.name === 'live';
  if (sending.name === 'sending')
    return (
      <p class="sending">
        Sending …{' '}
        <button type="button" class="link" onClick={() => desk.cancel(card)}>
          Cancel
        </button>
      </p>
    );
  if (sending.name === 'refused') return <p class="fault">{sending.words}</p>;
  if (sending.name !== 'unsent') return null;
  return (
    <div class="note">
      <p>
        Not sent: the server did not answer.{' '}
        {again === undefined ? 'Decide again' : 'What you chose is kept here. Send it'} when the page is live:
        it will not send itself.
      </p>
      {isLive && again !== undefined ? (
        <button type="button" onClick={again}>
          Send now
        </button>
      ) : null}
    </div>
  );
}
