import { SESSION_KINDS, type SessionKind } from '../catalog/index.js';
import { visibleExcerpt } from '../foundation/index.js';
import { type CommandContext, ConfirmationMissingError, UsageError } from './command.js';

/** The option that says which kind of session is meant. */
export const KIND_OPTION = {
  kind: { type: 'string', value: '<kind>', about: `only this kind: ${SESSION_KINDS.join(', ')}` },
} as const;

const DAY_MS = 24 * 60 * 60 * 1_000;

/** Throws USAGE. */
export function parseKind(text: string | undefined): SessionKind | undefined {
  const kind = SESSION_KINDS.find((one) => one === text);
  if (text !== undefined && kind === undefined)
    throw new UsageError(`--kind is ${SESSION_KINDS.join(', ')}, not ${visibleExcerpt(text, 40)}`);
  return kind;
}

export function daysToMs(days: number | undefined): number | undefined {
  return days === undefined ? undefined : days * DAY_MS;
}

/** Asks for a yes unless it was given; false when the person says no. Throws CONFIRMATION_MISSING without a terminal. */
export async function confirm(
  { terminal }: Pick<CommandContext, 'terminal'>,
  question: string,
  isSure: boolean,
): Promise<boolean> {
  if (isSure) return true;
  if (!terminal.isInteractive) throw new ConfirmationMissingError(question, { hint: 'Say so with --yes.' });
  const answer = await terminal.ask(`${question} [y/N] `);
  return answer !== null && /^y/i.test(answer.trim());
}
