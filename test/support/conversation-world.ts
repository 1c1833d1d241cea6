import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { type RetainOptions, type RetainReport, retain } from '../../src/catalog/index.js';
import { ConversationSessions, FileConversationStore } from '../../src/sessions/conversation/index.js';
import type { LockTools } from '../../src/storage/index.js';
import { FakeClock } from './fake-clock.js';
import { deadIdentity } from './processes.js';
import { RecordingLog } from './recording-log.js';
import { storageTools } from './storage-tools.js';
import { type TempDir, tempDir } from './temp-dir.js';

/** Conversations in their own directory, over real files and a clock that the test moves. */
export interface ConversationWorld extends AsyncDisposable {
  readonly dir: TempDir;
  readonly base: string;
  readonly clock: FakeClock;
  readonly log: RecordingLog;
  readonly store: FileConversationStore;
  readonly sessions: ConversationSessions;
  /** The same directory through another instance. */
  other(overrides?: Partial<LockTools> & { redact?: (text: string) => string }): ConversationSessions;
  /** Cleans as every surface does. */
  clean(options: RetainOptions): Promise<Omit<RetainReport, 'uncollected'>>;
  path(id: string): string;
  /** The lines of a file. */
  lines(id: string): string[];
  /** The records of a file. */
  records(id: string): Record<string, unknown>[];
  /** Plants a file as another program might have written it. */
  plant(id: string, content: string | Buffer): void;
  /** The names beside the sessions. */
  files(): string[];
}

export async function conversationWorld(options: { isInMemory?: boolean } = {}): Promise<ConversationWorld> {
  const dir = await tempDir(options);
  const base = dir.at('sessions');
  const clock = new FakeClock({ autoAdvance: true });
  const log = new RecordingLog();
  const build = (overrides: Parameters<ConversationWorld['other']>[0] = {}) => {
    const { redact, ...toolOverrides } = overrides;
    const tools = storageTools({ clock, log, ...toolOverrides });
    const store = new FileConversationStore(tools, { directory: base });
    return { store, sessions: new ConversationSessions({ ...tools, store, redact }) };
  };
  const path = (id: string) => `${base}/${id}.jsonl`;
  const lines = (id: string) => readFileSync(path(id), 'utf8').split('\n').slice(0, -1);
  const built = build();
  return {
    dir,
    base,
    clock,
    log,
    ...built,
    async clean(options) {
      const { uncollected: _, ...report } = await retain(built.sessions, { clock, log }, options);
      return report;
    },
    other: (overrides) => build(overrides).sessions,
    path,
    lines,
    records: (id) => lines(id).map((line) => JSON.parse(line)),
    plant(id, content) {
      mkdirSync(base, { recursive: true, mode: 0o700 });
      writeFileSync(path(id), content, { mode: 0o600 });
    },
    files: () =>
      readdirSync(base)
        .filter((name) => name !== '.holdfast')
        .sort(),
    [Symbol.asyncDispose]: () => dir[Symbol.asyncDispose](),
  };
}

/** A file exactly as in the published format, written by a program that has never heard of us. */
export function publishedFile(id: string, turns: readonly [string, string][], agent = 'qa-test'): string {
  const metadata = { type: 'metadata', session_id: id, agent, created_at: '2026-01-14T10:00:00.000000' };
  const records = turns.map(([role, content], index) => ({
    type: 'turn',
    role,
    content,
    timestamp: `2026-01-14T10:0${index}:00.500000`,
    tokens: content.length,
  }));
  // Spelled as by Python's json.dumps.
  const spell = (record: object) => JSON.stringify(record).replaceAll('":', '": ').replaceAll(',"', ', "');
  return [metadata, ...records].map((record) => `${spell(record)}\n`).join('');
}

/** Creates a conversation with these turns and releases it. */
export async function said(
  world: ConversationWorld,
  id: string,
  contents: readonly string[],
  agent = 'qa-test',
) {
  using conversation = await world.sessions.create({ id, agent });
  for (const [index, content] of contents.entries()) {
    if (index % 2 === 0) conversation.addUserTurn(content);
    else conversation.addAssistantTurn(content);
  }
  conversation.setStatus('completed');
}

/** The sessions of a dead process: whatever it owned has a dead owner. */
export async function deadProcess(world: ConversationWorld) {
  return world.other({ identity: await deadIdentity() });
}

/** What was said, turn by turn. */
export const contentsOf = (view: { turns: readonly { content: string }[] }) =>
  view.turns.map(({ content }) => content);
