import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { appWorld } from '../../test/support/app-world.js';
import { asked, REPORT_KEYS, SET, TWO } from '../../test/support/question-commands.js';
import { verifies } from '../../test/support/verifies.js';
import { systemIds } from '../foundation/index.js';

describe('holdfast questions', () => {
  verifies(
    'Q20',
    'lists what is pending by default, with --all everything, as a table and as JSON',
    async () => {
      await using world = await appWorld();
      expect(await world.run(['questions'])).toEqual({
        code: 0,
        stdout: 'Nothing waits for an answer.\n',
        stderr: '',
      });
      const pending = await asked(world, SET, '--agent', 'claude');
      const done = await asked(world);
      await world.run(['answer', done, '--option', '1']);
      const { stdout } = await world.run(['questions', 'list']);
      const lines = stdout.trimEnd().split('\n');
      expect(lines).toHaveLength(2);
      expect(lines[0]).toMatch(/^ID +STATUS +AGE +QUESTIONS +ASKER +FIRST QUESTION$/);
      expect(lines[1]).toMatch(
        new RegExp(`^${pending.slice(0, 8)} +pending +\\d+ s +1 +claude +Which database\\?$`),
      );
      expect((await world.run(['questions'])).stdout).toBe(stdout);
      expect((await world.run(['questions', '--all'])).stdout.trimEnd().split('\n')).toHaveLength(3);
      const { data } = await world.json(['questions', 'list', '--all']);
      expect(data.map((report: object) => Object.keys(report))).toEqual([REPORT_KEYS, REPORT_KEYS]);
    },
  );

  verifies('Q20', 'shows one set in full', async () => {
    await using world = await appWorld();
    const id = await asked(world, TWO, '--agent', 'claude', '--timeout', '1h');
    const { code, stdout } = await world.run(['questions', 'show', id.slice(0, 6)]);
    expect(code).toBe(0);
    expect(stdout.split('\n')).toEqual([
      `${id}  pending`,
      expect.stringMatching(/^asked .* by claude$/),
      `in ${world.project}`,
      expect.stringMatching(/^times out /),
      '',
      '1. Database',
      '   │ Which database?',
      '   1) PostgreSQL — the usual one',
      '   2) SQLite',
      '',
      '2. Parts  (several)',
      '   │ Which parts?',
      '   1) A',
      '   2) B',
      '   3) C',
      '',
    ]);
    expect(Object.keys((await world.json(['questions', 'show', id])).data)).toEqual(REPORT_KEYS);
    await world.run(['answer', id, '--reject', '--reason', 'no']);
    expect((await world.run(['questions', 'show', id])).stdout).toContain(
      'The person rejected this question set. Reason: "no"',
    );
  });

  verifies(
    'Q20',
    'collects one outcome, the same however often, with the exit code of its state',
    async () => {
      await using world = await appWorld();
      const id = await asked(world);
      const pending = await world.json(['questions', 'collect', id]);
      expect(pending).toMatchObject({ code: 3, data: { isNew: false, status: 'pending' } });
      expect((await world.run(['questions', 'collect', id])).stdout).toBe(
        `[Session: ${id} | Status: pending]\n\nNo answers yet.\n`,
      );
      await world.run(['answer', id, '--option', '2']);
      const first = await world.json(['questions', 'collect', id]);
      const second = await world.json(['questions', 'collect', id]);
      expect(first).toMatchObject({ code: 0, data: { isNew: true, status: 'completed' } });
      expect(Object.keys(first.data)).toEqual(['isNew', ...REPORT_KEYS]);
      expect(second.data).toEqual({ ...first.data, isNew: false, collectedAt: expect.any(String) });
      expect((await world.run(['questions', 'collect', id])).stdout).toBe(
        `[Session: ${id} | Status: completed]\n\nHere are the user's answers:\n\n1. Which database?\n→ SQLite\n`,
      );
      const rejected = await asked(world);
      await world.run(['answer', rejected, '--reject']);
      expect((await world.run(['questions', 'collect', rejected])).code).toBe(1);
      const cancelled = await asked(world);
      await world.run(['questions', 'cancel', cancelled]);
      expect((await world.run(['questions', 'collect', cancelled])).code).toBe(1);
    },
  );

  verifies('Q20', 'collects everything new once, a JSON line each', async () => {
    await using world = await appWorld();
    const ids = [await asked(world), await asked(world), await asked(world)];
    await world.run(['answer', ids[0] ?? '', '--option', '1']);
    await world.run(['answer', ids[2] ?? '', '--reject']);
    const { code, stdout } = await world.run(['questions', 'collect', '--json']);
    expect(code).toBe(0);
    expect(
      stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toMatchObject([
      { sessionId: ids[0], isNew: true, status: 'completed' },
      { sessionId: ids[2], isNew: true, status: 'rejected' },
    ]);
    expect(await world.run(['questions', 'collect'])).toEqual({
      code: 0,
      stdout: '',
      stderr: 'Nothing new.\n',
    });
    expect(await world.run(['questions', 'collect', '--quiet'])).toEqual({ code: 0, stdout: '', stderr: '' });
  });

  verifies('Q20', 'collect --wait waits, and its patience ends with 3', async () => {
    await using world = await appWorld();
    const id = await asked(world);
    const waiting = world.run(['questions', 'collect', id, '--wait']);
    const { questions } = world.services();
    await questions.answer(id, [{ questionIndex: 0, selectedOption: 'SQLite' }]);
    expect((await waiting).code).toBe(0);
    const other = await asked(world);
    expect((await world.run(['questions', 'collect', other, '--wait', '--timeout', '10ms'])).code).toBe(3);
    expect((await world.run(['questions', 'collect', '--wait'])).code).toBe(2);
  });

  verifies('Q20', 'cancel withdraws a pending set and leaves a settled one', async () => {
    await using world = await appWorld();
    const id = await asked(world);
    expect(await world.run(['questions', 'cancel', id])).toMatchObject({
      code: 0,
      stdout: `Withdrew ${id}\n`,
    });
    expect((await world.json(['questions', 'show', id])).data).toMatchObject({
      status: 'abandoned',
      abandonedReason: 'withdrawn',
    });
    const done = await asked(world);
    await world.run(['answer', done, '--option', '1']);
    expect((await world.json(['questions', 'cancel', done])).data).toMatchObject({
      success: false,
      code: 'ALREADY_SETTLED',
    });
    expect(
      (await world.json(['questions', 'cancel', await asked(world), '--reason', 'x'])).data,
    ).toMatchObject({ success: true, abandonedReason: 'x' });
  });

  verifies('Q20', 'verify names every fault and ends with 8; listing stays 0', async () => {
    await using world = await appWorld();
    const good = await asked(world);
    expect(await world.run(['questions', 'verify'])).toEqual({
      code: 0,
      stdout: '1 checked, 0 with faults\n',
      stderr: '',
    });
    const bad = await asked(world);
    const base = world.services().config.layout.questions;
    writeFileSync(join(base, bad, 'status.json'), '{');
    const odd = systemIds.uuid();
    symlinkSync(join(base, good), join(base, odd));
    const { code, stdout } = await world.run(['questions', 'verify']);
    expect(code).toBe(8);
    expect(stdout.trimEnd().split('\n')).toHaveLength(3);
    expect(stdout).toMatch(/^3 checked, 2 with faults$/m);
    expect(stdout).toContain(`${bad}: status.json: it is not JSON\n`);
    expect(stdout).toMatch(new RegExp(`^${odd}: Refusing to use .*: it is a symbolic link$`, 'm'));
    expect((await world.json(['questions', 'verify', good])).data).toEqual([{ sessionId: good, faults: [] }]);
    expect((await world.run(['questions', 'verify', bad])).code).toBe(8);
    expect((await world.run(['questions', 'verify', systemIds.uuid()])).code).toBe(4);
    const listed = await world.run(['questions', 'list']);
    expect([listed.code, listed.stdout]).toEqual([0, expect.stringContaining('pending (damaged)')]);
  });

  it('are found by the singular, by their state, and waited for', async () => {
    await using world = await appWorld();
    const answered = await asked(world);
    await asked(world);
    await world.run(['answer', answered, 'SQLite']);
    expect((await world.json(['question', 'list'])).data).toHaveLength(1);
    const { data } = await world.json(['questions', 'list', '--status', 'completed']);
    expect(data).toMatchObject([{ sessionId: answered }]);
    expect((await world.run(['questions', '--status', 'rejected'])).stdout).toBe(
      'No question set is rejected.\n',
    );
    expect((await world.json(['questions', '--status', 'open'])).data.error).toMatch(
      /^--status is pending, /,
    );
    expect((await world.json(['questions', 'wait', answered])).data).toMatchObject({ status: 'completed' });
  });

  it('tell exactly what is done elsewhere, and what was nearly typed', async () => {
    await using world = await appWorld();
    const hint = async (...words: string[]) => (await world.json(words)).data.hint;
    expect(await hint('questions', 'delete', 'abcd')).toBe('Did you mean: holdfast sessions delete <id>?');
    expect(await hint('questions', 'colect')).toBe('Did you mean: questions collect?');
    expect((await world.json(['answer', '7e1', 'Yes'])).data.error).toBe(
      'Invalid session id: 7e1 is too short',
    );
  });

  verifies('Q20', 'clean tells what it did, and --dry-run what it would do', async () => {
    await using world = await appWorld();
    const id = await asked(world);
    await world.run(['answer', id, '--reject']);
    const pending = await asked(world);
    expect((await world.run(['questions', 'clean'])).stdout).toBe(
      '0 moved to the trash, 0 removed from it for good\n',
    );
    await new Promise((resolve) => setTimeout(resolve, 2));
    const kept = await world.run(['questions', 'clean', '--older-than', '0']);
    expect(kept.stdout).toBe('0 moved to the trash, 0 removed from it for good\n');
    expect(kept.stderr).toContain('1 answer or rejection that nobody has collected');
    const old = ['questions', 'clean', '--older-than', '0', '--uncollected'];
    expect((await world.run([...old, '--dry-run'])).stdout).toBe(
      '1 would be moved to the trash (1 of them never collected), 0 removed from it for good\n',
    );
    expect((await world.json(old)).data).toEqual({
      retired: [id],
      purged: [],
      uncollected: [id],
      skipped: [],
    });
    expect(world.services().questions.ids()).toEqual([pending]);
    expect((await world.run(['questions', 'clean', '--older-than', 'x'])).code).toBe(2);
    expect((await world.run(['questions', 'clean', '--older-than', '-1'])).code).toBe(2);
  });

  verifies('Q20', 'ids by prefix: 4 or more characters, ambiguity lists the candidates', async () => {
    await using world = await appWorld();
    const base = world.services().config.layout.questions;
    const twins = ['abcd1111-aaaa-4aaa-8aaa-aaaaaaaaaaaa', 'abcd2222-aaaa-4aaa-8aaa-aaaaaaaaaaaa'];
    for (const id of twins) mkdirSync(join(base, id), { recursive: true, mode: 0o700 });
    expect((await world.run(['questions', 'show', 'abcd1'])).code).toBe(0);
    const { code, stderr } = await world.run(['questions', 'show', 'abcd']);
    expect([code, stderr]).toEqual([2, expect.stringContaining(`abcd fits 2 sessions: `)]);
    for (const id of twins) expect(stderr).toContain(id);
    expect((await world.run(['questions', 'show', 'abc'])).code).toBe(2);
    expect((await world.run(['questions', 'show', 'ffff'])).code).toBe(4);
  });

  verifies('Q20', 'more than the configured maximum ends with 7', async () => {
    await using world = await appWorld();
    world.configure({ question: { maxSessions: 1 } });
    await asked(world);
    const { code, stderr } = await world.run(['ask', '--no-wait', SET]);
    expect([code, stderr]).toEqual([
      7,
      expect.stringContaining('1 question sets are pending already, which is the limit'),
    ]);
  });

  verifies('Q20', 'a locked set ends with 5 and shows the owner; unlock needs --force', async () => {
    await using world = await appWorld();
    const id = await asked(world);
    const services = world.services();
    const held = await services.questionStore.hold(id);
    const locked = await world.run(['answer', id, '--option', '1']);
    expect([locked.code, locked.stderr]).toEqual([
      5,
      expect.stringMatching(new RegExp(`is locked by process ${process.pid} on .* \\(holdfast test\\)`)),
    ]);
    const looked = await world.run(['unlock', id]);
    expect([looked.code, looked.stderr]).toEqual([3, expect.stringContaining('Run it again with --force')]);
    const taken = await world.json(['unlock', id, '--force']);
    expect(taken).toMatchObject({ code: 0, data: { sessionId: id, state: 'held', taken: true } });
    // The loser cannot write any more.
    expect(() => held.retire()).toThrow(expect.objectContaining({ code: 'LOCK_LOST' }));
    held[Symbol.dispose]();
    expect((await world.run(['answer', id, '--option', '1'])).code).toBe(0);
    expect((await world.run(['unlock', id])).stdout).toBe(`${id} is not locked\n`);
    expect((await world.json(['unlock', id, '--force'])).data).toMatchObject({
      state: 'free',
      taken: false,
      owner: null,
    });
  });

  it('one set that cannot be told does not keep the others from being collected', async () => {
    await using world = await appWorld();
    const [bad, good] = [await asked(world), await asked(world)];
    const base = world.services().config.layout.questions;
    const timestamp = new Date().toISOString();
    writeFileSync(
      join(base, bad, 'answers.json'),
      JSON.stringify({ sessionId: bad, answers: [], timestamp }),
    );
    await world.run(['answer', good, '--option', '1']);
    const { code, data } = await world.json(['questions', 'collect']);
    expect([code, data.sessionId]).toEqual([0, good]);
    expect((await world.run(['questions', 'show', bad])).code).toBe(0);
    expect(readFileSync(join(base, bad, 'answers.json'), 'utf8')).toContain('"answers":[]');
  });
});
