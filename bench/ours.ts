// What the benchmark calls of Holdfast, bundled from `src/` on the fly. No measuring here: only our side of each row.
import {
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { ClaudeReader } from '../src/agents/claude/read.js';
import { lineDriver } from '../src/agents/line/index.js';
import { createServices, openLoops } from '../src/app/index.js';
import { servicesAt } from '../src/app/services.js';
import { redact, silentLogger, systemClock, systemIds } from '../src/foundation/index.js';
import {
  findMarked,
  LineSplitter,
  ProgramRegistry,
  type ProgramSpec,
  startProgram,
} from '../src/programs/index.js';
import { ALWAYS, FileQueue, NO_LIMITS } from '../src/queue/index.js';
import { hashOf } from '../src/queue/plan-content.js';
import { ConversationSessions, FileConversationStore } from '../src/sessions/conversation/index.js';
import { LoopSessions } from '../src/sessions/loop/index.js';
import { FileProcessStore, ProcessSessions } from '../src/sessions/process/index.js';
import { DEFAULT_LIMITS, FileQuestionStore, QuestionSessions } from '../src/sessions/question/index.js';
import {
  acquireLock,
  checksumSeed,
  DirectoryWatcher,
  encodeRecord,
  type FileSystem,
  JsonlLog,
  type Lock,
  type LockTools,
  type LogRecord,
  nodeFileSystem,
  ownIdentity,
  replaceFile as replace,
} from '../src/storage/index.js';
import { issueCode, webPlace } from '../src/web/server/index.js';
import {
  compareSnapshots,
  type Snapshot,
  takeSnapshot,
  type WorkspaceChanges,
} from '../src/workspace/index.js';

const SESSION_ID = '00000000-0000-4000-8000-000000000000';
const tools = createTools(nodeFileSystem);

/** A log under a held lock, as a session keeps it; `append` returns once the record is on disk. */
export async function openLog(path: string): Promise<{ append(record: LogRecord): number; close(): void }> {
  const lock = await acquireLock(tools, path);
  JsonlLog.create(tools, path, SESSION_ID, { type: 'created' });
  const log = JsonlLog.open(tools, path, { sessionId: SESSION_ID, lock });
  return {
    append: (record) => log.append(record),
    close() {
      log.close();
      lock.release();
    },
  };
}

/** Replaces a file as a whole, durably. */
export function replaceFile(path: string, text: string): void {
  replace(tools, path, text);
}

/** Takes a lock, waiting for living owners as long as it needs. */
export function takeLock(path: string): Promise<Lock> {
  return acquireLock(tools, path, { waitMs: 120_000 });
}

/** A loop session; `iterate` commits one iteration, all files durable. */
export async function openLoop(directory: string): Promise<{ iterate(): void; close(): void }> {
  const loop = await new LoopSessions({ ...tools, directory }).create('plan.md');
  let total = 0;
  return {
    iterate() {
      total += 1;
      loop.commitIteration({
        run: 'answered',
        measured: {
          exitCode: 1,
          tests: { total, passing: 0, failing: total, skipped: 0 },
          hasTreeChanged: true,
          files: { created: 1, modified: 0, deleted: 0 },
          documents: { total: 0, decisionRecords: 0 },
        },
        claim: { metrics: {}, exitSignal: false },
      });
    },
    close: () => loop[Symbol.dispose](),
  };
}

/** Question sessions below a directory. `onLink` is told each name right before it becomes visible. */
export function openQuestions(directory: string, onLink: (path: string) => void = () => {}): Questions {
  const fileSystem: FileSystem = {
    ...nodeFileSystem,
    link(existing, added) {
      onLink(added);
      nodeFileSystem.link(existing, added);
    },
  };
  const own = createTools(fileSystem);
  const sessions = new QuestionSessions({
    ...own,
    store: new FileQuestionStore(own, {
      directory: join(directory, 'sets'),
      trash: join(directory, 'trash'),
    }),
    limits: DEFAULT_LIMITS,
    maxSessions: 10_000,
    retentionMs: 7 * 24 * 60 * 60 * 1_000,
    timeoutMs: 0,
  });
  return {
    create: async () => (await sessions.create([QUESTION], { isWaiting: true })).id,
    answer: (id) => sessions.answer(id, [{ questionIndex: 0, selectedOption: 'Yes' }]),
    wait: (id) => sessions.wait(id),
  };
}

/** Snapshots as a session takes them, with programs recorded in a directory of their own. */
export function openWorkspace(programs: string, environment: Record<string, string>): Workspace {
  const own = { ...tools, registry: new ProgramRegistry(tools, programs), environment };
  return {
    snapshot: (directory) => takeSnapshot(own, directory),
    compare: (before, after) => compareSnapshots(own, before, after),
  };
}

interface Workspace {
  snapshot(directory: string): Promise<Snapshot>;
  compare(before: Snapshot, after: Snapshot): Promise<WorkspaceChanges>;
}

export { redact };

/** The conversations of a directory. */
export function openConversations(directory: string): ConversationSessions {
  return new ConversationSessions({ ...tools, store: new FileConversationStore(tools, { directory }) });
}

/** Writes a conversation as if it had been held: metadata, turns, completed. */
export function writeConversation(
  directory: string,
  id: string,
  { turns, turnBytes }: { turns: number; turnBytes: number },
): void {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const seed = checksumSeed(id);
  const time = { timestamp: '2026-03-01T12:00:00.000Z' };
  const metadata = {
    type: 'metadata',
    session_id: id,
    agent: 'qa-test',
    created_at: time.timestamp,
    status: 'active',
    version: 1,
  };
  const descriptor = openSync(join(directory, `${id}.jsonl`), 'w', 0o600);
  let lines = [encodeRecord(metadata, 0, seed)];
  for (let turn = 1; turn <= turns; turn++) {
    const content = `${turn} `.padEnd(turnBytes - 150, 'All work and no play. ');
    const role = turn % 2 === 1 ? 'user' : 'assistant';
    lines.push(
      encodeRecord({ type: 'turn', role, content, ...time, tokens: turnBytes / 4, turn }, turn, seed),
    );
    if (lines.length < 1_000) continue;
    writeSync(descriptor, Buffer.concat(lines));
    lines = [];
  }
  lines.push(encodeRecord({ type: 'status', status: 'completed', ...time, turns }, turns + 1, seed));
  writeSync(descriptor, Buffer.concat(lines));
  closeSync(descriptor);
}

interface Questions {
  create(): Promise<string>;
  answer(id: string): Promise<unknown>;
  wait(id: string): Promise<{ readonly status: string }>;
}

/** Programs under supervision, with their records in a directory. */
export function openPrograms(directory: string) {
  const registry = new ProgramRegistry(tools, directory);
  const spec = { workingDirectory: '/', environment: process.env, onLine: () => {} };
  return {
    start: (command: string, args: readonly string[], input: ProgramSpec['input']) =>
      startProgram({ ...tools, registry }, { ...spec, command, args, input }),
    /** Looks through every process of the machine, as each stop does. */
    sweep: () => findMarked(nodeFileSystem, 'nobody carries this'),
  };
}

/** A reader of what Claude Code writes: how many events a line means. */
export function openClaudeReader(): (line: string) => number {
  const reader = new ClaudeReader({ isResumed: false });
  return (line) => reader.read(line).length;
}

/** The same from the bytes of a pipe on; returns the number of events so far. */
export function openClaudePipe(): (chunk: Buffer) => number {
  const read = openClaudeReader();
  let events = 0;
  const onLine = (line: string) => {
    events += read(line);
  };
  const splitter = new LineSplitter({ maxBytes: 64 * 1024 * 1024, onLine, onOversized: () => {} });
  return (chunk) => {
    splitter.push(chunk);
    return events;
  };
}

/** Sessions with agents that only wait. */
export function openProcesses(directory: string, capacity: number) {
  const registry = new ProgramRegistry(tools, join(directory, 'programs'));
  const store = new FileProcessStore(tools, {
    directory: join(directory, 'processes'),
    trash: join(directory, 'trash'),
  });
  const sessions = new ProcessSessions({ ...tools, store, capacity });
  const launch = {
    driver: 'line',
    command: 'cat',
    args: [],
    workingDirectory: '/',
    env: [],
    permissions: 'edits',
    model: null,
    mcpServers: [],
  };
  const options = {
    command: 'cat',
    args: [],
    workingDirectory: '/',
    environment: process.env,
    permissions: { mode: 'edits' },
    mcpServers: [],
  } as const;
  return {
    start: () =>
      sessions.create({
        agent: 'cat',
        launch,
        start: (hooks) =>
          lineDriver().start({ ...tools, registry }, { ...options, onOutput: hooks.onOutput }),
      }),
    end: () => sessions.terminateAll(),
  };
}

const QUESTION = {
  title: 'Deploy',
  prompt: 'Deploy to production now?',
  options: [{ label: 'Yes' }, { label: 'No' }],
};

function createTools(fileSystem: FileSystem): LockTools {
  const common = { fileSystem, ids: systemIds, log: silentLogger };
  return {
    ...common,
    clock: systemClock,
    watcher: new DirectoryWatcher(common),
    identity: ownIdentity(fileSystem),
    command: 'holdfast bench',
  };
}

/** As many projects in a home, each with a run that rests. */
export async function makeRuns(home: string, count: number): Promise<void> {
  const services = servicesOf(home);
  for (let number = 1; number <= count; number++) {
    const directory = join(home, `project-${number}`);
    // A repository of its own: what is measured lies inside of ours.
    mkdirSync(join(directory, '.git', 'refs'), { recursive: true, mode: 0o700 });
    using _loop = await openLoops(servicesAt(services, directory)).create('plan.md');
  }
  services.tools.watcher.close();
}

/** As many decided question sets in a home, and as many that wait: one of each is made, the others are copies of its files. */
export async function makeSets(
  home: string,
  { decided, waiting }: { decided: number; waiting: number },
): Promise<void> {
  const { questions, config, tools } = servicesOf(home);
  const first = await questions.create([QUESTION]);
  copySet(config.layout.questions, first.id, waiting);
  await questions.answer(first.id, [{ questionIndex: 0, selectedOption: 'Yes' }]);
  copySet(config.layout.questions, first.id, decided - 1);
  tools.watcher.close();
}

function copySet(directory: string, id: string, count: number): void {
  const files = readdirSync(join(directory, id)).filter((name) => name.endsWith('.json'));
  const texts = files.map((name) => [name, readFileSync(join(directory, id, name), 'utf8')] as const);
  for (let number = 0; number < count; number++) {
    const copy = systemIds.uuid();
    mkdirSync(join(directory, copy), { mode: 0o700 });
    for (const [name, text] of texts)
      writeFileSync(join(directory, copy, name), text.replaceAll(id, copy), { mode: 0o600 });
  }
}

/** What a link of the page has behind its #. */
export function makeCode(home: string): string {
  return issueCode(webPlace(servicesOf(home)), 'steer').code;
}

/** Where `holdfast` keeps conversations there. */
export function conversationsOf(home: string): string {
  return servicesOf(home).config.layout.conversations;
}

/** Asks and answers in the process of whoever calls, as a terminal would. */
export function openDesk(home: string) {
  const { questions } = servicesOf(home);
  return {
    ask: async (title: string) => (await questions.create([{ ...QUESTION, title }])).id,
    answer: (id: string) => questions.answer(id, [{ questionIndex: 0, selectedOption: 'Yes' }]),
  };
}

function servicesOf(home: string) {
  const environment = { HOME: home, HOLDFAST_HOME: join(home, 'holdfast') };
  return createServices({ environment, workingDirectory: home, command: 'bench' });
}

export { hashOf };

/** Queues an entry, then takes and finishes it: the files that were synced for that, and how often anything was. */
export async function writesOfAnEntry(directory: string): Promise<{ writes: string[]; syncs: number }> {
  const files = new Map([['plan.md', Buffer.from('# plan\n')]]);
  const plan = { kind: 'prp' as const, name: 'plan.md', source: '/p/plan.md', files: ['plan.md'] };
  await new FileQueue(tools, directory).add(
    {
      plan: { ...plan, hash: hashOf(files) },
      project: '/p',
      repository: null,
      base: null,
      continues: null,
      isInPlace: true,
      options: { verify: [], isUnattended: false, isDirtyTaken: false },
      after: [],
      notBefore: null,
      priority: 0,
      onFailure: 'stop',
      retriesLeft: 0,
    },
    { files },
  );
  const writes: string[] = [];
  let syncs = 0;
  const sync = (descriptor: number) => {
    syncs += 1;
    if (nodeFileSystem.factsOf(descriptor).kind === 'file')
      writes.push(readlinkSync(`/proc/self/fd/${descriptor}`).slice(directory.length + 1));
  };
  const fileSystem: FileSystem = {
    ...nodeFileSystem,
    sync(descriptor) {
      sync(descriptor);
      nodeFileSystem.sync(descriptor);
    },
    syncData(descriptor) {
      sync(descriptor);
      nodeFileSystem.syncData(descriptor);
    },
  };
  const queue = new FileQueue(createTools(fileSystem), directory);
  const taken = await queue.take({
    limits: NO_LIMITS,
    admission: ALWAYS,
    agentOf: () => 'claude',
    own: new Set(),
  });
  const end = { outcome: 'done', reason: null, worktree: null, hasPrompted: true, question: null } as const;
  await taken?.finish({ ...end, report: '{}' });
  return { writes: writes.map((path) => path.replace(/[0-9a-f-]{36}/, '<id>')), syncs };
}

export { openCheckpoints } from './ours-checkpoint.js';
