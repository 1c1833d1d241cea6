import { useStdout } from 'ink';
import { type ReactElement, useEffect, useState, useSyncExternalStore } from 'react';
import type { Clock } from '../../foundation/index.js';
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

/** The inbox on the screen: whatever the controller's state says. */
export function InboxApp({ controller, clock }: { controller: InboxController; clock: Clock }): ReactElement {
  const state = useSyncExternalStore(controller.subscribe, controller.snapshot);
  const size = useSize();
  const now = useNow(clock);
  const { open, screen } = state;
  if (state.isHelpShown) return <HelpScreen size={size} />;
  if (screen.name === 'settled') return <SettledScreen {...screen} size={size} />;
  if (open === null || screen.name === 'list') return <ListScreen state={state} size={size} now={now} />;
  if (screen.name === 'review') return <ReviewScreen open={open} size={size} isBusy={state.isBusy} />;
  if (screen.name === 'reject')
    return <RejectScreen open={open} editor={screen.editor} size={size} isBusy={state.isBusy} />;
  return <QuestionScreen open={open} size={size} now={now} notice={state.notice} />;
}

function useSize(): Size {
  const { stdout } = useStdout();
  const read = (): Size => ({
    columns: Math.max(20, stdout.columns ?? 80),
    rows: Math.max(8, stdout.rows ?? 24),
  });
  const [size, setSize] = useState(read);
  useEffect(() => {
    const onResize = () => setSize(read());
    stdout.on('resize', onResize);
    return () => {
      stdout.off('resize', onResize);
    };
  });
  return size;
}

function useNow(clock: Clock): Date {
  const [now, setNow] = useState(() => clock.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(clock.now()), AGE_EVERY_MS);
    return () => clearInterval(timer);
  }, [clock]);
  return now;
}
