import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Ids } from '../../src/foundation/index.js';
import { ChangeSessions } from '../../src/sessions/change/index.js';
import type { FileSystem } from '../../src/storage/index.js';
import { FakeClock } from './fake-clock.js';
import type { Json } from './holdfast-binary.js';
import { RecordingLog } from './recording-log.js';
import { storageTools } from './storage-tools.js';
import { type TempDir, tempDir } from './temp-dir.js';

/** A tasks file with two numbered groups, a nested task, ids that are prefixes of others, and a loose task. */
export const TASKS = `# Tasks

## 1. Setup

- [ ] 1.1 Make the table
- [x] 1.2 Choose the hash
  - [ ] 1.2.1 Measure it
- [ ] 1.10 Tell the team

## Notes

- [ ] ask the lawyers

## 2. Finish

- [ ] 2.1 Write the page
`;

export const SPEC = `## ADDED Requirements

### Requirement: Login
The system SHALL let people in.

#### Scenario: Right password
- **GIVEN** an account
- **AND** its password
- **WHEN** the person logs in
- **THEN** they are in
- **AND** a session is kept
`;

/** A project with a change, sessions over it, and a clock that the test moves. */
export interface ChangeWorld extends AsyncDisposable {
  readonly dir: TempDir;
  readonly project: string;
  readonly clock: FakeClock;
  readonly log: RecordingLog;
  readonly sessions: ChangeSessions;
  /** The same project through another instance, as another process would see it. */
  other(overrides?: WorldOptions): ChangeSessions;
  /** A path in the change. */
  file(name: string, change?: string): string;
  read(name: string, change?: string): string;
  write(name: string, content: string | Buffer, change?: string): void;
  /** The claim of a change as stored in its file; undefined if it is free. */
  claim(change?: string): Json;
  claimPath(change?: string): string;
  /** The published copy of a session; undefined if there is none. */
  copy(sessionId: string): Json;
  copyPath(sessionId: string): string;
  /** The ended sessions, as stored in their files. */
  ended(): Json[];
}

export interface WorldOptions {
  readonly workingDirectory?: string;
  readonly fileSystem?: FileSystem;
  readonly ids?: Ids;
  readonly temporaryDirectories?: readonly string[];
}

export async function changeWorld(options: WorldOptions & { tasks?: string } = {}): Promise<ChangeWorld> {
  const dir = await tempDir();
  const project = dir.at('project');
  const clock = new FakeClock({ autoAdvance: true });
  const log = new RecordingLog();
  const temporary = dir.at('tmp', 'ralph');
  mkdirSync(dir.at('tmp'), { recursive: true, mode: 0o700 });
  const build = (overrides: WorldOptions) => {
    const { workingDirectory = project, temporaryDirectories, ...tools } = { ...options, ...overrides };
    return new ChangeSessions({
      ...storageTools({
        clock,
        log,
        ...(tools.fileSystem === undefined ? {} : { fileSystem: tools.fileSystem }),
        ...(tools.ids === undefined ? {} : { ids: tools.ids }),
      }),
      workingDirectory,
      temporaryDirectories: temporaryDirectories ?? [temporary, join(temporary, 'sessions')],
    });
  };
  const own = join(project, 'openspec', '.holdfast');
  const file = (name: string, change = 'add-login') => join(project, 'openspec', 'changes', change, name);
  const write = (name: string, content: string | Buffer, change?: string) => {
    mkdirSync(dirname(file(name, change)), { recursive: true });
    writeFileSync(file(name, change), content);
  };
  const parsed = (path: string) => (existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : undefined);
  const claimPath = (change = 'add-login') => join(own, 'changes', change, 'session.json');
  const copyPath = (sessionId: string) => join(temporary, 'sessions', `${sessionId}.json`);
  write('tasks.md', options.tasks ?? TASKS);
  write('specs/auth/spec.md', SPEC);
  return {
    dir,
    project,
    clock,
    log,
    sessions: build({}),
    other: (overrides = {}) => build(overrides),
    file,
    read: (name, change) => readFileSync(file(name, change), 'utf8'),
    write,
    claim: (change) => parsed(claimPath(change)),
    claimPath,
    copy: (sessionId) => parsed(copyPath(sessionId)),
    copyPath,
    ended: () =>
      readdirSync(join(own, 'ended'))
        .sort()
        .map((name) => parsed(join(own, 'ended', name))),
    [Symbol.asyncDispose]: () => dir[Symbol.asyncDispose](),
  };
}
