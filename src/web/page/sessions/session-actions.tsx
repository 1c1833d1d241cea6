import { useSignal } from '@preact/signals';
import { counted } from '../../../foundation/text/counted.js';
import { visibleLine } from '../../../foundation/text/visible-text.js';
import type { Exported, Recovered, SessionKind, Verified } from '../../contract/sessions.js';
import { refusalWords } from '../inbox/card-desk.js';
import type { Reply } from '../live/api.js';
import { usePage } from '../page-context.js';

/** The actions for a session of any kind: verify it, export it, recover it if this device may. */
export function SessionActions({
  kind,
  id,
  onChanged,
}: {
  kind: SessionKind;
  id: string;
  onChanged?: (() => void) | undefined;
}) {
  const { store } = usePage();
  const told = useSignal<{ readonly isBad: boolean; readonly lines: readonly string[] } | null>(null);
  const isBusy = useSignal(false);
  const path = `sessions/${encodeURIComponent(id)}`;
  const maySteer = store.state.value.me?.can === 'steer';

  async function ask<Value>(
    asking: Promise<Reply<Value>>,
    words: (value: Value) => { isBad: boolean; lines: string[] },
  ) {
    isBusy.value = true;
    const reply = await asking;
    isBusy.value = false;
    if (reply.isDone) told.value = words(reply.value);
    else {
      store.noteRefused(reply);
      told.value = { isBad: true, lines: [refusalWords(reply)] };
    }
  }
  const verify = () =>
    ask(store.api.read<Verified>(`${path}/verify?kind=${kind}`), ({ faults }) => ({
      isBad: faults.length > 0,
      lines:
        faults.length === 0
          ? ['Every record is whole.']
          : [`${counted(faults.length, 'fault')}:`, ...faults.map(faultWords)],
    }));
  const take = (format: 'md' | 'json') =>
    ask(
      store.api.read<Exported>(`${path}/export?kind=${kind}&format=${format}`),
      ({ name, text, faults }) => {
        download(name, text, format);
        const left =
          faults.length === 0 ? [] : [`${counted(faults.length, 'damaged place')} could not be exported.`];
        return { isBad: faults.length > 0, lines: [`Saved as ${name}.`, ...left] };
      },
    );
  const recover = () =>
    ask(store.api.post<Recovered>(`${path}/recover`, { kind }), ({ told: words, keptAt, left }) => {
      onChanged?.();
      const kept = keptAt === null ? [] : [`The file as it was: ${visibleLine(keptAt)}`];
      return { isBad: left.length > 0, lines: [visibleLine(words), ...kept, ...left.map(faultWords)] };
    });
  return (
    <div class="stack">
      <div class="actions">
        <button type="button" disabled={isBusy.value} onClick={() => void verify()}>
          Verify
        </button>
        <button type="button" disabled={isBusy.value} onClick={() => void take('md')}>
          Save as Markdown
        </button>
        <button type="button" disabled={isBusy.value} onClick={() => void take('json')}>
          Save as JSON
        </button>
        {maySteer ? (
          <button type="button" disabled={isBusy.value} onClick={() => void recover()}>
            Recover
          </button>
        ) : null}
      </div>
      <div role="status">
        {told.value === null ? null : (
          <div class={told.value.isBad ? 'note bad' : 'note'}>
            {told.value.lines.map((line, index) => (
              <p key={index}>{line}</p>
            ))}
          </div>
        )}
      </div>
    </div>
  );
}

function faultWords({ detail, line }: Verified['faults'][number]): string {
  return `${line === null ? '' : `line ${line}: `}${visibleLine(detail)}`;
}

function download(name: string, text: string, format: 'md' | 'json'): void {
  const type = format === 'json' ? 'application/json' : 'text/markdown';
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
