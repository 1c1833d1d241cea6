import { useSignal } from '@preact/signals';
import type { Card } from '../../contract/index.js';
import { Sheet } from '../frame/sheet.js';
import { usePage } from '../page-context.js';
import type { Work } from './card-desk.js';
import { SNOOZES } from './snooze.js';

/** The buttons Later and Reject, which every card has. */
export function CardActions({ card, work }: { card: Card; work: Work }) {
  const shown = useSignal<'later' | 'reject' | null>(null);
  const { snoozes } = usePage();
  const close = () => {
    shown.value = null;
  };
  const isBusy = work.sending.value.name === 'sending';
  return (
    <>
      <button
        type="button"
        class="quiet"
        data-key="later"
        onClick={() => {
          shown.value = 'later';
        }}
      >
        Later
      </button>
      <button
        type="button"
        class="quiet"
        data-key="reject"
        disabled={isBusy}
        onClick={() => {
          shown.value = 'reject';
        }}
      >
        Reject…
      </button>
      {shown.value === 'later' ? (
        <Sheet title="Show it again" onClose={close}>
          <p class="hint">On this device only. It is not an answer: the asker keeps waiting.</p>
          <div class="stack">
            {SNOOZES.map(({ words, until }) => (
              <button
                type="button"
                key={words}
                onClick={() => {
                  close();
                  snoozes.set(card.set.sessionId, until(new Date()));
                }}
              >
                {words}
              </button>
            ))}
            <button type="button" class="quiet" onClick={close}>
              Cancel
            </button>
          </div>
        </Sheet>
      ) : null}
      {shown.value === 'reject' ? <RejectSheet card={card} work={work} onClose={close} /> : null}
    </>
  );
}

function RejectSheet({ card, work, onClose }: { card: Card; work: Work; onClose: () => void }) {
  const { desk } = usePage();
  const count = card.set.questions.length;
  return (
    <Sheet
      title={count === 1 ? 'Reject this question?' : `Reject these ${count} questions?`}
      onClose={onClose}
    >
      <p class="hint">The agent learns that you will not answer, and why if you say so.</p>
      <label class="field">
        Reason (optional)
        <textarea
          rows={3}
          dir="auto"
          value={work.draft.value.rejectionReason}
          onInput={(event) => desk.giveReason(card, event.currentTarget.value)}
        />
      </label>
      <div class="actions">
        <button
          type="button"
          class="danger"
          onClick={() => {
            onClose();
            void desk.reject(card);
          }}
        >
          Reject
        </button>
        <button type="button" class="quiet" onClick={onClose}>
          Cancel
        </button>
      </div>
    </Sheet>
  );
}
