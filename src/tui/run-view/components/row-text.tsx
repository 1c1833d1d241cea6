import { Text } from 'ink';
import type { ReactElement } from 'react';
import { useColor } from '../../colors.js';
import type { Cell, Row } from '../cells.js';

const LOOKS = { bold: { bold: true }, dim: { dimColor: true }, inverse: { inverse: true } } as const;

/** One row of the terminal. */
export function RowText({ row }: { row: Row }): ReactElement {
  return (
    <Text wrap="truncate">
      {row.length === 0 ? ' ' : row.map((cell, index) => <CellText key={index} cell={cell} />)}
    </Text>
  );
}

function CellText({ cell }: { cell: Cell }): ReactElement {
  const color = useColor(cell.color ?? '');
  return (
    <Text {...(cell.look === undefined ? {} : LOOKS[cell.look])} {...(cell.color === undefined ? {} : color)}>
      {cell.text}
    </Text>
  );
}
