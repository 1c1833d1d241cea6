import type { CallToolResult } from '@modelcontextprotocol/server';
import { HoldfastError, messageOf, visibleLine } from '../foundation/index.js';

/** What follows the message of an error, by its code: what the agent can do about it. */
const ADVICE: Readonly<Record<string, string>> = {
  INVALID_INPUT: 'Correct the call and try again.',
  INVALID_SESSION_ID: 'Use the session id exactly as it was returned.',
  AMBIGUOUS_ID: 'Use the full session id.',
  SESSION_NOT_FOUND: 'It may have been cleaned up; ask again if you still need the answer.',
  TOO_MANY_SESSIONS: 'The person has many open questions; go on without an answer or try later.',
  REQUEST_ID_REUSED: 'Use a new requestId for new questions.',
  LOCKED: 'Another process is working on this question right now; try again in a moment.',
};

/** An error as a tool result: the code, the message, and what the agent can do. */
export function toolError(error: unknown): CallToolResult {
  const code = error instanceof HoldfastError ? error.code : 'INTERNAL';
  const advice = ADVICE[code] ?? (error instanceof HoldfastError ? error.hint : undefined);
  const lines = [
    `Error (${code}): ${visibleLine(messageOf(error))}`,
    ...(advice === undefined ? [] : [advice]),
  ];
  return { isError: true, content: [{ type: 'text', text: lines.join('\n') }] };
}
