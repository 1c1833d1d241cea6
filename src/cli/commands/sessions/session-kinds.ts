import { SESSION_KINDS } from '../../../catalog/index.js';
import { type CommandContext, ConfirmationMissingError } from '../../command.js';
import { saysYes } from '../../says-yes.js';

/** The option that names the kind of session. */
export const KIND_OPTION = {
  kind: {
    type: 'string',
    value: '<kind>',
    about: `only this kind: ${SESSION_KINDS.join(', ')}`,
    choices: SESSION_KINDS,
  },
} as const;

/** Asks for confirmation unless it was given; false if the person says no. Throws CONFIRMATION_MISSING without a terminal. */
export async function confirm(
  { terminal }: Pick<CommandContext, 'terminal'>,
  question: string,
  isSure: boolean,
): Promise<boolean> {
  if (isSure) return true;
  if (!terminal.isInteractive) throw new ConfirmationMissingError(question, { hint: 'Confirm with --yes.' });
  return saysYes(terminal, question);
}
