import type { FileChange, PermissionAnswer, PermissionRequest, ToolKind } from '../../agents/index.js';
import {
  isHoldfastError,
  type Logger,
  messageOf,
  visibleBlock,
  visibleLine,
} from '../../foundation/index.js';
import {
  isPermission,
  PERMISSION_CHOICES,
  permissionAsker,
  type QuestionSessions,
  type UserAnswer,
} from '../../sessions/question/index.js';
import { changedLines, isDiffOf } from './describe-change.js';

/** Where a permission is asked for. */
export interface PermissionDesk {
  readonly questions: QuestionSessions;
  readonly log: Logger;
  readonly workingDirectory: string;
}

export interface AskPermissionOptions {
  /** Fires when the agent does not wait for the answer any more. */
  readonly signal: AbortSignal;
  /** Where the agent works; the working directory if absent. */
  readonly workingDirectory?: string | undefined;
  /** The session that the agent works for: whoever takes it over can withdraw what was asked before. */
  readonly askerSession?: string | undefined;
}

/**
 * A permission as a question in the inbox; anything but a clear yes is a no, and words that come with a no are for the
 * agent. A question that nobody answered is withdrawn with the turn that it belongs to: an answer could do nothing any
 * more. Throws ABORTED then, and INVALID_INPUT for what is too long to be shown whole.
 */
export async function askPermission(
  services: PermissionDesk,
  agent: { readonly name: string },
  request: PermissionRequest,
  { signal, workingDirectory, askerSession }: AskPermissionOptions,
): Promise<PermissionAnswer> {
  const { questions } = services;
  const view = await questions.create(
    [
      {
        title: 'Permission',
        prompt: describePermission(agent.name, request),
        options: [{ label: PERMISSION_CHOICES.allow }, { label: PERMISSION_CHOICES.deny }],
      },
    ],
    {
      asker: permissionAsker({
        agent: agent.name,
        ...(askerSession === undefined ? {} : { session: askerSession }),
      }),
      workingDirectory: workingDirectory ?? services.workingDirectory,
      isWaiting: true,
    },
  );
  try {
    const outcome = await questions.wait(view.id, { signal });
    if (outcome.status === 'completed') return decisionOf(outcome.answers[0]);
    const reason = outcome.status === 'rejected' ? outcome.reason : null;
    return { isAllowed: false, ...(reason === null || reason === '' ? {} : { message: reason }) };
  } catch (error) {
    await withdraw(services, view.id, 'the turn that asked for it is over');
    throw error;
  }
}

/** Own words count as a condition, and an agent cannot be allowed something on a condition: they deny. */
function decisionOf(answer: UserAnswer | undefined): PermissionAnswer {
  const words = answer?.customText?.trim() ?? '';
  const isAllowed = answer?.selectedOption === PERMISSION_CHOICES.allow && words === '';
  return { isAllowed, ...(isAllowed || words === '' ? {} : { message: words }) };
}

/** Withdraws what an earlier process asked for a session: the agent asks again if it still wants it. */
export async function withdrawPermissions(
  services: Pick<PermissionDesk, 'questions' | 'log'>,
  askerSession: string,
): Promise<void> {
  for (const view of await services.questions.list()) {
    const isOfSession = isPermission(view) && view.asker?.session === askerSession;
    if (isOfSession && view.outcome.status === 'pending')
      await withdraw(services, view.id, 'the run that asked is gone');
  }
}

async function withdraw(
  { questions, log }: Pick<PermissionDesk, 'questions' | 'log'>,
  id: string,
  reason: string,
): Promise<void> {
  try {
    await questions.cancel(id, reason);
  } catch (error) {
    if (isHoldfastError(error, 'ALREADY_SETTLED')) return; // somebody was faster, and it is out of the way as well
    log.warn('permission.not-withdrawn', { sessionId: id, error: messageOf(error) });
  }
}

/** What stands below every card. */
export const ABOUT_WORDS = 'Your own words deny it and are passed on to the agent.';

/**
 * What is asked for, in Markdown: all that the tool is to be given, each thing once and whole, with its lines as lines.
 * Nothing is ever left out: a person must not say yes to what is not there to be read.
 */
export function describePermission(agent: string, request: PermissionRequest): string {
  const { name, kind, title, input, changes = [] } = request;
  const fields = fieldsOf(input);
  const shown = [...fields.map(([, text]) => text), ...changes.map(({ newText }) => newText)];
  const words = title === '' ? name : title;
  const isTool = /^[a-z_][\w:-]*$/i.test(name);
  // Titles of some agents are the tool and what it is about.
  const subject = words.startsWith(`${name} `) ? words.slice(name.length + 1) : words;
  const isTold = (isTool && words === name) || shown.some((text) => startsWith(text, subject));
  return [
    `${agent} asks to ${isTool ? `use **${name}**` : DOES[kind]}:`,
    ...(isTold && shown.length > 0 ? [] : [code(words)]),
    ...fields.map(([key, text]) => named(key, text)),
    ...changes.filter((change) => !isAmong(change, fields)).map(describeChange),
    ABOUT_WORDS,
  ].join('\n\n');
}

/** What is asked for where the agent has no name for the tool. */
const DOES: Readonly<Record<ToolKind, string>> = {
  read: 'read',
  edit: 'edit files',
  delete: 'delete',
  move: 'move files',
  execute: 'run a command',
  fetch: 'fetch something',
  other: 'do something',
};

type Field = [key: string, text: string];

function fieldsOf(input: unknown): Field[] {
  if (input === null || input === undefined) return [];
  if (typeof input !== 'object' || Array.isArray(input)) return flattened('input', input);
  return Object.entries(input).flatMap(([key, value]) => flattened(key, value));
}

/** What fits into a line is told as JSON; of anything longer each part is a field, so that its lines are lines. */
function flattened(key: string, value: unknown): Field[] {
  if (typeof value === 'string') return [[key, value]];
  const json = JSON.stringify(value) ?? '';
  const isPlain =
    typeof value !== 'object' || value === null || (json.length <= MAX_INLINE && !json.includes('\\'));
  if (isPlain || Object.keys(value).length === 0) return [[key, json]];
  return Object.entries(value).flatMap(([inner, part]) => flattened(`${key}.${inner}`, part));
}

/** Whether a text begins with a title, which is one line and may have been cut. */
function startsWith(text: string, title: string): boolean {
  const inOneLine = (words: string) =>
    words
      .replaceAll(/\\[nrt]|\s+/g, ' ')
      .replaceAll(/ +/g, ' ')
      .trim();
  const head = inOneLine(title.replace(/…$/, ''));
  return inOneLine(text.slice(0, 4 * title.length + 100)).startsWith(head);
}

/** Whether what a file would become stands in the input already, as it is. */
function isAmong(change: FileChange, fields: readonly Field[]): boolean {
  return fields.some(([, shown]) => (shown !== '' && shown === change.newText) || isDiffOf(shown, change));
}

function describeChange(change: FileChange): string {
  const { path, oldText, newText } = change;
  if (oldText !== null && oldText !== '') return `- in ${inline(path)}:\n\n${block(changedLines(change))}`;
  return `- ${inline(path)} is to hold${newText === '' ? ' nothing' : `:\n\n${block(newText)}`}`;
}

const MAX_INLINE = 100;

function named(key: string, text: string): string {
  return isShort(text) ? `- ${plain(key)}: ${inline(text)}` : `- ${plain(key)}:\n\n${block(text)}`;
}

function code(text: string): string {
  return isShort(text) ? inline(text) : block(text);
}

function isShort(text: string): boolean {
  return text.length <= MAX_INLINE && !/[\n\r]/.test(text);
}

/** A foreign name in a line of ours; one that Markdown would act on is code. */
function plain(text: string): string {
  return /^(?!.*__)[\w.:/-]+$/.test(text) ? text : inline(text);
}

/** Foreign text in one line of code that nothing in it can end. */
function inline(text: string): string {
  const shown = visibleLine(text);
  const fence = '`'.repeat(1 + longestRun(shown));
  const space = /^`|`$|^$/.test(shown) ? ' ' : '';
  return `${fence}${space}${shown}${space}${fence}`;
}

/** Foreign text in lines of code that nothing in it can end. */
function block(text: string): string {
  const shown = visibleBlock(text).replace(/\n$/, '');
  const fence = '`'.repeat(Math.max(3, 1 + longestRun(shown)));
  return `${fence}\n${shown}\n${fence}`;
}

function longestRun(text: string): number {
  return (text.match(/`+/g) ?? []).reduce((longest, run) => Math.max(longest, run.length), 0);
}
