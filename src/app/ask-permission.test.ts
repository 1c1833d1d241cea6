import { describe, expect, it } from 'vitest';
import { appWorld } from '../../test/support/app-world.js';
import { ATTACKS, assertVisible } from '../../test/support/hostile-text.js';
import type { PermissionRequest } from '../agents/index.js';
import { askPermission, describePermission } from './ask-permission.js';

function request(overrides: Partial<PermissionRequest> = {}): PermissionRequest {
  return { id: 't1', name: 'Bash', kind: 'execute', title: 'Bash', input: { command: 'rm x' }, ...overrides };
}

const promptOf = (overrides: Partial<PermissionRequest>) => describePermission('mine', request(overrides));

describe('the question for a permission', () => {
  it.each<[string, Partial<PermissionRequest>, string]>([
    ['the command behind a title that hides it', {}, '- command: `rm x`'],
    ['the command once, where it is the title', { title: 'rm x' }, '- command: `rm x`'],
    ['a title that says more', { title: 'Tidy up' }, '`Tidy up`\n\n- command: `rm x`'],
    ['all of the input', { input: { path: 'a', lines: [1] } }, '- path: `a`\n- lines: `[1]`'],
    ['input that is no object', { input: 'rm x' }, '- input: `rm x`'],
    ['the title where there is no input', { title: 'rm x', input: null }, '`rm x`'],
    ['the name where there is nothing else', { title: '', input: {} }, '`Bash`'],
    ['lines in one', { input: { command: 'a\nb' } }, '- command: `a\\nb`'],
    ['marks as they are', { input: { command: '`a` **b**' } }, '- command: `` `a` **b** ``'],
  ])('shows %s', (_what, overrides, shown) => {
    expect(promptOf(overrides)).toBe(`mine asks to use **Bash**:\n\n${shown}`);
  });

  it('is bounded, and says how much it does not show', () => {
    const long = promptOf({ input: { command: `${'x'.repeat(2_000)}; rm -rf y` } });
    expect(long).toMatch(/x` … \(10 more characters\)$/);
    const wide = promptOf({
      input: Object.fromEntries(Array.from({ length: 25 }, (_, at) => [`k${at}`, at])),
    });
    expect(wide).toMatch(/- k19: `19`\n\n\(5 more of its input not shown\)$/);
  });

  it('lets nothing through that acts on a terminal', () => {
    for (const attack of ATTACKS)
      assertVisible(promptOf({ name: attack, title: attack, input: { [attack]: attack } }), 'the question');
  });
});

describe('asking for a permission', () => {
  it('withdraws the question when nobody waits for the answer any more', async () => {
    await using world = await appWorld();
    const services = world.services();
    const turn = new AbortController();
    const { signal } = turn;
    const answer = askPermission(services, { name: 'mine' }, request(), {
      signal,
      onAsked: () => turn.abort(),
    });
    await expect(answer).rejects.toMatchObject({ code: 'ABORTED' });
    expect((await services.questions.list()).map(({ outcome }) => outcome)).toMatchObject([
      { status: 'abandoned', reason: 'the turn that asked for it is over' },
    ]);
  });

  it.each([
    ['Allow once', true],
    ['Deny', false],
  ])('is answered by %s', async (selectedOption, isAllowed) => {
    await using world = await appWorld();
    const services = world.services();
    const answer = askPermission(services, { name: 'mine' }, request(), {
      signal: new AbortController().signal,
      onAsked: ({ id }) => void services.questions.answer(id, [{ questionIndex: 0, selectedOption }]),
    });
    expect(await answer).toBe(isAllowed);
  });
});
