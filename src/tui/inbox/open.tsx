import { type Clock, ringBell } from '../../foundation/index.js';
import { type FullScreenOptions, openFullScreen } from '../full-screen.js';
import { InboxApp } from './app.js';
import { InboxController, type InboxQuestions, type InboxResult } from './controller.js';

export interface OpenInboxOptions extends FullScreenOptions {
  readonly questions: InboxQuestions;
  readonly clock: Clock;
  readonly hasColor: boolean;
  readonly hasBell: boolean;
  readonly isOnce: boolean;
  readonly sessionId?: string | undefined;
}

/** Opens the inbox in the terminal and returns when the person leaves. */
export function openInbox(options: OpenInboxOptions): Promise<InboxResult> {
  const { stdout, clock, hasColor, hasBell } = options;
  const controller = new InboxController({
    ...options,
    onArrival: () => {
      if (hasBell) ringBell(stdout);
    },
  });
  return openFullScreen(options, {
    controller,
    app: <InboxApp controller={controller} clock={clock} terminal={stdout} hasColor={hasColor} />,
    shownCard: () => controller.state.open?.view.id,
  });
}
