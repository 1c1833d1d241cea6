// The smallest thing that Ink can draw: what a first frame costs before it shows anything of ours.
import { Box, render, Text } from 'ink';
import { type FullScreenOptions, openFullScreen } from '../src/tui/full-screen.js';

const BOX = (
  <Box>
    <Text>one box</Text>
  </Box>
);

/** Drawn, and no more. */
export function drawBox(): void {
  render(BOX);
}

/** On a screen of its own, as every screen of ours is: one that is put back whatever happens. */
export async function openBox(options: FullScreenOptions): Promise<void> {
  let leave = () => {};
  const done = new Promise<void>((resolve) => {
    leave = resolve;
  });
  const controller = { press: leave, start: async () => {}, stop: leave, subscribe: () => () => {}, done };
  await openFullScreen(options, { controller, app: BOX, shownCard: () => undefined });
}
