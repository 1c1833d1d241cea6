import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type AppWorld, appWorld } from '../../test/support/app-world.js';

function fileOf(world: AppWorld): string {
  return join(world.dir.path, 'holdfast', 'config', 'config.json');
}

function writeConfig(world: AppWorld, content: unknown): void {
  mkdirSync(dirname(fileOf(world)), { recursive: true });
  writeFileSync(fileOf(world), JSON.stringify(content, null, 4));
}

const read = (world: AppWorld) => JSON.parse(readFileSync(fileOf(world), 'utf8'));

describe('holdfast config set, get and unset', () => {
  it('change one key, typed, and keep the rest in its order', async () => {
    await using world = await appWorld();
    writeConfig(world, { version: 1, question: { maxOptions: 4 }, agent: 'claude' });
    expect((await world.run(['config', 'set', 'question.retentionDays', '30'])).code).toBe(0);
    expect((await world.run(['config', 'set', 'agent', 'codex'])).code).toBe(0);
    expect(readFileSync(fileOf(world), 'utf8')).toBe(
      `${JSON.stringify({ version: 1, question: { maxOptions: 4, retentionDays: 30 }, agent: 'codex' }, null, 4)}\n`,
    );
    expect((await world.json(['config', 'get', 'question.retentionDays'])).data).toEqual({
      key: 'question.retentionDays',
      value: 30,
      source: fileOf(world),
    });
    expect((await world.run(['config', 'unset', 'question.retentionDays'])).code).toBe(0);
    expect((await world.run(['config', 'unset', 'question.maxOptions'])).code).toBe(0);
    expect(read(world)).toEqual({ version: 1, agent: 'codex' });
    expect((await world.json(['config', 'unset', 'question.maxOptions'])).data).toMatchObject({
      wasSet: false,
    });
    expect((await world.run(['config', 'get', 'question.maxOptions'])).stdout).toBe('5\n');
  });

  it('create the file if there is none, and show the default place of a directory', async () => {
    await using world = await appWorld();
    expect((await world.run(['config', 'get', 'question.dir'])).stdout).toBe(
      `${world.services().config.layout.questions}\n`,
    );
    await world.run(['config', 'set', 'loop.prompts.RED', 'Write the test first.']);
    await world.run(['config', 'set', 'prices.model-4.1', '{"input":1,"output":4}']);
    await world.run(['config', 'set', 'prices.model-4.1.output', '5']);
    expect(read(world)).toEqual({
      loop: { prompts: { RED: 'Write the test first.' } },
      prices: { 'model-4.1': { input: 1, output: 5 } },
    });
    expect((await world.run(['config', 'get', 'prices.model-4.1.output'])).stdout).toBe('5\n');
  });

  it.each([
    ['an unknown key', ['question.maxSesions', '5'], /unknown key "question\.maxSesions"/],
    ['a group', ['question', '5'], /unknown key "question"/],
    ['a wrong type', ['question.maxSessions', 'many'], /question\.maxSessions: /],
    ['a value out of bounds', ['question.maxQuestions', '11'], /question\.maxQuestions: /],
    ['a phase that cannot be', ['loop.prompts.no good', 'x'], /loop\.prompts/],
  ])('refuse %s, naming it, and change nothing', async (_what, words, message) => {
    await using world = await appWorld();
    writeConfig(world, { agent: 'claude' });
    const before = readFileSync(fileOf(world), 'utf8');
    const { code, data } = await world.json(['config', 'set', ...words]);
    expect([code, data.code]).toEqual([2, 'CONFIG_INVALID']);
    expect(data.error).toMatch(message);
    expect(readFileSync(fileOf(world), 'utf8')).toBe(before);
  });

  it('refuse an unknown agent, with the known names and how to define one', async () => {
    await using world = await appWorld();
    const { code, data } = await world.json(['config', 'set', 'agent', 'clode']);
    expect([code, data.code]).toEqual([2, 'CONFIG_INVALID']);
    expect(data.error).toBe('agent: no agent is called "clode"');
    expect(data.hint).toMatch(
      /^Known agents: claude, .*scripted\. To define one .*config set agents\.<name>/,
    );
    await world.run(['config', 'set', 'agents.clode', '{"driver":"acp","command":"clode"}']);
    expect((await world.run(['config', 'set', 'agent', 'clode'])).code).toBe(0);
    mkdirSync(join(world.project, '.claude', 'agents'), { recursive: true });
    writeFileSync(join(world.project, '.claude', 'agents', 'qa.md'), 'You test.\n');
    expect((await world.run(['config', 'set', 'agent', 'qa'])).code).toBe(0);
    expect(read(world).agent).toBe('qa');
  });

  it('repair a file that no other command accepts, one mistake at a time', async () => {
    await using world = await appWorld();
    writeConfig(world, { question: { maxSesions: 5, maxOptions: 4 }, foo: 1, agent: 'claude' });
    const refused = await world.json(['config', 'get', 'agent']);
    expect(refused.data).toMatchObject({
      code: 'CONFIG_INVALID',
      hint: 'Remove it: holdfast config unset question.maxSesions',
    });
    expect((await world.run(['config', 'unset', 'question.maxSesions'])).code).toBe(0);
    expect((await world.run(['config', 'unset', 'foo'])).stdout).toBe('foo is no longer set\n');
    expect(read(world)).toEqual({ question: { maxOptions: 4 }, agent: 'claude' });
    expect((await world.run(['config', 'get', 'agent'])).stdout).toBe('claude\n');
    // A key that is neither known nor set is a typing mistake.
    expect((await world.json(['config', 'unset', 'foo'])).data.error).toContain('unknown key "foo"');
  });

  it('say that a key is not set', async () => {
    await using world = await appWorld();
    expect((await world.run(['config', 'get', 'conversation.maxTokens'])).stdout).toBe('not set\n');
    expect((await world.json(['config', 'get', 'conversation.maxTokens'])).data.value).toBeNull();
  });

  it('keys with dots in the file mean the same as nested ones, and both together are refused', async () => {
    await using world = await appWorld();
    writeConfig(world, {
      'question.maxOptions': 3,
      'loop.prompts.RED': 'short tests',
      'prices.model-4.1': { input: 1, output: 2 },
    });
    const { config } = world.services();
    expect(config.get('question.maxOptions')).toBe(3);
    expect(config.get('loop.prompts')).toEqual({ RED: 'short tests' });
    expect(config.prices).toEqual({ 'model-4.1': { input: 1, output: 2 } });
    await world.run(['config', 'set', 'question.maxOptions', '4']);
    expect(read(world)['question.maxOptions']).toBe(4);
    writeConfig(world, { 'question.maxOptions': 3, question: { maxOptions: 4 } });
    expect((await world.json(['config'])).data.error).toContain('"question.maxOptions" appears twice');
    writeConfig(world, { loop: { 'prompts.RED': 'x' } });
    expect((await world.json(['config'])).data.error).toContain('write it as "loop": {"prompts": {"RED"');
  });
});
