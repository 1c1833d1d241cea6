import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { counted } from '../../../foundation/text/counted.js';
import type { TranscriptHits } from '../../contract/sessions.js';
import type { Reply } from '../live/api.js';
import { usePage } from '../page-context.js';

type Hit = TranscriptHits['hits'][number];

/** Finds words in the whole record, however little of it is on the screen. */
export function Find({ id, onHit }: { id: string; onHit: (hit: Hit) => void }) {
  const { store } = usePage();
  const words = useSignal('');
  const hits = useSignal<readonly Hit[]>([]);
  const at = useSignal(-1);
  const state = useSignal<'idle' | 'looking' | 'more' | 'done' | 'failed'>('idle');
  const share = useSignal(0);
  const next = useSignal<number | null>(0);
  const asked = useRef(0);

  const look = async (from: number) => {
    const mine = ++asked.current;
    const wanted = words.value.trim();
    if (wanted === '') {
      hits.value = [];
      state.value = 'idle';
      return;
    }
    if (from === 0) {
      hits.value = [];
      at.value = -1;
    }
    state.value = 'looking';
    const before = hits.value.length;
    for (let after: number | null = from; after !== null; ) {
      const query: URLSearchParams = new URLSearchParams({ words: wanted, after: `${after}` });
      const reply: Reply<TranscriptHits> = await store.api.read<TranscriptHits>(
        `sessions/${encodeURIComponent(id)}/find?${query}`,
      );
      if (mine !== asked.current) return;
      if (!reply.isDone) {
        store.noteRefused(reply);
        state.value = 'failed';
        return;
      }
      hits.value = [...hits.value, ...reply.value.hits];
      after = reply.value.next;
      next.value = after;
      share.value = after === null ? 1 : after / Math.max(1, reply.value.size);
      if (from === 0 && at.value === -1 && hits.value.length > 0) go(0);
      if (hits.value.length - before >= PAGE) break;
    }
    state.value = next.value === null ? 'done' : 'more';
  };
  const go = (index: number) => {
    const hit = hits.value[index];
    if (hit === undefined) return;
    at.value = index;
    onHit(hit);
  };
  const close = () => {
    words.value = '';
    void look(0);
  };
  return (
    <form
      class="find"
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
        if (state.value === 'idle' || hits.value.length === 0) void look(0);
        else go((at.value + 1) % hits.value.length);
      }}
    >
      <label>
        <span class="hidden">Find in this transcript</span>
        <input
          type="search"
          placeholder="Find"
          data-key="filter"
          maxLength={200}
          value={words}
          onInput={(event) => {
            words.value = event.currentTarget.value;
            asked.current += 1;
            hits.value = [];
            state.value = 'idle';
          }}
        />
      </label>
      {state.value === 'idle' ? (
        <button type="submit">Find</button>
      ) : (
        <>
          <p class="hint" role="status">
            {stateWords(state.value, hits.value.length, at.value, share.value)}
          </p>
          <div class="actions">
            <button type="button" disabled={at.value <= 0} onClick={() => go(at.value - 1)}>
              Previous
            </button>
            <button type="submit" disabled={hits.value.length === 0}>
              Next
            </button>
            {state.value === 'more' ? (
              <button type="button" onClick={() => void look(next.value ?? 0)}>
                Search on
              </button>
            ) : null}
            <button type="button" class="quiet" onClick={close}>
              Close
            </button>
          </div>
          {hits.value.length === 0 ? null : (
            <ol class="hits" aria-label="Where it was found">
              {hits.value.map((hit, index) => (
                <li key={hit.offset}>
                  <button
                    type="button"
                    aria-current={index === at.value ? 'true' : undefined}
                    onClick={() => go(index)}
                  >
                    <span class="hint">{hit.turn === null ? '' : `#${hit.turn}`}</span> {hit.before}
                    <mark>{hit.words}</mark>
                    {hit.after}
                    {hit.count > 1 ? <span class="hint"> ×{hit.count}</span> : null}
                  </button>
                </li>
              ))}
            </ol>
          )}
        </>
      )}
    </form>
  );
}

const PAGE = 50;

function stateWords(state: string, count: number, at: number, share: number): string {
  const found = count === 0 ? '' : `${at + 1} of ${counted(count, 'turn')}`;
  if (state === 'looking') return `${found} Looking … ${Math.round(share * 100)} %`.trim();
  if (state === 'failed') return 'The server did not answer. Try again.';
  if (state === 'more') return `${found}, looked at ${Math.round(share * 100)} % so far`;
  return count === 0 ? 'Not found.' : found;
}
