import { Box } from 'ink';
import { type ReactElement, useSyncExternalStore } from 'react';
import type { Clock } from '../../foundation/index.js';
import { HasColor } from '../colors.js';
import { InboxScreens } from '../inbox/app.js';
import { BackTo } from '../inbox/components/back-to.js';
import { type SizedStream, useSize } from '../use-size.js';
import { KeptLines } from './components/kept-lines.js';
import { RowText } from './components/row-text.js';
import type { RunViewController } from './controller.js';
import { liveRows } from './rows.js';

/** A question takes two thirds of a tall screen; what happened stays visible above it. */
function questionRows(rows: number): number {
  return Math.min(rows, Math.max(14, Math.ceil((rows * 2) / 3) + 1));
}

export interface RunViewAppProps {
  readonly controller: Pick<RunViewController, 'subscribe' | 'snapshot' | 'inbox'>;
  readonly clock: Clock;
  readonly terminal: SizedStream;
  readonly hasColor: boolean;
}

/** A run on the screen: what happened above; below, how it stands or the question being answered. */
export function RunViewApp({ controller, clock, terminal, hasColor }: RunViewAppProps): ReactElement {
  const state = useSyncExternalStore(controller.subscribe, controller.snapshot);
  const inbox = useSyncExternalStore(controller.subscribe, controller.inbox);
  const size = useSize(terminal);
  return (
    <HasColor value={hasColor}>
      <KeptLines lines={state.kept} columns={size.columns} />
      {inbox === undefined ? (
        <Box flexDirection="column" width={size.columns}>
          {liveRows(state, size).map((row, index) => (
            <RowText key={index} row={row} />
          ))}
        </Box>
      ) : (
        <BackTo value="run">
          <InboxScreens controller={inbox} clock={clock} size={{ ...size, rows: questionRows(size.rows) }} />
        </BackTo>
      )}
    </HasColor>
  );
}
