import { Box, Text } from 'ink';
import type { ReactElement } from 'react';
import type { EditorRow } from '../../text-editor.js';
import { graphemesOf } from '../../wrap.js';

/** The rows of an editor around its cursor. */
export function EditorRows({ rows, height }: { rows: readonly EditorRow[]; height: number }): ReactElement {
  const at = Math.max(
    0,
    rows.findIndex((row) => row.cursorAt !== null),
  );
  const from = Math.max(0, Math.min(at - height + 1, rows.length - height));
  return (
    <Box flexDirection="column">
      {rows.slice(from, from + height).map((row, index) => (
        <Text key={index} wrap="truncate">
          <Text dimColor>│ </Text>
          <RowText row={row} />
        </Text>
      ))}
    </Box>
  );
}

function RowText({ row }: { row: EditorRow }): ReactElement {
  if (row.cursorAt === null) return <Text>{row.text}</Text>;
  const [under = ' ', ...after] = graphemesOf(row.text.slice(row.cursorAt));
  return (
    <Text>
      {row.text.slice(0, row.cursorAt)}
      <Text inverse>{under}</Text>
      {after.join('')}
    </Text>
  );
}
