// The smallest Ink program: what a first frame costs before it shows anything of ours.
import { Box, render, Text } from 'ink';

render(
  <Box>
    <Text>one box</Text>
  </Box>,
);
