import { type FullScreenOptions, openFullScreen } from '../full-screen.js';
import { TopApp } from './app.js';
import { TopController, type TopControllerOptions, type TopResult } from './controller.js';

export { ringBell } from '../../foundation/index.js';
export { copyByTerminal } from '../clipboard.js';
export type { TopResult } from './controller.js';

export interface OpenTopOptions extends TopControllerOptions, FullScreenOptions {
  readonly hasColor: boolean;
}

/** Opens the overview in the terminal and returns when the person leaves it. */
export function openTop(options: OpenTopOptions): Promise<TopResult> {
  const { stdout, clock, hasColor } = options;
  const controller = new TopController(options);
  return openFullScreen(options, {
    controller,
    app: <TopApp controller={controller} clock={clock} terminal={stdout} hasColor={hasColor} />,
    shownCard: () => controller.card()?.state.open?.view.id,
  });
}
