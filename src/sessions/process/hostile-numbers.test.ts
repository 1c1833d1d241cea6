import { describe, expect, it } from 'vitest';
import { HOSTILE_NUMBERS, withHostileNumbers } from '../../../test/support/hostile-numbers.js';
import { storageTools } from '../../../test/support/storage-tools.js';
import { tempDir } from '../../../test/support/temp-dir.js';
import type { AgentConnection } from '../../agents/index.js';
import { nodeFileSystem } from '../../storage/index.js';
import { ContextTracker } from './context-tracker.js';
import type { ProcessFile } from './schema.js';
import { type AgentLaunch, ProcessSessions } from './sessions.js';
import { FileProcessStore } from './store.js';

/** The real disk, without waiting for syncs. */
const fileSystem = { ...nodeFileSystem, sync: () => {}, syncData: () => {} };

const USAGE = {
  inputTokens: 1,
  outputTokens: 2,
  cacheReadTokens: 3,
  cacheWriteTokens: 4,
  contextTokens: 5,
  contextWindow: 10,
  costUsd: 0.5,
};

/** An agent whose numbers are all that matter. */
function launchOf(directory: string, usage: typeof USAGE, costUsd: number): AgentLaunch {
  const connection = {
    pid: null,
    capabilities: { conversation: 'resumed' },
    facts: { model: null },
    resumeHandle: { driver: 'acp', id: 'c-1' },
    conversationCostUsd: costUsd,
    async *prompt() {
      yield { type: 'text', text: 'the answer' };
      yield { type: 'usage', usage };
      yield { type: 'turn-end', reason: 'completed', message: null };
    },
    async cancel() {},
    end: async () => null,
    terminate: async () => null,
  } as unknown as AgentConnection;
  return {
    agent: 'odd',
    launch: {
      driver: 'acp',
      command: 'odd',
      args: [],
      workingDirectory: directory,
      env: [],
      permissions: 'edits',
      model: null,
      mcpServers: [],
    },
    start: async () => connection,
  };
}

describe('nothing is written that the reader of the same record would refuse', () => {
  it('a strange number from an agent costs the number, never the answer', async () => {
    await using dir = await tempDir();
    const tools = storageTools({ fileSystem });
    const store = new FileProcessStore(tools, { directory: dir.at('processes'), trash: dir.at('trash') });
    const cases = [
      ...[...withHostileNumbers(USAGE)].map(({ hostile }) => ({ usage: hostile, costUsd: 0.5 })),
      ...HOSTILE_NUMBERS.map((number) => ({ usage: USAGE, costUsd: number as number })),
    ];
    for (const { usage, costUsd } of cases) {
      const sessions = new ProcessSessions({ ...tools, store, capacity: 1 });
      const session = await sessions.create(launchOf(dir.path, usage, costUsd));
      expect(await session.execute('go')).toMatchObject({ reason: 'completed', stdout: 'the answer' });
      expect(store.read(session.id)).toEqual(JSON.parse(JSON.stringify(session.record)));
      expect(session.record).toMatchObject({ state: 'ready', promptCount: 1, prompt: null });
      await session.end();
      expect(store.read(session.id).state).toBe('ended');
    }
  });

  it('an unreadable record is not written', async () => {
    await using dir = await tempDir();
    const tools = storageTools({ fileSystem });
    const store = new FileProcessStore(tools, { directory: dir.at('processes'), trash: dir.at('trash') });
    const sessions = new ProcessSessions({ ...tools, store });
    const { id, record } = await sessions.create(launchOf(dir.path, USAGE, 0));
    await sessions.live(id)?.end();
    using owned = await store.hold(id);
    for (const { hostile } of withHostileNumbers<ProcessFile>(record as ProcessFile)) {
      try {
        owned.write(hostile);
      } catch (error) {
        expect(error).toMatchObject({ code: expect.stringMatching(/^(DOCUMENT_REFUSED|NEWER_VERSION)$/) });
      }
      expect(store.read(id).id).toBe(id);
    }
  });

  it('a context tracker stays within 0 and 100', () => {
    for (const { hostile } of withHostileNumbers(USAGE)) {
      const tracker = new ContextTracker();
      tracker.update({ usage: hostile, text: 'x' });
      expect(tracker.usagePercent()).toBeGreaterThanOrEqual(0);
      expect(tracker.usagePercent()).toBeLessThanOrEqual(100);
    }
  });
});
