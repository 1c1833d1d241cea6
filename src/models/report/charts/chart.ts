import type { Drawing } from './shapes.js';

/** A chart: a one-sentence summary, a picture for any width, and the numbers behind it. */
export interface Chart {
  readonly name: string;
  readonly title: string;
  /** What the picture shows, for readers who cannot see it. */
  readonly summary: string;
  /** What its shapes mean. */
  readonly legend: string;
  draw(width: number): Drawing;
  readonly table: Table;
}

export interface Table {
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly string[])[];
  /** The number of rows left out. */
  readonly more?: number;
}

/** `number`: right-aligned. */
export interface Column {
  readonly title: string;
  readonly kind?: 'number' | 'code';
}

/** A picture narrower than this is for a phone. */
export const WIDE = 560;

const MAX_ROWS = 200;

export function tableOf(columns: readonly Column[], rows: readonly (readonly string[])[]): Table {
  const shown = rows.slice(0, MAX_ROWS);
  return {
    columns,
    rows: shown,
    ...(rows.length > shown.length ? { more: rows.length - shown.length } : {}),
  };
}
