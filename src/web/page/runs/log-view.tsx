import { useSignal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { counted } from '../../../foundation/text/counted.js';
import type { FollowedRun } from './follow-run.js';
import { type LogItem, lastSaid } from './run-log.js';

/** This close counts as being at the end. */
const NEAR_PX = 24;
/** From this many items on, those off the screen are not drawn. */
const MANY = 100;

/** What happened and what the agent says. It follows the end only while the person is there, and is not read out unasked. */
export function LogView({ followed, hasJournal }: { followed: FollowedRun; hasJournal: boolean }) {
  const box = useRef<HTMLElement>(null);
  const isAtEnd = useRef(true);
  const seen = useSignal(0);
  const log = followed.log.value;
  useLayoutEffect(() => {
    if (isAtEnd.current && box.current !== null) {
      box.current.scrollTop = box.current.scrollHeight;
      seen.value = log.total;
    }
  }, [log, seen]);
  const onScroll = () => {
    const shown = box.current;
    if (shown === null) return;
    isAtEnd.current = shown.scrollHeight - shown.scrollTop - shown.clientHeight <= NEAR_PX;
    if (isAtEnd.current) seen.value = followed.log.peek().total;
  };
  const toEnd = () => {
    isAtEnd.current = true;
    box.current?.scrollTo({ top: box.current.scrollHeight });
    seen.value = followed.log.peek().total;
  };
  const fresh = log.total - seen.value;
  if (!hasJournal) return <p class="empty">It ran before there were journals: nothing was written down.</p>;
  return (
    <div class="log-frame">
      <div class="log-head">
        <h2 class="section-title">What happened</h2>
        {lastSaid(log) === undefined ? null : (
          <button type="button" class="link" onClick={() => focusLastSaid(box.current)}>
            Read last message
          </button>
        )}
      </div>
      <section
        class={log.items.length > MANY ? 'log many' : 'log'}
        ref={box}
        tabIndex={0}
        aria-label="Journal of the run"
        onScroll={onScroll}
      >
        {log.dropped === 0 ? null : (
          <p class="hint">{counted(log.dropped, 'older line')} are in the journal.</p>
        )}
        {log.items.length === 0 ? (
          <p class="hint">{followed.isRunning.value === null ? 'Reading the journal …' : 'Nothing yet.'}</p>
        ) : null}
        {log.items.map((one) => (
          <Item key={one.key} item={one} />
        ))}
      </section>
      {fresh > 0 && !isAtEnd.current ? (
        <button type="button" class="new-lines" onClick={toEnd}>
          ↓ {counted(fresh, 'new line')}
        </button>
      ) : null}
    </div>
  );
}

function Item({ item: { kind, look, text } }: { item: LogItem }) {
  if (kind === 'said')
    return (
      <p class="said" tabIndex={-1} dir="auto">
        {text.trim()}
      </p>
    );
  if (kind === 'did') return <p class="did">{text}</p>;
  return <p class={`told ${look}`}>{text.trimEnd()}</p>;
}

/** Moves the focus, so that a screen reader reads this once, on request. */
function focusLastSaid(box: HTMLElement | null): void {
  const said = box?.querySelectorAll<HTMLElement>('.said');
  const last = said?.[said.length - 1];
  last?.focus();
  last?.scrollIntoView({ block: 'nearest' });
}
