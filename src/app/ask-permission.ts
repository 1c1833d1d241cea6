import type { AgentDefinition, PermissionRequest } from '../agents/index.js';
import { isHoldfastError, messageOf, visibleExcerpt, visibleLine } from '../foundation/index.js';
import type { QuestionView } from '../sessions/question/index.js';
import type { Services } from './services.js';

const ALLOW = 'Allow once';

export interface AskPermissionOptions {
  /** Fires when the agent does not wait for the answer any more. */
  readonly signal: AbortSignal;
  /** The question is on disk. */
  readonly onAsked?: ((view: QuestionView) => void) | undefined;
}

/**
 * A permission as a question in the inbox; anything but a clear yes is a no. A question that nobody answered is
 * withdrawn with the turn that it belongs to: an answer could do nothing any more. Throws ABORTED then.
 */
export async function askPermission(
  services: Services,
  agent: Pick<AgentDefinition, 'name'>,
  request: PermissionRequest,
  { signal, onAsked }: AskPermissionOptions,
): Promise<boolean> {
  const { questions, workingDirectory } = services;
  const view = await questions.create(
    [
      {
        title: 'Permission',
        prompt: describePermission(agent.name, request),
        options: [{ label: ALLOW }, { label: 'Deny' }],
      },
    ],
    { asker: { agent: agent.name }, workingDirectory, isWaiting: true },
  );
  onAsked?.(view);
  try {
    const outcome = await questions.wait(view.id, { signal });
    return outcome.status === 'completed' && outcome.answers[0]?.selectedOption === ALLOW;
  } catch (error) {
    await withdraw(services, view.id);
    throw error;
  }
}

async function withdraw({ questions, log }: Services, id: string): Promise<void> {
  try {
    await questions.cancel(id, 'the turn that asked for it is over');
  } catch (error) {
    if (isHoldfastError(error, 'ALREADY_SETTLED')) return; // somebody was faster, and it is out of the way as well
    log.warn('permission.not-withdrawn', { sessionId: id, error: messageOf(error) });
  }
}

const MAX_FIELDS = 20;
const MAX_VALUE = 2_000;

/** What is asked for, in Markdown: all that the tool is to be given, whatever words the agent has for it. */
export function describePermission(agent: string, { name, title, input }: PermissionRequest): string {
  const fields = fieldsOf(input);
  const words = title === '' ? name : title;
  const isTold = fields.some(([, text]) => text.startsWith(words.replace(/…$/, ''))) || words === name;
  const shown = fields
    .slice(0, MAX_FIELDS)
    .map(([key, text]) => `- ${visibleExcerpt(key, 60)}: ${code(text)}`);
  const more = fields.length - shown.length;
  return [
    `${agent} asks to use **${visibleExcerpt(name, 80)}**:`,
    ...(isTold && fields.length > 0 ? [] : [code(words)]),
    ...(shown.length === 0 ? [] : [shown.join('\n')]),
    ...(more === 0 ? [] : [`(${more} more of its input not shown)`]),
  ].join('\n\n');
}

function fieldsOf(input: unknown): [key: string, text: string][] {
  if (input === null || input === undefined) return [];
  if (typeof input !== 'object' || Array.isArray(input)) return [['input', textOf(input)]];
  return Object.entries(input).map(([key, value]) => [key, textOf(value)]);
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}

/** Foreign text in one line of code that nothing in it can end. What is left out is counted: it may be what matters. */
function code(text: string): string {
  const kept = visibleLine(text.slice(0, MAX_VALUE));
  const runs = kept.match(/`+/g) ?? [];
  const fence = '`'.repeat(1 + Math.max(0, ...runs.map((run) => run.length)));
  const space = /^`|`$|^$/.test(kept) ? ' ' : '';
  const left = text.length - MAX_VALUE;
  return `${fence}${space}${kept}${space}${fence}${left > 0 ? ` … (${left} more characters)` : ''}`;
}
