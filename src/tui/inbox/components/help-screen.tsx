import { Text } from 'ink';
import type { ReactElement } from 'react';
import { bodyRows, Frame, type Size } from './frame.js';

const KEYS = [
  ['↑ ↓  k j', 'move between sets or options'],
  ['Enter', 'open a set · choose and go on · send the review'],
  ['Space, 1-9', 'choose or toggle an option'],
  ['Tab, → / Shift+Tab, ←', 'next and previous question'],
  ['r', 'take the recommended option (★)'],
  ['o', 'answer in your own words'],
  ['Ctrl+J, Alt+Enter', 'new line in your own words'],
  ['PgUp, PgDn', 'scroll a long prompt'],
  ['Esc', 'reject the set, with a question before · stop typing'],
  ['q', 'back to the list, the draft is kept · leave'],
  ['Ctrl+C', 'leave at once, the draft is kept'],
] as const;

/** All keys. */
export function HelpScreen({ size }: { size: Size }): ReactElement {
  return (
    <Frame size={size} title="Keys" aside="" notice={null} keys="any key: back">
      {KEYS.slice(0, bodyRows(size)).map(([keys, what]) => (
        <Text key={keys} wrap="truncate">
          <Text bold>{keys.padEnd(24)}</Text>
          {what}
        </Text>
      ))}
    </Frame>
  );
}
