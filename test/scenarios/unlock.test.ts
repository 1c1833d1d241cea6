import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createServices } from '../../src/app/services.js';
import { openConversations } from '../../src/app/sessions/open-conversations.js';
import { machine } from '../support/holdfast-binary.js';
import { withPlayer } from '../support/player.js';

describe('unlock', () => {
  it('knows conversations: who has one, and how to take it away', async () => {
    await using world = await machine();
    const services = createServices({
      environment: world.env,
      workingDirectory: world.project,
      command: 'a test',
    });
    using conversation = await openConversations(services).create({ id: 'talk-1', agent: 'x' });
    conversation.addUserTurn('hello');
    const refused = await world.run(['unlock', 'talk-1']);
    expect(refused).toMatchObject({
      code: 3,
      stderr: expect.stringContaining(`by process ${process.pid} on `),
    });
    expect(await world.run(['unlock', 'talk', '--force'])).toMatchObject({ code: 0 });
    expect(() => conversation.addUserTurn('again')).toThrow(expect.objectContaining({ code: 'LOCK_LOST' }));
    expect(await world.run(['unlock', 'talk-1'])).toMatchObject({
      code: 0,
      stdout: 'talk-1 is not locked\n',
    });
  });

  it('knows conversations that nobody has taken yet: restored ones and those written by hand', async () => {
    await using world = await machine();
    await world.run(['chat', '--agent', 'scripted', '--session', 'fresh'], { input: 'hi\n' });
    expect(await world.run(['sessions', 'delete', 'fresh', '--yes'])).toMatchObject({ code: 0 });
    expect(await world.run(['sessions', 'trash', 'restore', 'fresh'])).toMatchObject({ code: 0 });
    const { data: paths } = await world.json(['paths']);
    copyFileSync(join(paths.conversations, 'fresh.jsonl'), join(paths.conversations, 'by-hand.jsonl'));
    for (const id of ['fresh', 'by-hand'])
      for (const flags of [[], ['--force']])
        expect(await world.run(['unlock', id, ...flags])).toMatchObject({
          code: 0,
          stdout: `${id} is not locked\n`,
          stderr: '',
        });
  });

  it('knows processes, by their ids with or without what all of them start with', async () => {
    await using world = await withPlayer([{ steps: [{ say: 'I begin.' }, { hang: true }] }]);
    const running = world.start(['exec', 'go', '--agent', 'player']);
    await running.printed('stdout', /I begin/);
    const { data } = await world.json(['processes']);
    const id: string = data[0].id;
    for (const typed of [id, id.slice(0, 12), id.slice('ses_'.length, 12)])
      expect(await world.run(['unlock', typed]), typed).toMatchObject({
        code: 3,
        stderr: expect.stringContaining(`${id} is locked by process ${running.child.pid} on `),
      });
    expect(await world.json(['unlock', id, '--force'])).toMatchObject({
      code: 0,
      data: { sessionId: id, taken: true },
    });
    running.child.kill('SIGINT');
    await running.ended;
  });

  it('says so when nothing or several are meant', async () => {
    await using world = await machine();
    const services = createServices({
      environment: world.env,
      workingDirectory: world.project,
      command: 'a test',
    });
    const conversations = openConversations(services);
    for (const id of ['same-1', 'same-2']) (await conversations.create({ id, agent: 'x' }))[Symbol.dispose]();
    expect(await world.json(['unlock', 'same'])).toMatchObject({ code: 2, data: { code: 'AMBIGUOUS_ID' } });
    expect(await world.run(['unlock', 'nothing'])).toMatchObject({ code: 4 });
    expect(await world.run(['unlock', '../x'])).toMatchObject({ code: 2 });
  });
});
