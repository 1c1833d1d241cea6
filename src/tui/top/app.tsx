import { Text } from 'ink';
import { type ReactElement, useEffect, useSyncExternalStore } from 'react';
import { type Clock, shellWord, visibleLine } from '../../foundation/index.js';
import { countsOf, selectedRow, wordsOf } from '../../models/top/index.js';
import { directoryOfRow, type OverviewRow } from '../../overview/index.js';
import { HasColor, useColor } from '../colors.js';
import { InboxScreens } from '../inbox/app.js';
import { BackTo } from '../inbox/components/back-to.js';
import { bodyRows, Frame } from '../inbox/components/frame.js';
import { type Size, type SizedStream, useSize } from '../use-size.js';
import { wrapSpans } from '../wrap.js';
import type { TopController } from './controller.js';
import { HelpScreen } from './help-screen.js';
import { headerOf, linesOf, rangeOf, rowText, type TopLine, windowOf } from './layout.js';
import type { TerminalTop } from './terminal-top.js';

export interface TopAppProps {
  readonly controller: Pick<TopController, 'subscribe' | 'snapshot' | 'card' | 'notePage'>;
  readonly clock: Clock;
  readonly terminal: SizedStream;
  readonly hasColor: boolean;
}

/** The overview on the screen: the list, or the question being answered. */
export function TopApp({ controller, clock, terminal, hasColor }: TopAppProps): ReactElement {
  const state = useSyncExternalStore(controller.subscribe, controller.snapshot);
  const card = useSyncExternalStore(controller.subscribe, controller.card);
  const size = useSize(terminal);
  return (
    <HasColor value={hasColor}>
      {card !== undefined ? (
        <BackTo value="overview">
          <InboxScreens controller={card} clock={clock} size={size} />
        </BackTo>
      ) : state.isHelpShown ? (
        <HelpScreen size={size} />
      ) : (
        <ListScreen state={state} size={size} onPage={controller.notePage} />
      )}
    </HasColor>
  );
}

/** Only the rows that fit are put into words and drawn, however many there are. */
function ListScreen(props: { state: TerminalTop; size: Size; onPage: (rows: number) => void }): ReactElement {
  const { state, size, onPage } = props;
  const { columns } = size;
  const header = headerOf(columns, state);
  const room = bodyRows(size) - (header === '' ? 0 : 1);
  const lines = windowOf(linesOf(state), state.selectedKey, room);
  const range = rangeOf(lines, state.shown);
  useEffect(() => onPage(room));
  return (
    <Frame
      size={size}
      title={state.filter === '' ? 'Holdfast' : `Holdfast: ${visibleLine(state.filter)}`}
      aside={[countsOf(state.shown), range].filter((part) => part !== '').join(' · ')}
      notice={noticeOf(state, columns)}
      detail={detailOf(state, columns)}
      keys={keysFor(state)}
    >
      {state.shown.length === 0 ? <Text dimColor>{emptyWords(state)}</Text> : null}
      {header !== '' && state.shown.length > 0 ? (
        <Text dimColor wrap="truncate">
          {header}
        </Text>
      ) : null}
      {lines.map((line) => (
        <Line key={line.row?.key ?? `title ${line.title}`} line={line} state={state} columns={columns} />
      ))}
    </Frame>
  );
}

function Line({
  line,
  state,
  columns,
}: {
  line: TopLine;
  state: TerminalTop;
  columns: number;
}): ReactElement {
  const [titleColor, askColor] = [useColor('cyan'), useColor('yellow')];
  if (line.row === undefined)
    return (
      <Text bold wrap="truncate" {...titleColor}>
        {line.title}
      </Text>
    );
  const { row } = line;
  return (
    <Text
      wrap="truncate"
      inverse={row.key === state.selectedKey}
      dimColor={row.group === 'ended' && row.key !== state.selectedKey}
      {...(row.group === 'asks' ? askColor : {})}
    >
      {rowText(row, state, columns)}
    </Text>
  );
}

function emptyWords({ filter }: TerminalTop): string {
  if (filter !== '') return 'Nothing matches. Esc shows everything.';
  return 'Nothing is running, nothing is waiting, and nothing ended today. New runs will appear here.';
}

function noticeOf({ mode, filter, notice, rows }: TerminalTop, columns: number): string | null {
  if (mode.name === 'filter') return `/${visibleLine(filter)}▏`;
  if (mode.name !== 'stop') return notice;
  const row = rows.find(({ key }) => key === mode.key);
  const name = row === undefined ? 'the run' : nameOf(row);
  const whole = `Stop ${name}? It can be resumed. y stops it, any other key does not`;
  return whole.length <= columns ? whole : `Stop ${name}? y, any other key: no`;
}

function nameOf(row: OverviewRow): string {
  const { plan, machine } = wordsOf(row, new Map(), new Date());
  return machine === '' ? plan : `${plan} on ${machine}`;
}

/** The full reason why the row is waiting, as far as it fits; otherwise where the row is. */
function detailOf(state: TerminalTop, columns: number): string {
  const row = selectedRow(state);
  if (row === undefined) return ' ';
  const { why } = wordsOf(row, state.labels, new Date(state.nowMs));
  const id = row.id.slice(0, 8);
  const [line = []] = wrapSpans([{ text: why }], Math.max(10, columns - id.length - 3));
  const words = line.map(({ text }) => text).join('');
  if (words !== '') return `${id} · ${words}`;
  const directory = directoryOfRow(row);
  const on = row.machine === undefined ? '' : ` on ${visibleLine(row.machine)}`;
  return `${id} · ${directory === null ? '-' : visibleLine(shellWord(directory))}${on}`;
}

/** The keys that work on the row, likeliest first. */
function keysFor(state: TerminalTop): string[] {
  if (state.mode.name === 'filter') return ['Esc shows everything', 'Enter keep'];
  const row = selectedRow(state);
  const isLiveRun = row?.kind === 'run' && row.group !== 'ended';
  const isSeen = row?.kind === 'run' && row.machine === undefined;
  return [
    ...(row?.question != null ? ['Enter answer'] : isSeen ? ['Enter attach'] : []),
    ...(row?.question != null && isSeen ? ['v attach'] : []),
    ...(isLiveRun && row.isRunning && row.status !== 'paused' ? ['p pause'] : []),
    ...(isLiveRun && (!row.isRunning || row.status === 'paused') ? ['r resume'] : []),
    ...(isLiveRun && row.isRunning ? ['s stop'] : []),
    'q leave',
    '/ filter',
    ...(row === undefined || row.project === null ? [] : ['o directory']),
    '? keys',
  ];
}
