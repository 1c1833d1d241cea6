// The smallest thing that Ink can draw: what a first frame costs before it shows anything of ours.
import { Box, render, Text } from 'ink';

export { loadLayoutEngine } from '../src/tui/layout-engine.js';

export function openBox(): void {
  render(
    <Box>
      <Text>one box</Text>
    </Box>,
  );
}
