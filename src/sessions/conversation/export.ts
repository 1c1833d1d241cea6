import * as z from 'zod';
import {
  firstIssue,
  InvalidInputError,
  inMarkdown,
  messageOf,
  quoted,
  redact as redactText,
} from '../../foundation/index.js';
import type { ImportedTurn } from './conversation.js';
import type { ConversationView } from './view.js';

interface ExportOptions {
  /** Applied to all text; the product's own redaction if absent. */
  readonly redact?: ((text: string) => string) | undefined;
}

/** A conversation for reading: Markdown with its metadata, roles and times. */
export function exportMarkdown(view: ConversationView, options: ExportOptions = {}): string {
  const { redact = redactText } = options;
  const { id, agent, createdAt } = view.metadata;
  const lines = [
    `# Session ${id}`,
    '',
    `- Agent: ${inMarkdown(redact(oneLine(agent)))}`,
    `- Created: ${createdAt}`,
    `- Status: ${view.status}`,
    `- Turns: ${view.turnCount}`,
  ];
  for (const { number, role, timestamp, content, failure } of view.turns) {
    lines.push(
      '',
      `## ${number}. ${role}, ${timestamp}${failure === null ? '' : ' (failed)'}`,
      '',
      quoted(redact(content)),
    );
  }
  if (view.damage.length > 0)
    lines.push(
      '',
      '## Damage',
      '',
      ...view.damage.map(({ offset, detail }) => `- at byte ${offset}: ${inMarkdown(oneLine(detail))}`),
    );
  return `${lines.join('\n')}\n`;
}

/** A conversation for use elsewhere: its metadata and an array of turns, with the keys of the file. */
export function exportJson(view: ConversationView, options: ExportOptions = {}): string {
  const { redact = redactText } = options;
  const { id, agent, createdAt } = view.metadata;
  const document: ExportedConversation = {
    metadata: { session_id: id, agent: redact(agent), created_at: createdAt, status: view.status },
    turns: view.turns.map(({ role, content, timestamp, tokens, failure }) => ({
      role,
      content: redact(content),
      timestamp,
      tokens,
      ...(failure === null ? {} : { failed: redact(failure) }),
    })),
    ...(view.damage.length === 0 ? {} : { damage: view.damage }),
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}

const ExportedTurn = z.looseObject({
  role: z.enum(['user', 'assistant', 'system']),
  content: z.string(),
  timestamp: z.iso.datetime({ offset: true, local: true }).optional(),
  tokens: z.int().nonnegative().optional(),
  /** Why it failed; absent in a successful turn. */
  failed: z.string().optional(),
});

const ExportedConversation = z.looseObject({
  metadata: z
    .looseObject({
      session_id: z.string().optional(),
      agent: z.string().optional(),
      created_at: z.string().optional(),
      status: z.string().optional(),
    })
    .optional(),
  turns: z.array(ExportedTurn),
});
type ExportedConversation = z.infer<typeof ExportedConversation>;

/** The contents of an export, ready for `Conversation.importTurns`. */
export interface ImportedConversation {
  readonly agent: string | null;
  readonly turns: readonly ImportedTurn[];
}

/** Reads the output of `exportJson`, or a bare array of turns; leaves out failed turns. Throws INVALID_INPUT with the place. */
export function parseExport(text: string): ImportedConversation {
  const parsed = ExportedConversation.safeParse(asDocument(parseJson(text)));
  if (!parsed.success) {
    const { place, reason } = firstIssue(parsed.error);
    throw new InvalidInputError(`Not a conversation: ${place}: ${reason}`, { place });
  }
  const { metadata, turns } = parsed.data;
  return {
    agent: metadata?.agent ?? null,
    turns: turns
      .filter(({ failed }) => failed === undefined)
      .map(({ role, content, timestamp, tokens }) => ({ role, content, timestamp, tokens })),
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new InvalidInputError(`Not JSON: ${messageOf(error)}`, { cause: error });
  }
}

function asDocument(value: unknown): unknown {
  return Array.isArray(value) ? { turns: value } : value;
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ');
}
