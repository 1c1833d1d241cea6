import { useSignal } from '@preact/signals';
import type { TranscriptHead } from '../../contract/sessions.js';
import { SessionActions } from '../sessions/session-actions.js';

/** How to resume a conversation in a terminal, and what can be done with its file. */
export function TakeAlong({
  id,
  command,
  onChanged,
}: {
  id: string;
  command: TranscriptHead['command'];
  onChanged: () => void;
}) {
  const isCopied = useSignal(false);
  const copy = async (text: string) => {
    try {
      await navigator.clipboard.writeText(text);
      isCopied.value = true;
    } catch {
      isCopied.value = false; // the command is shown and can be selected
    }
  };
  return (
    <div class="stack">
      {command === null ? null : (
        <>
          <pre>
            <code>{command}</code>
          </pre>
          <div class="actions">
            <button type="button" onClick={() => void copy(command)}>
              {isCopied.value ? 'Copied' : 'Copy the command'}
            </button>
          </div>
        </>
      )}
      <SessionActions kind="conversation" id={id} onChanged={onChanged} />
    </div>
  );
}
