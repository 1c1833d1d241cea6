import { describe, expect, it } from 'vitest';
import { appWorld } from '../../../test/support/app-world.js';
import type { OperationFacts } from '../../foundation/index.js';
import { OPERATIONS, operationsOn } from '../../operations/index.js';
import { nameOf } from '../command.js';
import { SHELLS } from '../render/completion.js';
import { holdfastProgram } from './holdfast-program.js';
import { GROUPS, HOLDFAST } from './holdfast-table.js';
import { RALPHTOOL } from './ralphtool-table.js';
import { rootHelp } from './root-help.js';

const commandsOf = async (program: typeof HOLDFAST) =>
  ((await program.groups?.()) ?? []).flatMap(({ commands }) => commands);

describe('the commands', () => {
  it('are operations of the registry, but for those that are a surface themselves or compose others', async () => {
    const known: readonly OperationFacts[] = OPERATIONS;
    const commands = [...(await commandsOf(HOLDFAST)), ...(await commandsOf(RALPHTOOL))];
    for (const { usage, operation } of commands)
      if (operation !== undefined) expect([usage, known.includes(operation)]).toEqual([usage, true]);
    expect(commands.filter(({ operation }) => operation === undefined).map(nameOf)).toEqual([
      'inbox',
      'mcp',
      'hook',
      'setup',
      'run',
      'attach',
      'worker',
      'agents list',
      'agents probe',
      'exec',
      'chat',
      'web',
      'demo',
      'service run',
      'completion',
    ]);
  });

  it('cover every operation that may be typed; those of a chat are its options', async () => {
    const commands = [...(await commandsOf(HOLDFAST)), ...(await commandsOf(RALPHTOOL))];
    const typed = new Set(commands.map(({ operation }) => operation?.name));
    const missing = operationsOn('cli', OPERATIONS).filter(({ name }) => !typed.has(name));
    expect(missing.map(({ name }) => name)).toEqual([
      'conversation.list',
      'conversation.delete',
      // Actions of `sessions trash`.
      'trash.restore',
      'trash.empty',
      'conversation.clean',
      // An option of `web devices`.
      'web.revoke',
    ]);
  });

  it('have the words of their operation in the help', async () => {
    for (const { summary, operation } of await commandsOf(HOLDFAST))
      if (operation !== undefined) expect(summary).toBe(operation.summary);
  });
});

describe('an operation that is deleted', () => {
  const without = holdfastProgram(GROUPS, ({ name }) => name !== 'question.cancel');

  it('is gone from the command line, and its neighbours are not', async () => {
    await using world = await appWorld();
    const { code, stderr } = await world.run(['questions', 'cancel', '3f2a'], { program: without });
    expect([code, stderr]).toEqual([2, expect.stringContaining('There is no command `questions cancel`')]);
    expect((await world.run(['questions', 'list'], { program: without })).code).toBe(0);
  });

  it('is gone from the help of everything and of its group', async () => {
    await using world = await appWorld();
    const all = rootHelp((await HOLDFAST.groups?.()) ?? []);
    const less = rootHelp((await without.groups?.()) ?? []);
    const gone = all.split('\n').filter((line) => !less.split('\n').includes(line));
    expect(gone).toEqual(['  questions cancel    Withdraw a question set']);
    expect((await world.run(['questions', '--help'], { program: without })).stdout).not.toContain('cancel');
  });

  it('is gone from the suggestions', async () => {
    expect(await HOLDFAST.similar(['questions', 'cance'])).toEqual(['questions cancel']);
    expect(await without.similar(['questions', 'cance'])).not.toContain('questions cancel');
  });

  it.each(SHELLS)('is gone from the completion of %s', async (shell) => {
    await using world = await appWorld();
    const script = async (program: typeof HOLDFAST) =>
      (await world.run(['completion', shell], { program })).stdout;
    expect(await script(HOLDFAST)).toMatch(/\bcancel\b/);
    expect(await script(without)).not.toMatch(/\bcancel\b/);
  });
});
