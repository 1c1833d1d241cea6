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

/** Where permissions are asked for. */
export interface PermissionDesk {
  readonly questions: QuestionSessions;
  readonly log: Logger;
  readonly workingDirectory: string;
}

export interface AskPermissionOptions {
  /** Fires when the agent no longer waits for the answer. */
  readonly signal: AbortSignal;
  /** Where the agent works; absent = the working directory. */
  readonly workingDirectory?: string | undefined;
  /** The session that the agent works for: whichever process takes it over can withdraw the earlier questions. */
  readonly askerSession?: string | undefined;
}

/**
 * Asks for a permission with a question in the inbox. Anything but a clear yes is a no, and words that come with a no are
 * passed to the agent. An unanswered question is withdrawn with its turn, because an answer could no longer have any effect.
 * Throws ABORTED in that case, and INVALID_INPUT for a request too long to be shown whole.
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
    await noteHeard(services, view.id);
    if (outcome.status === 'completed') return decisionOf(outcome.answers[0]);
    const reason = outcome.status === 'rejected' ? outcome.reason : null;
    return { isAllowed: false, ...(reason === null || reason === '' ? {} : { message: reason }) };
  } catch (error) {
    await withdraw(services, view.id, 'the turn that asked for it is over');
    throw error;
  }
}

/** Whatever was decided about the card has been heard: nobody else is to collect it. */
async function noteHeard(
  { questions, log }: Pick<PermissionDesk, 'questions' | 'log'>,
  id: string,
): Promise<void> {
  try {
    using delivery = await questions.collect(id);
    delivery.confirm();
  } catch (error) {
    log.warn('question.delivery-not-noted', { sessionId: id, error: messageOf(error) });
  }
}

/** Free text counts as a condition, and a permission cannot be given on a condition: so it denies. */
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
    await noteHeard({ questions, log }, id);
  } catch (error) {
    if (isHoldfastError(error, 'ALREADY_SETTLED')) return; // somebody was faster, and it is settled too
    log.warn('permission.not-withdrawn', { sessionId: id, error: messageOf(error) });
  }
}

/** The note at the bottom of every card. */
export const ABOUT_WORDS = 'Your own words deny it and are passed on to the agent.';

/**
 * The request in Markdown: everything the tool would be given, each thing once, whole, and with its line breaks. Nothing is
 * ever left out: a person must not say yes to what they cannot read.
 */
export function describePermission(agent: string, request: PermissionRequest): string {
  const { name, kind, title, input, changes = [] } = request;
  const fields = fieldsOf(input);
  const shown = [...fields.map(([, text]) => text), ...changes.map(({ newText }) => newText)];
  const words = title === '' ? name : title;
  const isTool = /^[a-z_][\w:-]*$/i.test(name);
  // Some agents' titles are the tool's name and what it is about.
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

/** What is asked for if the agent has no name for the tool. */
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

/** A value that fits on one line is shown as JSON. Of a longer one each part is a field, so its lines stay lines. */
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

/** Whether the input already contains, unchanged, what a file would become. */
function isAmong(change: FileChange, fields: readonly Field[]): boolean {
  return fields.some(([, shown]) => (shown !== '' && shown === change.newText) || isDiffOf(shown, change));
}

function describeChange(change: FileChange): string {
  const { path, oldText, newText } = change;
  if (oldText !== null && oldText !== '') return `- in ${inline(path)}:\n\n${block(changedLines(change))}`;
  return `- ${inline(path)} will contain${newText === '' ? ' nothing' : `:\n\n${block(newText)}`}`;
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

/** Foreign text in a line of ours; if Markdown would act on it, it is shown as code. */
function plain(text: string): string {
  return /^(?!.*__)[\w.:/-]+$/.test(text) ? text : inline(text);
}

/** Foreign text as one line of code that it cannot break out of. */
function inline(text: string): string {
  const shown = visibleLine(text);
  const fence = '`'.repeat(1 + longestRun(shown));
  const space = /^`|`$|^$/.test(shown) ? ' ' : '';
  return `${fence}${space}${shown}${space}${fence}`;
}

/** Foreign text as a code block that it cannot break out of. */
function block(text: string): string {
  const shown = visibleBlock(text).replace(/\n$/, '');
  const fence = '`'.repeat(Math.max(3, 1 + longestRun(shown)));
  return `${fence}\n${shown}\n${fence}`;
}

function longestRun(text: string): number {
  return (text.match(/`+/g) ?? []).reduce((longest, run) => Math.max(longest, run.length), 0);
}
