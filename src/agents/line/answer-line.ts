import { NO_USAGE, type Usage } from '../events.js';
import type { LineRules } from './options.js';

/** What a line of output means: text, the end of the answer, or both. */
export interface AnswerLine {
  /** Null when the line is nothing but a marker. */
  readonly text: string | null;
  readonly end: 'completed' | 'failed' | null;
}

/** Reads one line of an answer. A marker is not part of the text. */
export function readAnswerLine(line: string, rules: LineRules): AnswerLine {
  const failure = withoutMarker(line, rules.failureMarkers, rules);
  if (failure !== null) return { text: nothingIfBlank(failure), end: 'failed' };
  const end = withoutMarker(line, rules.endMarkers, rules);
  if (end !== null) return { text: nothingIfBlank(end), end: 'completed' };
  return { text: line, end: null };
}

/** How full the context is according to this line; null if it does not say. */
export function readContext(line: string, rules: LineRules): Usage | null {
  if (rules.context === null) return null;
  const { pattern, windowTokens } = rules.context;
  const percentage = Number(pattern.exec(line)?.[1] ?? Number.NaN);
  if (Number.isNaN(percentage)) return null;
  const contextTokens = Math.round((Math.min(percentage, 100) / 100) * windowTokens);
  return { ...NO_USAGE, contextTokens, contextWindow: windowTokens };
}

/**
 * A prompt as the program reads it: its own lines and a terminator, or one line. Null if it cannot be sent because one of
 * its lines is the terminator.
 */
export function formatPrompt(text: string, rules: LineRules): string | null {
  const lines = text.split(/\r\n|\r|\n/);
  if (rules.promptTerminator === null) return lines.join(rules.lineBreak);
  return lines.includes(rules.promptTerminator) ? null : [...lines, rules.promptTerminator].join('\n');
}

/** The line without its marker; null if it has none. A blank marker is a blank line. */
function withoutMarker(line: string, markers: readonly string[], rules: LineRules): string | null {
  const shown = line.trimEnd();
  for (const marker of markers) {
    const sought = marker.trimEnd();
    if (sought === '') {
      if (shown === '') return '';
    } else if (rules.markersCount === 'end') {
      if (shown.endsWith(sought)) return shown.slice(0, -sought.length);
    } else if (line.includes(marker)) {
      return line.replace(marker, () => '');
    }
  }
  return null;
}

function nothingIfBlank(text: string): string | null {
  return text.trim() === '' ? null : text.trimEnd();
}
