import { Text } from 'ink';
import { type ReactElement, useEffect } from 'react';
import { useColor } from '../../colors.js';
import type { Span } from '../../wrap.js';

const LOOKS = {
  bold: { bold: true },
  italic: { italic: true },
  code: {},
  dim: { dimColor: true },
  heading: { bold: true, underline: true },
} as const;

/** Lines that are already wrapped: one terminal row each. */
export function Lines({ lines }: { lines: readonly (readonly Span[])[] }): ReactElement {
  return (
    <>
      {lines.map((line, index) => (
        <Text key={index} wrap="truncate">
          {line.length === 0
            ? ' '
            : line.map((span, at) => <SpanText key={`${at}:${span.look}`} span={span} />)}
        </Text>
      ))}
    </>
  );
}

/** How a long text is shown: how far it is scrolled, and a callback for how far it can be. */
export interface Scrolling {
  readonly scroll: number;
  readonly onLimit: (limit: number, rows: number) => void;
}

/** As many lines as fit; if that is not all of them, the last row says so. */
export function ScrolledLines(
  props: Scrolling & { lines: readonly (readonly Span[])[]; rows: number },
): ReactElement {
  const { lines, rows } = props;
  const isWhole = lines.length <= rows;
  const shown = useScrolled(props, lines.length, isWhole ? rows : rows - 1);
  return (
    <>
      <Lines lines={lines.slice(shown.from, shown.to)} />
      {isWhole ? null : (
        <Text dimColor wrap="truncate">
          {moreLines(shown.rest)}
        </Text>
      )}
    </>
  );
}

/** The part of the lines that is on screen, never past their end. */
export function useScrolled(
  { scroll, onLimit }: Scrolling,
  lines: number,
  rows: number,
): { from: number; to: number; rest: number } {
  const limit = Math.max(0, lines - rows);
  useEffect(() => onLimit(limit, rows));
  const from = Math.min(scroll, limit);
  return { from, to: from + rows, rest: limit - from };
}

export function moreLines(rest: number): string {
  if (rest === 0) return '(the end; PgUp goes back)';
  return rest === 1 ? '… 1 more line (PgDn)' : `… ${rest} more lines (PgDn)`;
}

function SpanText({ span }: { span: Span }): ReactElement {
  const codeColor = useColor('cyan');
  const { text, look } = span;
  return (
    <Text {...(look === undefined ? {} : LOOKS[look])} {...(look === 'code' ? codeColor : {})}>
      {text}
    </Text>
  );
}
