import type { ReactElement } from 'react';
import type { Size } from '../../use-size.js';
import { padTo, type Span, wrapSpans } from '../../wrap.js';
import { bodyRows, Frame } from './frame.js';
import { ScrolledLines, type Scrolling } from './lines.js';

const KEYS = [
  ['↑ ↓  k j', 'move between sets or options'],
  ['Enter', 'open a set · choose and continue · send the review'],
  ['Space, 1-9, 0', 'choose an option; with several, toggle it'],
  ['Tab → / Shift+Tab ←', 'next and previous question'],
  ['r', 'take the recommended option (★) and continue'],
  ['o', 'answer in your own words, or edit them'],
  ['Ctrl+J, Alt+Enter', 'new line in your own words'],
  ['Esc', 'stop typing · reject the set (asks first)'],
  ['q', 'back to the list, the draft is kept · leave'],
  ['Ctrl+C', 'leave at once, the draft is kept'],
  ['/, R', 'on the list: filter by typing; reject all that is listed'],
  ['PgUp, PgDn', 'scroll a long text · ten sets up or down'],
  ['Home End  g G', 'first and last set · start and end of the line'],
  ['Ctrl+A E U K W', 'as in a shell: start, end, delete before, after, a word'],
  ['Ctrl+← →, Alt+B F', 'a word back, a word forward'],
] as const;

const KEY_COLUMNS = 22;
const MIN_COLUMNS = 60;

/** All keys. */
export function HelpScreen({ size, scrolling }: { size: Size; scrolling: Scrolling }): ReactElement {
  const lines = KEYS.flatMap(([keys, what]): Span[][] =>
    size.columns < MIN_COLUMNS
      ? [[{ text: keys, look: 'bold' }], ...indented(what, '  ', size.columns)]
      : indented(what, ' '.repeat(KEY_COLUMNS), size.columns).map((line, index) =>
          index === 0 ? [{ text: padTo(keys, KEY_COLUMNS), look: 'bold' }, ...line.slice(1)] : line,
        ),
  );
  return (
    <Frame size={size} title="Keys" aside="" notice={null} keys={['any other key: back']}>
      <ScrolledLines lines={lines} rows={bodyRows(size)} {...scrolling} />
    </Frame>
  );
}

function indented(text: string, indent: string, columns: number): Span[][] {
  return wrapSpans([{ text }], columns - indent.length).map((line) => [{ text: indent }, ...line]);
}
