import { type ReactElement, useEffect, useState, useSyncExternalStore } from 'react';
import type { Clock } from '../../foundation/index.js';
import { HasColor } from '../colors.js';
import type { Size } from './components/frame.js';
import { HelpScreen } from './components/help-screen.js';
import { ListScreen } from './components/list-screen.js';
import { QuestionScreen } from './components/question-screen.js';
import { RejectScreen } from './components/reject-screen.js';
import { ReviewScreen } from './components/review-screen.js';
import { SettledScreen } from './components/settled-screen.js';
import type { InboxController } from './controller.js';

/** Ages are shown in minutes, so this is often enough. */
const AGE_EVERY_MS = 30_000;

/** Where the size comes from. */
export type Measured = Pick<NodeJS.WriteStream, 'columns' | 'rows' | 'on' | 'off'>;

export interface InboxAppProps {
  readonly controller: Pick<InboxController, 'subscribe' | 'snapshot' | 'limitScroll'>;
  readonly clock: Clock;
  readonly terminal: Measured;
  readonly hasColor: boolean;
}

/** The inbox on the screen: whatever the controller's state says. */
export function InboxApp(props: InboxAppProps): ReactElement {
  return (
    <HasColor value={props.hasColor}>
      <CurrentScreen {...props} />
    </HasColor>
  );
}

function CurrentScreen({ controller, clock, terminal }: InboxAppProps): ReactElement {
  const state = useSyncExternalStore(controller.subscribe, controller.snapshot);
  const size = useSize(terminal);
  const now = useNow(clock);
  const { open, screen } = state;
  const scrolling = { scroll: state.scroll, onLimit: controller.limitScroll };
  const notice = state.isBusy ? 'Sending …' : state.notice;
  if (state.isHelpShown) return <HelpScreen size={size} scrolling={scrolling} />;
  if (screen.name === 'settled') return <SettledScreen {...screen} size={size} scrolling={scrolling} />;
  if (open === null || screen.name === 'list') return <ListScreen state={state} size={size} now={now} />;
  if (screen.name === 'review')
    return <ReviewScreen open={open} size={size} notice={notice} scrolling={scrolling} />;
  if (screen.name === 'reject')
    return <RejectScreen open={open} editor={screen.editor} size={size} notice={notice} />;
  return <QuestionScreen open={open} size={size} now={now} notice={notice} scrolling={scrolling} />;
}

function useSize(terminal: Measured): Size {
  const [size, setSize] = useState(() => sizeOf(terminal));
  useEffect(() => {
    const onResize = () => setSize(sizeOf(terminal));
    terminal.on('resize', onResize);
    return () => {
      terminal.off('resize', onResize);
    };
  }, [terminal]);
  return size;
}

function sizeOf({ columns, rows }: Measured): Size {
  return { columns: Math.max(20, columns || 80), rows: Math.max(8, rows || 24) };
}

function useNow(clock: Clock): Date {
  const [now, setNow] = useState(() => clock.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(clock.now()), AGE_EVERY_MS);
    return () => clearInterval(timer);
  }, [clock]);
  return now;
}
