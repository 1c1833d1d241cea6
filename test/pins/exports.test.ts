import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { DIST } from '../support/holdfast-binary.js';
import { verifies } from '../support/verifies.js';

async function namesOf(file: string): Promise<string[]> {
  return Object.keys(await import(join(DIST, 'lib', file))).sort();
}

describe('what programs may import', () => {
  it('from holdfast', async () => {
    expect(await namesOf('index.js')).toEqual([
      'HoldfastError',
      'VERSION',
      'claimOf',
      'cleanOldQuestions',
      'createChangeSessions',
      'createConversationSessions',
      'createLoopSessions',
      'createProcessSessions',
      'createQuestionSessions',
      'formatAnswers',
      'isHoldfastError',
      'openQueue',
      'openRun',
      'parsePrp',
      'parseStatus',
      'startWorker',
      'visibleBlock',
      'visibleLine',
    ]);
  });

  it('from holdfast the version that package.json has', async () => {
    const { VERSION } = await import(join(DIST, 'lib', 'index.js'));
    const manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
    expect(VERSION).toBe(manifest.version);
  });

  verifies('Q23', 'from holdfast/question: SessionManager, with the published operations', async () => {
    expect(await namesOf('question.js')).toEqual([
      'AlreadySettledError',
      'AtomicWriteError',
      'CallIdMismatchError',
      'InvalidAnswerError',
      'InvalidSessionIdError',
      'SessionAbandonedError',
      'SessionManager',
      'SessionNotFoundError',
      'SessionRejectedError',
      'SessionTimedOutError',
      'TooManySessionsError',
      'formatAnswers',
    ]);
    const { SessionManager } = (await import(join(DIST, 'lib', 'question.js'))) as {
      SessionManager: { prototype: object };
    };
    expect(Object.getOwnPropertyNames(SessionManager.prototype).sort()).toEqual([
      'cleanupExpiredSessions',
      'constructor',
      'createSession',
      'getSession',
      'rejectSession',
      'saveSessionAnswers',
      'validateSession',
      'waitForAnswers',
    ]);
  });

  it('from holdfast/process: the published names, with the published operations', async () => {
    expect(await namesOf('process.js')).toEqual([
      'ContextTracker',
      'ProcessNotReadyError',
      'ProcessStartError',
      'PromptFailedError',
      'PromptTimedOutError',
      'Session',
      'SessionConfig',
      'SessionId',
      'SessionManager',
      'SessionState',
      'TerminateFailedError',
      'TooManyProcessesError',
    ]);
    const { Session, SessionManager } = (await import(join(DIST, 'lib', 'process.js'))) as Record<
      string,
      { prototype: object }
    >;
    expect(Object.getOwnPropertyNames(Session?.prototype).sort()).toEqual([
      'constructor',
      'end',
      'executePrompt',
      'getContextUsage',
      'id',
      'info',
      'start',
      'state',
      'terminate',
    ]);
    expect(Object.getOwnPropertyNames(SessionManager?.prototype).sort()).toEqual([
      'activeSessionCount',
      'constructor',
      'createFreshSession',
      'currentSession',
      'endCurrentSession',
      'getOrCreateSession',
      'getSession',
      'listSessions',
      'sessionCount',
      'terminateAll',
    ]);
  });

  it('from holdfast/loop: SessionManager, with the operations of its specification', async () => {
    expect(await namesOf('loop.js')).toEqual([
      'LoopNotFoundError',
      'LoopNotResumableError',
      'SessionManager',
    ]);
    const { SessionManager } = (await import(join(DIST, 'lib', 'loop.js'))) as {
      SessionManager: { prototype: object };
    };
    expect(Object.getOwnPropertyNames(SessionManager.prototype).sort()).toEqual([
      'checkSessionExpiration',
      'constructor',
      'createSession',
      'detectSession',
      'endSession',
      'resumeSession',
      'updateSession',
      'validateSession',
    ]);
  });

  it('from holdfast/conversation and holdfast/change: sessions under our names', async () => {
    expect(await namesOf('conversation.js')).toEqual([
      'Conversation',
      'ConversationExistsError',
      'ConversationSessions',
      'InvalidConversationIdError',
      'openConversationSessions',
    ]);
    expect(await namesOf('change.js')).toEqual([
      'ChangeLockedError',
      'ChangeNotHeldError',
      'ChangeSessionEndedError',
      'ChangeSessionNotFoundError',
      'ChangeSessions',
      'SessionRequiredError',
      'openChangeSessions',
    ]);
  });

  it('from holdfast/agents: drivers, and what writing one needs', async () => {
    expect(await namesOf('agents.js')).toEqual([
      'AgentBusyError',
      'AgentEndedError',
      'AgentNotStartedError',
      'Exchange',
      'acpDriver',
      'claudeDriver',
      'codexDriver',
      'lineDriver',
      'openDriverTools',
      'scriptedAgent',
    ]);
    const { scriptedAgent } = await import(join(DIST, 'lib', 'agents.js'));
    expect(readFileSync(scriptedAgent, 'utf8')).not.toBe('');
  });

  it('from holdfast/testing: what a test of your own needs', async () => {
    expect(await namesOf('testing.js')).toEqual([
      'FakeClock',
      'MemoryFileSystem',
      'PROMPT_END',
      'driverClauses',
      'scriptedStart',
    ]);
  });

  verifies('L05', 'the built manager of loops creates, resumes and ends a session', async () => {
    const { mkdtempSync, rmSync } = await import('node:fs');
    const { tmpdir } = await import('node:os');
    const { SessionManager } = await import(join(DIST, 'lib', 'loop.js'));
    const project = mkdtempSync(join(tmpdir(), 'holdfast-test-'));
    try {
      const manager = new SessionManager({ sessionDir: join(project, '.prp-session') });
      expect(manager.detectSession('plan.md')).toEqual({
        found: false,
        session: null,
        action: 'create_new',
        reason: null,
      });
      const id = await manager.createSession('plan.md');
      const { session } = manager.detectSession('plan.md');
      expect(manager.validateSession(session, 'plan.md')).toEqual([true, '']);
      expect(await manager.resumeSession(id)).toMatchObject({
        phase: 'RED',
        iteration: 0,
        metrics: { phases: {} },
      });
      await manager.endSession('completed');
      expect(manager.checkSessionExpiration('plan.md')).toEqual({
        expired: true,
        reason: 'Session completed successfully',
        action: 'no_resume',
      });
    } finally {
      rmSync(project, { recursive: true });
    }
  });

  it('the package names these entry points and these programs', () => {
    const manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
    expect(Object.keys(manifest.exports)).toEqual([
      '.',
      './question',
      './process',
      './loop',
      './conversation',
      './change',
      './agents',
      './testing',
      './package.json',
    ]);
    expect(manifest.bin).toEqual({
      holdfast: 'dist/cli/holdfast.cjs',
      aur: 'dist/cli/aur.cjs',
      ralphtool: 'dist/cli/ralphtool.cjs',
    });
    expect(manifest.exports['./question'].default).toBe('./dist/lib/question.js');
  });

  verifies('Q23', 'the built manager works with its published configuration', async () => {
    const { mkdtempSync, rmSync } = await import('node:fs');
    const { tmpdir } = await import('node:os');
    const { SessionManager } = await import(join(DIST, 'lib', 'question.js'));
    const baseDir = mkdtempSync(join(tmpdir(), 'holdfast-test-'));
    try {
      const manager = new SessionManager({
        baseDir,
        maxSessions: 2,
        retentionPeriod: 1_000,
        sessionTimeout: 0,
      });
      const id = await manager.createSession([
        { prompt: 'Go?', title: 'Go', options: [{ label: 'Yes' }, { label: 'No' }] },
      ]);
      await manager.saveSessionAnswers(id, { answers: [{ questionIndex: 0, selectedOption: 'Yes' }] });
      expect(await manager.waitForAnswers(id)).toBe(id);
      expect(await manager.validateSession(id)).toEqual({ isValid: true, issues: [] });
    } finally {
      rmSync(baseDir, { recursive: true });
    }
  });
});
