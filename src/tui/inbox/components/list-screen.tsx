import { Text } from 'ink';
import type { ReactElement } from 'react';
import { visibleExcerpt, visibleLine } from '../../../foundation/index.js';
import { type InboxState, listedSets } from '../../../models/inbox/index.js';
import type { QuestionView } from '../../../sessions/question/index.js';
import { firstWords } from '../../first-words.js';
import type { Size } from '../../use-size.js';
import { padTo, widthOf } from '../../wrap.js';
import { bodyRows, Frame } from './frame.js';

/** Everything that is waiting, oldest first; only the rows that fit are drawn. */
export function ListScreen({ state, size, now }: { state: InboxState; size: Size; now: Date }): ReactElement {
  const { selectedId, filter } = state;
  const pending = listedSets(state);
  const selected = pending.findIndex((view) => view.id === selectedId);
  const room = bodyRows(size);
  const from = Math.max(0, Math.min(selected - Math.floor(room / 2), pending.length - room));
  const waiting = pending.length === 1 ? '1 waiting for you' : `${pending.length} waiting for you`;
  const range = pending.length <= room ? '' : ` · ${from + 1}–${from + room} of ${pending.length}`;
  return (
    <Frame
      size={size}
      title={filter === '' ? 'Holdfast inbox' : `Holdfast inbox: ${visibleLine(filter)}`}
      aside={pending.length === 0 ? '' : `${waiting}${range}`}
      notice={state.isFiltering ? `/${visibleLine(filter)}▏` : state.notice}
      detail={describeSelected(pending[selected], size.columns)}
      keys={
        state.isFiltering
          ? ['Esc shows everything', 'Enter keep']
          : ['↑↓ choose', 'Enter open', 'q leave', '/ filter', 'R reject all', '? keys']
      }
    >
      {pending.length === 0 ? (
        <Text dimColor>
          {filter === ''
            ? 'Nothing is waiting for you. New questions will appear here.'
            : 'Nothing matches. Esc shows everything.'}
        </Text>
      ) : null}
      {pending.slice(from, from + room).map((view) => (
        <Text key={view.id} wrap="truncate" inverse={view.id === selectedId}>
          {row(view, view.id === selectedId, size.columns, now)}
        </Text>
      ))}
    </Frame>
  );
}

function row(view: QuestionView, isSelected: boolean, columns: number, now: Date): string {
  const mark = isSelected ? '› ' : '  ';
  const age = padTo(ageOf(view, now), 7);
  const count = padTo(`${view.questions.length}?`, 4);
  const prompt = firstWords(view.questions[0]?.prompt ?? '(cannot be read)', columns);
  const gone = view.isAskerGone === true ? '(gone) ' : '';
  if (columns < 60) return padTo(`${mark}${age}${count}${gone}${prompt}`, columns);
  const agent = padTo(agentOf(view), 14);
  const project = padTo(projectOf(view), Math.max(8, Math.floor(columns / 6)));
  return padTo(`${mark}${age}${agent} ${project} ${count}${gone}${prompt}`, columns);
}

/** Who asks, from where, and how to name the set on the command line. */
function describeSelected(view: QuestionView | undefined, columns: number): string {
  if (view === undefined) return ' ';
  const session =
    view.asker?.session === undefined ? [] : [`session ${visibleExcerpt(view.asker.session.slice(0, 8), 8)}`];
  const who = `${[view.id.slice(0, 8), agentOf(view), ...session].join(' · ')} · `;
  return who + lastPart(visibleLine(view.workingDirectory ?? '-'), columns - widthOf(who));
}

/** The end of a path, which tells more than its beginning. */
function lastPart(path: string, columns: number): string {
  if (widthOf(path) <= columns) return path;
  const names = path.split('/');
  while (names.length > 1 && widthOf(names.join('/')) + 2 > columns) names.shift();
  return `…/${names.join('/')}`;
}

export function agentOf(view: QuestionView): string {
  return visibleExcerpt(view.asker?.agent ?? 'unknown', 40);
}

/** The last part of the directory, which people use as the project's name; after the machine's name if on another machine. */
export function projectOf(view: QuestionView): string {
  const project = view.workingDirectory?.split('/').filter(Boolean).at(-1) ?? '-';
  return visibleExcerpt(view.machine === undefined ? project : `${view.machine}:${project}`, 60);
}

/** How long ago a set was asked, in two or three characters and a unit. */
export function ageOf(view: QuestionView, now: Date): string {
  const seconds = Math.max(0, (now.getTime() - Date.parse(view.createdAt)) / 1_000);
  if (seconds < 60) return 'now';
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min`;
  return seconds < 86_400 ? `${Math.floor(seconds / 3_600)} h` : `${Math.floor(seconds / 86_400)} d`;
}
