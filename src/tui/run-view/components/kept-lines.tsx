import { Box, Static } from 'ink';
import type { ReactElement } from 'react';
import { rowsOf } from '../../../foundation/index.js';
import type { KeptLine } from '../../../models/run-view/index.js';
import type { Cell } from '../cells.js';
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
          {rowsOf(line.text, columns).map((text, at) => (
            <RowText key={at} row={[{ text, ...LOOKS[line.look] }]} />
          ))}
        </Box>
      )}
    </Static>
  );
}
