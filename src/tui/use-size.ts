import { useEffect, useState } from 'react';

/** The size of a terminal, in cells. */
export interface Size {
  readonly columns: number;
  readonly rows: number;
}

/** Where the size comes from. */
export type SizedStream = Pick<NodeJS.WriteStream, 'columns' | 'rows' | 'on' | 'off'>;

/** The size of the terminal, kept up to date. */
export function useSize(terminal: SizedStream): Size {
  const [size, setSize] = useState(() => sizeOf(terminal));
  useEffect(() => {
    const onResize = () => setSize(sizeOf(terminal));
    terminal.on('resize', onResize);
    return () => {
      terminal.off('resize', onResize);
    };
  }, [terminal]);
  return size;
}

function sizeOf({ columns, rows }: SizedStream): Size {
  return { columns: Math.max(20, columns || 80), rows: Math.max(8, rows || 24) };
}
