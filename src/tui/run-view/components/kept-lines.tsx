import { Box, Static } from 'ink';
import type { ReactElement } from 'react';
import { wrapSpans } from '../../wrap.js';
import type { Cell } from '../cells.js';
import type { KeptLine } from '../state.js';
import { RowText } from './row-text.js';

const LOOKS: Readonly<Record<KeptLine['look'], Omit<Cell, 'text'>>> = {
  plain: {},
  head: { look: 'bold' },
  good: { color: 'green' },
  bad: { color: 'red' },
  asks: { color: 'yellow' },
};

/** What stays in the scrollback: written once, above the live part. */
export function KeptLines({ lines, columns }: { lines: readonly KeptLine[]; columns: number }): ReactElement {
  return (
    <Static items={[...lines]}>
      {(line, index) => (
        <Box key={index} flexDirection="column" width={columns}>
          {wrapped(line, columns).map((text, at) => (
            <RowText key={at} row={[{ text, ...LOOKS[line.look] }]} />
          ))}
        </Box>
      )}
    </Static>
  );
}

function wrapped({ text }: KeptLine, columns: number): string[] {
  const indent = /^ */.exec(text)?.[0] ?? '';
  const room = Math.max(10, columns - indent.length);
  return wrapSpans([{ text: text.slice(indent.length) }], room).map(
    (line) => indent + line.map((span) => span.text).join(''),
  );
}
