import { Text } from 'ink';
import type { ReactElement } from 'react';
import { visibleLine } from '../../../foundation/index.js';
import type { QuestionView } from '../../../sessions/question/index.js';
import { padTo } from '../../wrap.js';
import type { InboxState } from '../model.js';
import { bodyRows, Frame, type Size } from './frame.js';

/** Everything that waits, oldest first; only the rows that fit are drawn. */
export function ListScreen({ state, size, now }: { state: InboxState; size: Size; now: Date }): ReactElement {
  const { pending, selectedId } = state;
  const selected = pending.findIndex((view) => view.id === selectedId);
  const room = bodyRows(size);
  const from = Math.max(0, Math.min(selected - Math.floor(room / 2), pending.length - room));
  const waiting = pending.length === 1 ? '1 waits on you' : `${pending.length} wait on you`;
  return (
    <Frame
      size={size}
      title="Holdfast inbox"
      aside={pending.length === 0 ? '' : waiting}
      notice={state.notice}
      keys="↑↓ choose · Enter open · ? keys · q leave"
    >
      {pending.length === 0 ? (
        <Text dimColor>Nothing waits on you. New questions appear here by themselves.</Text>
      ) : null}
      {pending.slice(from, from + room).map((view) => (
        <Text key={view.id} wrap="truncate" inverse={view.id === selectedId}>
          {row(view, size.columns, now)}
        </Text>
      ))}
    </Frame>
  );
}

function row(view: QuestionView, columns: number, now: Date): string {
  const age = padTo(ageOf(view, now), 7);
  const count = padTo(`${view.questions.length}?`, 4);
  const prompt = visibleLine(view.questions[0]?.prompt ?? '(cannot be read)');
  const gone = view.isAskerGone === true ? '(gone) ' : '';
  if (columns < 60) return padTo(` ${age}${count}${gone}${prompt}`, columns);
  const agent = padTo(visibleLine(view.asker?.agent ?? 'unknown'), 14);
  const project = padTo(projectOf(view), Math.max(8, Math.floor(columns / 6)));
  return padTo(` ${age}${agent} ${project} ${count}${gone}${prompt}`, columns);
}

/** The last part of the directory: what people call their project. */
export function projectOf(view: QuestionView): string {
  return visibleLine(view.workingDirectory?.split('/').filter(Boolean).at(-1) ?? '-');
}

/** How long ago a set was asked, in two or three characters and a unit. */
export function ageOf(view: QuestionView, now: Date): string {
  const seconds = Math.max(0, (now.getTime() - Date.parse(view.createdAt)) / 1_000);
  if (seconds < 60) return 'now';
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min`;
  return seconds < 86_400 ? `${Math.floor(seconds / 3_600)} h` : `${Math.floor(seconds / 86_400)} d`;
}
