import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ChangeStore } from '../../src/sessions/change/store.js';
import { nodeFileSystem } from '../../src/storage/index.js';
import { changeWorld } from '../support/change-world.js';
import { conversationWorld } from '../support/conversation-world.js';
import { eachNumber, HOSTILE_NUMBERS } from '../support/hostile-numbers.js';
import { question, questionWorld } from '../support/question-world.js';
import { storageTools } from '../support/storage-tools.js';

/** What an agent, or a bug of ours, may put in place of a number. */
const HOSTILE = [...HOSTILE_NUMBERS, null];

/** Either writing fails and changes nothing, or the result can be read. */
function holds(write: () => void, read: () => unknown, bytes: () => string): void {
  const before = bytes();
  try {
    write();
  } catch (error) {
    expect(error).toMatchObject({
      code: expect.stringMatching(/^(DOCUMENT_REFUSED|NEWER_VERSION)$/),
    });
    expect(bytes()).toBe(before);
  }
  expect(read()).toEqual([]);
}

/** All files of a directory as one text. */
function bytesIn(directory: string): string {
  return readdirSync(directory)
    .filter((name) => !name.includes('.lock'))
    .sort()
    .map((name) => `${name}\n${readFileSync(join(directory, name), 'utf8')}`)
    .join('\n');
}

describe.each(HOSTILE)('with %o in place of any number', (evil) => {
  it('no file of a question set is written that could not be read', async () => {
    await using world = await questionWorld();
    const { id } = await world.sessions.create([question()], { workingDirectory: world.dir.path });
    using change = await world.store.hold(id);
    const directory = world.path(id);
    const faults = () => world.store.readOnce(id).faults.filter(({ kind }) => kind !== 'missing');
    const { askerProcess: _, ...read } = world.store.readOnce(id).status ?? ({} as never);
    const status = {
      ...read,
      askerProcess: { pid: 7, startTime: '1', bootId: null, pidNamespace: null, host: 'h' },
    };
    for (const document of eachNumber(status, evil))
      holds(
        () => change.writeStatus(document),
        faults,
        () => bytesIn(directory),
      );
    const time = world.clock.now().toISOString();
    const answers = {
      sessionId: status.sessionId,
      version: 1,
      timestamp: time,
      answers: [{ questionIndex: 0, selectedOption: 'SQLite', timestamp: time }],
    };
    const draft = {
      version: 1,
      sessionId: status.sessionId,
      lastModified: time,
      questionIndex: 0,
      answers: [],
      rejectionReason: '',
    };
    for (const document of eachNumber(draft, evil)) {
      holds(
        () => world.store.writeDraft(document),
        faults,
        () => bytesIn(directory),
      );
      world.store.readDraft(id);
      expect(world.log.named('question.damaged-file-set-aside')).toEqual([]);
    }
    for (const document of eachNumber(answers, evil)) {
      let isWritten = false;
      const before = bytesIn(directory);
      try {
        isWritten = change.createAnswers(document);
      } catch (error) {
        expect(error).toMatchObject({ code: 'DOCUMENT_REFUSED' });
        expect(bytesIn(directory)).toBe(before);
      }
      if (isWritten) nodeFileSystem.unlink(join(directory, 'answers.json'));
    }
  });

  it('no state of a change is written that could not be read', async () => {
    await using world = await changeWorld();
    await world.sessions.create('add-login');
    const store = new ChangeStore(storageTools());
    using hold = await store.hold(
      { root: world.project, directory: join(world.project, 'openspec') },
      'add-login',
    );
    const state = hold.read();
    if (state === undefined) throw new Error('it has just been written');
    const whole = { ...state, flushedLearnings: 1, flush: { block: 'b', countBefore: 0, upTo: 1 } };
    const damaged = () => (hold.read() === undefined ? ['gone'] : []);
    for (const document of eachNumber(whole, evil)) {
      // A version newer than ours is kept, and the next writer refuses it.
      if (document.version !== 1) continue;
      holds(
        () => hold.write(document),
        damaged,
        () => readFileSync(world.claimPath(), 'utf8'),
      );
    }
  });

  it('a conversation keeps every turn, and costs only the number', async () => {
    await using world = await conversationWorld();
    using conversation = await world.sessions.create({ id: 'mine', agent: 'a' });
    const number = evil as number;
    conversation.addUserTurn('one', { tokens: number });
    conversation.addAssistantTurn('two', {
      tokens: number,
      usage: { input_tokens: number, cost_usd: number },
    });
    for (const used of eachNumber(USED, evil)) {
      try {
        conversation.addUsage(used);
      } catch (error) {
        expect(error).toMatchObject({ code: 'DOCUMENT_REFUSED' });
      }
    }
    conversation.importTurns([{ role: 'user', content: 'three', tokens: number }]);
    const { turns, damage, usage } = world.sessions.get('mine');
    expect(damage).toEqual([]);
    expect(turns.map(({ content }) => content)).toEqual(['one', 'two', 'three']);
    for (const { tokens } of turns) expect(Number.isSafeInteger(tokens) && tokens >= 0).toBe(true);
    for (const record of usage) {
      expect(record.costUsd ?? 0).toBeGreaterThanOrEqual(0);
      expect(Number.isSafeInteger(record.inputTokens) && record.inputTokens >= 0).toBe(true);
    }
    expect(JSON.stringify(usage)).toBe(JSON.stringify(conversation.usage));
  });
});

const USED = {
  turn: 1,
  reply: null,
  model: 'm',
  inputTokens: 1,
  outputTokens: 2,
  cacheReadTokens: 3,
  cacheWriteTokens: 4,
  costUsd: 0.5,
  pricedUsd: 0.25,
  priceSource: null,
  source: 'reported' as const,
};
