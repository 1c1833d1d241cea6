import { PERMISSION_CHOICES } from '../foundation/index.js';
import type { QuestionOutcome } from '../sessions/question/index.js';
import type { FormAsked, HookAgent, PermissionAsked, PermissionSuggestion } from './events.js';

/** What a person decided about a permission. */
export type Verdict =
  | { readonly behavior: 'allow'; readonly updatedPermissions?: readonly PermissionSuggestion[] }
  | { readonly behavior: 'deny'; readonly message: string };

/** What the agent is told if the person wrote nothing. */
const DENIED = 'The user denied this.';

/**
 * The verdict in an outcome; undefined if nobody decided. Free text counts as a condition, and a permission cannot be given
 * on a condition: so it denies, and is passed on.
 */
export function verdictIn(
  outcome: QuestionOutcome,
  asked: Pick<PermissionAsked, 'suggestions'>,
): Verdict | undefined {
  if (outcome.status === 'rejected') return { behavior: 'deny', message: outcome.reason ?? DENIED };
  if (outcome.status !== 'completed') return undefined;
  const [answer] = outcome.answers;
  const words = answer?.customText?.trim() ?? '';
  if (words !== '') return { behavior: 'deny', message: words };
  if (answer?.selectedOption === PERMISSION_CHOICES.allow) return { behavior: 'allow' };
  const isAlways = answer?.selectedOption === PERMISSION_CHOICES.always && asked.suggestions.length > 0;
  return isAlways
    ? { behavior: 'allow', updatedPermissions: asked.suggestions }
    : { behavior: 'deny', message: DENIED };
}

/** A verdict in the agent's own format. Codex rejects unknown keys. */
export function permissionDecision(agent: HookAgent, verdict: Verdict): string {
  const decision =
    agent === 'codex' && verdict.behavior === 'allow' ? { behavior: verdict.behavior } : verdict;
  return JSON.stringify({ hookSpecificOutput: { hookEventName: 'PermissionRequest', decision } });
}

/**
 * What a person filled in, in the agent's own format; undefined if nobody decided, or an answer is not one of the form's
 * choices.
 */
export function formDecision(outcome: QuestionOutcome, { fields }: FormAsked): string | undefined {
  if (outcome.status === 'rejected') return formText({ action: 'decline' });
  if (outcome.status !== 'completed') return undefined;
  const values = fields.map(({ name, choices }, index) => {
    const answer = outcome.answers.find(({ questionIndex }) => questionIndex === index);
    const isOwnWords = (answer?.customText?.trim() ?? '') !== '';
    const chosen = choices.find(({ label }) => label === answer?.selectedOption);
    return isOwnWords || chosen === undefined ? undefined : ([name, chosen.value] as const);
  });
  const given = values.filter((value) => value !== undefined);
  // A form takes only its own choices: free text is for the agent's own dialog.
  if (given.length < fields.length) return undefined;
  return formText({ action: 'accept', content: Object.fromEntries(given) });
}

function formText(answer: Readonly<Record<string, unknown>>): string {
  return JSON.stringify({ hookSpecificOutput: { hookEventName: 'Elicitation', ...answer } });
}
