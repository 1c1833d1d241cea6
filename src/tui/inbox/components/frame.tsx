import { Box, Text } from 'ink';
import type { ReactElement, ReactNode } from 'react';
import { padTo, truncate, widthOf } from '../../wrap.js';

/** How much room there is. */
export interface Size {
  readonly columns: number;
  readonly rows: number;
}

/** The frame that every screen has: a title, the body, a word about what happened, and the keys. */
export function Frame(props: {
  size: Size;
  title: string;
  aside: string;
  notice: string | null;
  keys: string;
  children: ReactNode;
}): ReactElement {
  const { size, title, aside, notice, keys, children } = props;
  const shownAside = truncate(aside, Math.max(0, size.columns - widthOf(title) - 2));
  const head = padTo(title, Math.max(1, size.columns - widthOf(shownAside)));
  return (
    <Box flexDirection="column" width={size.columns} height={bodyRows(size) + FRAME_ROWS}>
      <Text wrap="truncate">
        <Text bold color="cyan">
          {head}
        </Text>
        <Text dimColor>{shownAside}</Text>
      </Text>
      <Box flexDirection="column" height={bodyRows(size)} overflow="hidden">
        {children}
      </Box>
      <Text wrap="truncate" color="yellow">
        {notice ?? ' '}
      </Text>
      <Text wrap="truncate" dimColor>
        {keys}
      </Text>
    </Box>
  );
}

const FRAME_ROWS = 3;

/** Rows between the frame's own lines; one row stays free, so that the terminal never scrolls. */
export function bodyRows(size: Size): number {
  return Math.max(3, size.rows - FRAME_ROWS - 1);
}
