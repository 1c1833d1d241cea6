import { useSignal } from '@preact/signals';
import { visibleLabel } from '../../../foundation/text/visible-text.js';
import { steeringFault } from '../../../models/top/index.js';
import type { PageSnapshot, RunRequest, Steered } from '../../contract/index.js';
import { Sheet } from '../frame/sheet.js';
import { refusalWords } from '../inbox/card-desk.js';
import { usePage } from '../page-context.js';

type Row = PageSnapshot['rows'][number];

/** Guide, pause, resume and stop, each shown when it would have an effect. */
export function Steering({ id, row }: { id: string; row: Row | null }) {
  const { store } = usePage();
  const shown = useSignal<'guide' | 'stop' | null>(null);
  const told = useSignal<string | null>(null);
  const can = store.state.value.me?.can;
  if (row === null || row.isArchived || row.group === 'ended') return null;
  if (can !== 'steer')
    return (
      <p class="note">
        This device may not steer. <code>holdfast web link --can steer</code> prints a link for one that may.
      </p>
    );
  const send = async (request: RunRequest) => {
    shown.value = null;
    told.value = 'Asking …';
    const reply = await store.api.steer(id, request);
    told.value = reply.isDone ? reply.value.words : refusalWords(reply);
    if (!reply.isDone) store.noteRefused(reply);
  };
  const { fleet } = store.state.value;
  const isOurs = fleet !== null && row.onItsWay?.by === fleet.self.slice(fleet.self.indexOf('/') + 1);
  const takeBack = async () => {
    told.value = 'Taking it back …';
    const reply = await store.api.post<Steered>(`runs/${id}/take-back`, {});
    told.value = reply.isDone ? reply.value.words : refusalWords(reply);
    if (!reply.isDone) store.noteRefused(reply);
  };
  const takes = (what: 'pause' | 'resume' | 'stop') => steeringFault(row, what) === undefined;
  const close = () => {
    shown.value = null;
  };
  return (
    <div class="steering">
      <div class="actions">
        <button
          type="button"
          onClick={() => {
            shown.value = 'guide';
          }}
        >
          Guide…
        </button>
        {takes('pause') ? (
          <button type="button" onClick={() => void send({ kind: 'pause' })}>
            Pause
          </button>
        ) : null}
        {takes('resume') ? (
          <button type="button" class="primary" onClick={() => void send({ kind: 'resume' })}>
            Resume
          </button>
        ) : null}
        {takes('stop') ? (
          <button
            type="button"
            class="danger-quiet"
            onClick={() => {
              shown.value = 'stop';
            }}
          >
            Stop…
          </button>
        ) : null}
      </div>
      {told.value === null ? null : <p class="note">{told.value}</p>}
      {isOurs ? (
        <p class="note">
          {visibleLabel(row.onItsWay?.kind ?? '')} is on its way to {visibleLabel(row.machine ?? '')}.{' '}
          <button type="button" class="link" onClick={() => void takeBack()}>
            Take back
          </button>
        </p>
      ) : null}
      {shown.value === 'guide' ? (
        <GuideSheet onClose={close} onSend={(text) => void send({ kind: 'guidance', text })} />
      ) : null}
      {shown.value === 'stop' ? (
        <Sheet title="Stop this run?" onClose={close}>
          <p>
            The agent’s processes end. Its changes in the project stay, and so do its journal and its
            questions: the run can be resumed where it was.
          </p>
          <div class="actions">
            <button type="button" class="danger" onClick={() => void send({ kind: 'stop' })}>
              Stop the run
            </button>
            <button type="button" class="quiet" onClick={close}>
              Keep it running
            </button>
          </div>
        </Sheet>
      ) : null}
    </div>
  );
}

const GUIDE_ITEM = 'holdfast.guidance';

function GuideSheet({ onClose, onSend }: { onClose: () => void; onSend: (text: string) => void }) {
  const { kept } = usePage();
  const text = useSignal(kept.text(GUIDE_ITEM) ?? '');
  return (
    <Sheet title="Guide the agent" onClose={onClose}>
      <label class="field">
        The agent gets it with its next prompt
        <textarea
          rows={4}
          dir="auto"
          value={text}
          onInput={(event) => {
            text.value = event.currentTarget.value;
            kept.keepText(GUIDE_ITEM, text.value === '' ? null : text.value);
          }}
        />
      </label>
      <div class="actions">
        <button
          type="button"
          class="primary"
          disabled={text.value.trim() === ''}
          onClick={() => {
            kept.keepText(GUIDE_ITEM, null);
            onSend(text.value.trim());
          }}
        >
          Send
        </button>
        <button type="button" class="quiet" onClick={onClose}>
          Cancel
        </button>
      </div>
    </Sheet>
  );
}
