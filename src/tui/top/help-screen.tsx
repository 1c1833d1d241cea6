import type { ReactElement } from 'react';
import { bodyRows, Frame } from '../inbox/components/frame.js';
import { Lines } from '../inbox/components/lines.js';
import type { Size } from '../use-size.js';
import { padTo, type Span } from '../wrap.js';

const KEYS = [
  ['↑ ↓  k j', 'move between rows'],
  ['Enter', 'answer its question, otherwise attach'],
  ['a, v', 'answer here; attach to the run'],
  ['p, r, s', 'pause, resume, stop (asks first)'],
  ['o', 'how to get to its directory'],
  ['/, Esc', 'filter by typing; show everything'],
  ['PgUp PgDn g G', 'a page, the first, the last'],
  ['q, Ctrl+C', 'leave; nothing changes'],
] as const;

const KEY_COLUMNS = 15;

/** All keys. */
export function HelpScreen({ size }: { size: Size }): ReactElement {
  const lines = KEYS.map(([keys, what]): Span[] => [
    { text: padTo(keys, KEY_COLUMNS), look: 'bold' },
    { text: what },
  ]);
  return (
    <Frame size={size} title="Keys" aside="" notice={null} keys={['any key: back']}>
      <Lines lines={lines.slice(0, bodyRows(size))} />
    </Frame>
  );
}
