import { useSignal } from '@preact/signals';
import { grouped } from '../../../foundation/text/counted.js';
import { visibleBlock } from '../../../foundation/text/visible-text.js';
import type { ReaderItem, TranscriptRecord } from '../../contract/sessions.js';
import { Sheet } from '../frame/sheet.js';

/** The actions for one item of a transcript: copy it, link to it, look at its record. */
export function RowSheet({
  id,
  item,
  readRecord,
  onClose,
}: {
  id: string;
  item: ReaderItem;
  readRecord: (offset: number) => Promise<TranscriptRecord | null>;
  onClose: () => void;
}) {
  const told = useSignal('');
  const record = useSignal<TranscriptRecord | null>(null);
  const copy = async (text: string | null, what: string) => {
    try {
      if (text === null) throw new Error('nothing was read');
      await navigator.clipboard.writeText(text);
      told.value = `${what} copied.`;
    } catch {
      told.value = 'The browser did not allow copying.';
    }
  };
  const copyText = async () => {
    if (item.kind !== 'turn') return;
    const isWhole = item.text.length >= item.characters;
    await copy(isWhole ? item.text : ((await readRecord(item.offset))?.text ?? null), 'The turn was');
  };
  const showRaw = async () => {
    record.value = await readRecord(item.offset);
    if (record.value === null) told.value = 'The record could not be read.';
  };
  const number = item.kind === 'turn' ? item.number : null;
  const anchor = number === null ? null : `${location.origin}/s/${id}#t${number}`;
  return (
    <Sheet title={number === null ? 'This place' : `Turn ${number}`} onClose={onClose}>
      <div class="actions">
        {item.kind === 'turn' ? (
          <button type="button" onClick={() => void copyText()}>
            Copy as Markdown
          </button>
        ) : null}
        {anchor === null ? null : (
          <button type="button" onClick={() => void copy(anchor, 'The link was')}>
            Copy link
          </button>
        )}
        <button type="button" onClick={() => void showRaw()}>
          {item.kind === 'damage' ? 'Show the bytes' : 'Raw record'}
        </button>
      </div>
      <p class="hint" role="status">
        {told.value}
      </p>
      {record.value === null ? null : (
        <figure class="code-block raw">
          <figcaption>
            {grouped(record.value.length)} bytes at {grouped(record.value.offset)}
            {record.value.isCut ? ', cut short' : ''}
          </figcaption>
          <pre tabIndex={0}>{visibleBlock(record.value.raw)}</pre>
        </figure>
      )}
      <div class="actions">
        <button type="button" class="quiet" onClick={onClose}>
          Close
        </button>
      </div>
    </Sheet>
  );
}
