import { readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type AppWorld, appWorld } from '../../test/support/app-world.js';
import { verifies } from '../../test/support/verifies.js';
import { openConversations } from '../app/index.js';
import { AUR } from './programs/aur-table.js';

async function said(world: AppWorld, id: string, count: number): Promise<string> {
  using conversation = await openConversations(world.services()).create({ id, agent: 'qa-test' });
  for (let turn = 0; turn < count; turn++) conversation.addUserTurn(`message ${turn} ${'x'.repeat(100)}`);
  return join(world.environment.HOME ?? '', '.aurora', 'spawn', 'sessions', `${id}.jsonl`);
}

describe('a conversation that is damaged in the middle', () => {
  verifies('C10', 'is reported as damaged by show, export and every list', async () => {
    await using world = await appWorld();
    const path = await said(world, 'talk', 60);
    const bytes = readFileSync(path);
    bytes[Math.floor(bytes.length / 2)] = 0x7e;
    writeFileSync(path, bytes);
    const shown = await world.run(['sessions', 'show', 'talk']);
    expect(shown.stdout).toMatch(/damaged: line \d+, byte \d+: /);
    const exported = await world.run(['sessions', 'export', 'talk']);
    expect(exported).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/^damaged: line \d+, byte \d+: .*[\s\S]*What is intact is exported/),
    });
    const json = await world.run(['sessions', 'export', 'talk', '--format', 'json']);
    expect(JSON.parse(json.stdout)).toMatchObject({
      damage: [{ offset: expect.any(Number) }, { reason: 'gap' }],
    });
    expect((await world.json(['sessions', 'list'])).data).toMatchObject([{ id: 'talk', isDamaged: true }]);
    expect((await world.json(['chat', '--list-sessions'])).data).toMatchObject([
      { session_id: 'talk', damaged: true },
    ]);
    expect((await world.run(['chat', '--list-sessions'])).stdout).toContain('(damaged)');
    const refused = await world.run(['spawn', '--resume', 'talk'], { program: AUR });
    expect(refused).toMatchObject({ code: 3, stderr: expect.stringMatching(/^aur: talk is damaged/m) });
  });

  it('is shown with what is before a long run of NUL bytes', async () => {
    await using world = await appWorld();
    truncateSync(await said(world, 'talk', 3), 256 * 1024 * 1024);
    const shown = await world.run(['sessions', 'show', 'talk']);
    expect(shown.stdout).toMatch(/turns +3\n[\s\S]*message 2 [\s\S]*damaged: line 5, byte \d+: /);
  });
});

describe('what is shown of conversations', () => {
  it('is all turns as JSON, or as many as are wanted, and `last` is the first of the list', async () => {
    await using world = await appWorld();
    await said(world, 'older', 2);
    await said(world, 'newer', 25);
    const turns = async (...args: string[]) =>
      (await world.json(['sessions', 'show', ...args])).data.detail.turns.length;
    expect(await turns('last')).toBe(25);
    expect(await turns('last', '--turns', '3')).toBe(3);
    expect((await world.run(['sessions', 'show', 'last', '--turns', '3'])).stdout).toContain('The last 3;');
    const { data } = await world.json(['sessions', 'list']);
    expect(data.map(({ id }: { id: string }) => id)).toEqual(['newer', 'older']);
    const limited = await world.run(['sessions', 'list', '--limit', '1', '--kind', 'conversation']);
    expect(limited).toMatchObject({
      stdout: expect.not.stringContaining('older'),
      stderr: expect.stringContaining('… and 1 more'),
    });
    expect((await world.run(['sessions', 'show', 'last', '--kind', 'question'])).code).toBe(4);
  });
});
