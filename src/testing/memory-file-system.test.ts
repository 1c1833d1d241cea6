import { constants } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { openConversationSessions } from '../published/conversation.js';
import { SessionManager as LoopManager } from '../published/loop.js';
import { SessionManager } from '../published/question.js';
import { ensureDirectory, replaceFile, systemTools } from '../storage/index.js';
import { FakeClock } from './fake-clock.js';
import { MemoryFileSystem } from './memory-file-system.js';

const CREATE = constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY;

describe('a file system in memory', () => {
  it('has question sets, conversations and loops on it, and nothing on the disk', async () => {
    const fileSystem = new MemoryFileSystem();
    const questions = new SessionManager({ baseDir: '/questions' }, { fileSystem });
    const id = await questions.createSession([
      { title: 'Go', prompt: 'Go?', options: [{ label: 'Yes' }, { label: 'No' }] },
    ]);
    const waiting = questions.waitForAnswers(id);
    await questions.saveSessionAnswers(id, { answers: [{ questionIndex: 0, selectedOption: 'Yes' }] });
    expect(await waiting).toBe(id);

    const clock = new FakeClock();
    const conversations = openConversationSessions({ directory: '/chats' }, { fileSystem, clock });
    const conversation = await conversations.create({ agent: 'mine' });
    conversation.addUserTurn('hello');
    clock.advance(1_000);
    conversation.setStatus('completed');
    conversation[Symbol.dispose]();
    expect(conversations.get(conversation.id).turns.map(({ content }) => content)).toEqual(['hello']);

    const loops = new LoopManager({ sessionDir: '/project/.prp-session' }, { fileSystem });
    await loops.createSession('/project/plan.md');
    expect(loops.detectSession('/project/plan.md').action).toBe('offer_resume');
    expect(fileSystem.list('/').sort()).toEqual(['chats', 'project', 'questions']);
  });

  it('refuses what the real one refuses, with its codes', () => {
    const fileSystem = new MemoryFileSystem();
    const code = (act: () => unknown) => {
      try {
        act();
        return 'done';
      } catch (error) {
        return (error as NodeJS.ErrnoException).code;
      }
    };
    fileSystem.makeDirectory('/a', 0o700);
    fileSystem.close(fileSystem.open('/a/file', CREATE, 0o600));
    expect([
      code(() => fileSystem.open('/missing', constants.O_RDONLY)),
      code(() => fileSystem.open('/b/file', CREATE, 0o600)),
      code(() => fileSystem.open('/a/file', CREATE, 0o600)),
      code(() => fileSystem.open('/a', constants.O_WRONLY)),
      code(() => fileSystem.makeDirectory('/a', 0o700)),
      code(() => fileSystem.removeDirectory('/a')),
      code(() => fileSystem.removeDirectory('/a/file')),
      code(() => fileSystem.unlink('/a')),
      code(() => fileSystem.list('/a/file')),
      code(() => fileSystem.readLink('/a/file')),
      code(() => fileSystem.link('/a/file', '/a/file')),
      code(() => fileSystem.factsOf(1)),
    ]).toEqual([
      'ENOENT',
      'ENOENT',
      'EEXIST',
      'EISDIR',
      'EEXIST',
      'ENOTEMPTY',
      'ENOTDIR',
      'EISDIR',
      'ENOTDIR',
      'EINVAL',
      'EEXIST',
      'EBADF',
    ]);
  });

  it('moves a directory with everything in it, and notifies watchers', async () => {
    const fileSystem = new MemoryFileSystem();
    const tools = systemTools('a test', { fileSystem });
    ensureDirectory(fileSystem, '/from/below');
    replaceFile(tools, '/from/below/file', 'text');
    const told = new Promise<string | null>((resolve) => fileSystem.watch('/', resolve));
    fileSystem.rename('/from', '/to');
    expect([fileSystem.look('/from'), fileSystem.list('/to/below')]).toEqual([undefined, ['file']]);
    expect(fileSystem.look('/to/below/file')).toMatchObject({ kind: 'file', size: 4, links: 1 });
    expect(await told).toBe('to');
  });
});
