import { Box, Text } from 'ink';
import type { ReactElement, ReactNode } from 'react';
import { useColor } from '../../colors.js';
import { fittingKeys } from '../../fitting-keys.js';
import type { Size } from '../../use-size.js';
import { padTo, truncate, widthOf } from '../../wrap.js';

/** The frame of every screen: a title, the body, a short message about what happened, and the keys. */
export function Frame(props: {
  size: Size;
  title: string;
  aside: string;
  notice: string | null;
  /** Shown in the place of the message when there is none. */
  detail?: string;
  /** The most important first; the last one is always shown. */
  keys: readonly string[];
  children: ReactNode;
}): ReactElement {
  const { size, title, aside, notice, detail = ' ', keys, children } = props;
  const { columns } = size;
  const [titleColor, noticeColor] = [useColor('cyan'), useColor('yellow')];
  // An agent chooses its titles; however long one is, the asker must stay visible.
  const shownAside = truncate(aside, Math.max(Math.floor(columns / 2), columns - widthOf(title) - 1));
  const head = padTo(title, columns - widthOf(shownAside));
  return (
    <Box flexDirection="column" width={columns} height={bodyRows(size) + FRAME_ROWS}>
      <Text wrap="truncate">
        <Text bold {...titleColor}>
          {head}
        </Text>
        <Text dimColor>{shownAside}</Text>
      </Text>
      <Box flexDirection="column" height={bodyRows(size)} overflow="hidden">
        {children}
      </Box>
      {notice === null ? (
        <Text wrap="truncate" dimColor>
          {detail}
        </Text>
      ) : (
        <Text wrap="truncate" {...noticeColor}>
          {notice}
        </Text>
      )}
      <Text wrap="truncate" dimColor>
        {fittingKeys(keys, columns)}
      </Text>
    </Box>
  );
}

const FRAME_ROWS = 3;

/** Rows between the frame's own lines; one row stays free so that the terminal never scrolls. */
export function bodyRows(size: Size): number {
  return Math.max(3, size.rows - FRAME_ROWS - 1);
}
