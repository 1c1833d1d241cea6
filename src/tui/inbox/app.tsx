import { type ReactElement, useEffect, useState, useSyncExternalStore } from 'react';
import type { Clock } from '../../foundation/index.js';
import { HasColor } from '../colors.js';
import { type Size, type SizedStream, useSize } from '../use-size.js';
import { HelpScreen } from './components/help-screen.js';
import { ListScreen } from './components/list-screen.js';
import { QuestionScreen } from './components/question-screen.js';
import { RejectAllScreen } from './components/reject-all-screen.js';
import { RejectScreen } from './components/reject-screen.js';
import { ReviewScreen } from './components/review-screen.js';
import { SettledScreen } from './components/settled-screen.js';
import type { InboxController } from './controller.js';

/** Ages are shown in minutes, so this is often enough. */
const AGE_EVERY_MS = 30_000;

export interface InboxAppProps {
  readonly controller: Pick<InboxController, 'subscribe' | 'snapshot' | 'limitScroll' | 'noteRead'>;
  readonly clock: Clock;
  readonly terminal: SizedStream;
  readonly hasColor: boolean;
}

/** The inbox on the screen, as the controller's state says. */
export function InboxApp({ controller, clock, terminal, hasColor }: InboxAppProps): ReactElement {
  const size = useSize(terminal);
  return (
    <HasColor value={hasColor}>
      <InboxScreens controller={controller} clock={clock} size={size} />
    </HasColor>
  );
}

/** The current screen of the inbox, in the given space. */
export function InboxScreens({
  controller,
  clock,
  size,
}: Pick<InboxAppProps, 'controller' | 'clock'> & { size: Size }): ReactElement {
  const state = useSyncExternalStore(controller.subscribe, controller.snapshot);
  const now = useNow(clock);
  const { open, screen } = state;
  const scrolling = { scroll: state.scroll, onLimit: controller.limitScroll };
  const notice = state.isBusy ? 'Sending …' : state.notice;
  if (state.isHelpShown) return <HelpScreen size={size} scrolling={scrolling} />;
  if (screen.name === 'settled') return <SettledScreen {...screen} size={size} scrolling={scrolling} />;
  if (screen.name === 'reject-all')
    return <RejectAllScreen screen={screen} editor={state.editor} size={size} notice={notice} />;
  if (open === null || screen.name === 'list') return <ListScreen state={state} size={size} now={now} />;
  if (screen.name === 'review')
    return <ReviewScreen open={open} size={size} notice={notice} scrolling={scrolling} />;
  if (screen.name === 'reject')
    return <RejectScreen open={open} editor={state.editor} size={size} notice={notice} />;
  return (
    <QuestionScreen
      open={open}
      editor={state.editor}
      size={size}
      now={now}
      notice={notice}
      scrolling={scrolling}
      onRead={controller.noteRead}
    />
  );
}

function useNow(clock: Clock): Date {
  const [now, setNow] = useState(() => clock.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(clock.now()), AGE_EVERY_MS);
    return () => clearInterval(timer);
  }, [clock]);
  return now;
}
