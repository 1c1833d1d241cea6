import { useSignal } from '@preact/signals';
import { counted, grouped } from '../../../foundation/text/counted.js';
import { visibleExcerpt, visibleLine } from '../../../foundation/text/visible-text.js';
import type { ReaderItem, ToolsItem } from '../../contract/sessions.js';
import { Markdown } from './markdown.js';

type Turn = Extract<ReaderItem, { kind: 'turn' }>;

/** The actions of a row. */
export interface RowActions {
  readonly isOfRun: boolean;
  readonly onMore: (item: ReaderItem) => void;
  readonly readWhole: (item: Turn) => Promise<string | null>;
}

const WHO = { user: 'You', assistant: 'Agent', system: 'System' } as const;
/** In a run, no person types: the prompts come from Holdfast. */
const IN_RUN = { ...WHO, user: 'Prompt' } as const;

/** One item of a transcript. */
export function ItemView({
  item,
  isTarget,
  actions,
}: {
  item: ReaderItem;
  isTarget: boolean;
  actions: RowActions;
}) {
  if (item.kind === 'turn') return <TurnView item={item} isTarget={isTarget} actions={actions} />;
  if (item.kind === 'tools') return <ToolsView item={item} />;
  if (item.kind === 'damage')
    return (
      <div
        class={isTarget ? 'note bad damage target' : 'note bad damage'}
        data-place={item.offset}
        data-stop
        tabIndex={-1}
      >
        <p>
          <strong>Damage here:</strong> {damageWords(item)}
        </p>
        {item.length === 0 ? null : (
          <button type="button" class="link" onClick={() => actions.onMore(item)}>
            Show the bytes
          </button>
        )}
      </div>
    );
  return (
    <p class="told" data-place={item.offset}>
      {noteWords(item)} <Moment at={item.at} />
    </p>
  );
}

function TurnView({ item, isTarget, actions }: { item: Turn; isTarget: boolean; actions: RowActions }) {
  const whole = useSignal<string | null>(null);
  const isAsking = useSignal(false);
  const { role, number, text, characters } = item;
  const who = (actions.isOfRun ? IN_RUN : WHO)[role];
  const isCut = characters > text.length && whole.value === null;
  const showAll = async () => {
    isAsking.value = true;
    whole.value = await actions.readWhole(item);
    isAsking.value = false;
  };
  return (
    <article
      class={`turn ${role}${isTarget ? ' target' : ''}`}
      id={number === null ? undefined : `t${number}`}
      data-place={item.offset}
      data-stop
      tabIndex={-1}
      aria-label={`${who}, turn ${number ?? '?'}`}
    >
      <header>
        <h2>{who}</h2>
        <span class="hint">
          {item.model === undefined ? null : `${visibleExcerpt(item.model, 40)} · `}
          <Moment at={item.at} />
        </span>
        {number === null ? null : (
          <a class="anchor" href={`#t${number}`} aria-label={`Link to turn ${number}`}>
            #{number}
          </a>
        )}
        <button
          type="button"
          class="icon"
          aria-label={`More about turn ${number ?? ''}`}
          onClick={() => actions.onMore(item)}
        >
          ⋯
        </button>
      </header>
      <Markdown text={whole.value ?? text} />
      {isCut ? (
        <button type="button" class="all" disabled={isAsking.value} onClick={() => void showAll()}>
          {isAsking.value ? 'Reading …' : `Show all ${grouped(characters)} characters`}
        </button>
      ) : null}
    </article>
  );
}

/** All of it in one line until opened. */
function ToolsView({ item: { lines, isOpen } }: { item: ToolsItem }) {
  const failed = lines.filter(({ isError }) => isError).length;
  const last = lines.at(-1);
  return (
    <details class="tools">
      <summary>
        {counted(lines.length, 'tool call')}
        {failed === 0 ? null : <span class="bad"> ✗ {failed} failed</span>}
        <span class="hint">
          {' '}
          {isOpen ? 'now: ' : ''}
          {last === undefined ? '' : visibleExcerpt(`${last.name} ${last.title}`, 80)}
        </span>
      </summary>
      <ol>
        {lines.map(({ name, title, isError, output }, index) => (
          <li key={index}>
            <span class={isError ? 'bad' : ''}>{isError ? '✗' : '→'}</span>{' '}
            {`${title} `.startsWith(`${name} `) ? title : `${name} ${title}`}
            {output === '' ? null : <p class="hint">{output}</p>}
          </li>
        ))}
      </ol>
    </details>
  );
}

function Moment({ at }: { at: string | null }) {
  const time = at === null ? Number.NaN : Date.parse(at);
  if (at === null || Number.isNaN(time)) return null;
  const date = new Date(time);
  const two = (value: number) => `${value}`.padStart(2, '0');
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return <time dateTime={at}>{`${day} ${two(date.getHours())}:${two(date.getMinutes())}`}</time>;
}

function damageWords(item: Extract<ReaderItem, { kind: 'damage' }>): string {
  if (item.reason === 'gap') return `${counted(item.missing ?? 1, 'record')} missing.`;
  return `${counted(item.length, 'byte')} cannot be read: ${visibleLine(item.detail)}. What is around it is intact.`;
}

/** What happened between turns, in one line. */
function noteWords(item: Exclude<ReaderItem, { kind: 'turn' | 'tools' | 'damage' }>): string {
  switch (item.kind) {
    case 'failed':
      return `✗ The exchange of turn ${item.turn} failed: ${visibleExcerpt(item.reason, 300)}`;
    case 'cleared':
      return `The context was cleared after turn ${item.afterTurn}.`;
    case 'started': {
      const how = [item.model, item.permissions]
        .filter((word) => word !== null)
        .map((word) => visibleExcerpt(word, 60));
      const where = item.directory === null ? '' : ` in ${visibleExcerpt(item.directory, 120)}`;
      return `Started ${visibleExcerpt(item.agent, 60)}${how.length === 0 ? '' : ` (${how.join(', ')})`}${where}.`;
    }
    case 'used': {
      const cost =
        item.costUsd === null ? '' : `, ${item.isEstimated ? '≈ ' : ''}$${item.costUsd.toFixed(4)}`;
      const tokens = `${grouped(item.inputTokens)} in, ${grouped(item.outputTokens)} out`;
      return `${item.model === null ? 'Used' : visibleExcerpt(item.model, 40)}: ${tokens}${cost}`;
    }
    case 'status':
      return `${item.status}${item.reason === null ? '' : `: ${visibleExcerpt(item.reason, 300)}`}`;
    case 'recovered':
      return `Recovered: ${counted(item.kept, 'record')} kept; the file as it was is set aside.`;
  }
}
