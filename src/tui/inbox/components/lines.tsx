import { Text } from 'ink';
import type { ReactElement } from 'react';
import type { Span } from '../../wrap.js';

const LOOKS = {
  bold: { bold: true },
  italic: { italic: true },
  code: { color: 'cyan' },
  dim: { dimColor: true },
  heading: { bold: true, underline: true },
} as const;

/** Lines that were wrapped before: one row of the terminal each. */
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

function SpanText({ span }: { span: Span }): ReactElement {
  return <Text {...(span.look === undefined ? {} : LOOKS[span.look])}>{span.text}</Text>;
}
