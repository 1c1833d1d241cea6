import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CHANGE_SCENARIOS, ralphWorld, writeChange } from '../support/change-scenarios.js';
import { type Machine, machine } from '../support/holdfast-binary.js';
import { verifies } from '../support/verifies.js';

async function changeMachine(): Promise<Machine> {
  const made = await machine();
  writeChange(made.project);
  return made;
}

describe.concurrent('ralphtool', () => {
  for (const { id, clause, prove } of CHANGE_SCENARIOS) {
    verifies(id, clause, async () => {
      await using made = await changeMachine();
      await prove(ralphWorld(made));
    });
  }

  it('answers --help, --version and the help of a command', async () => {
    await using made = await machine();
    const run = (...args: string[]) => made.run(args, { program: 'ralphtool' });
    expect(await run('--help')).toMatchObject({ code: 0, stdout: expect.stringContaining('session init') });
    expect(await run('--version')).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
    });
    expect(await run('agent', 'learn', '--help')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('Usage: ralphtool agent learn'),
    });
  });

  it('lists the commands of a group when asked for its help', async () => {
    await using made = await machine();
    const run = (...args: string[]) => made.run(args, { program: 'ralphtool' });
    const { stdout: all } = await run('--help');
    for (const args of [
      ['agent', '--help'],
      ['agent', '-h'],
      ['help', 'agent'],
    ])
      expect(await run(...args), args.join(' ')).toMatchObject({ code: 0, stdout: all, stderr: '' });
    const { code, stdout } = await run('agent', 'session', '--help');
    expect([code, stdout.match(/^ {2}agent [a-z -]+?(?= {2})/gm)]).toEqual([
      0,
      ['  agent session init', '  agent session next-story', '  agent session flush'],
    ]);
    for (const args of [['agent'], ['agent', 'session'], ['agent', 'nope', '--help']])
      expect((await run(...args)).code, args.join(' ')).toBe(2);
  });

  it('starts a session with the example of its own help', async () => {
    await using made = await changeMachine();
    const run = (...args: string[]) => made.run(args, { program: 'ralphtool' });
    const { stdout } = await run('agent', 'session', 'init', '--help');
    const [, example = ''] = /Examples:\n {2}ralphtool (.+)\n$/.exec(stdout) ?? [];
    expect(await run(...example.split(' '))).toMatchObject({ code: 0, stderr: '' });
  });

  it('tells of a wrong call as JSON on stderr', async () => {
    await using made = await changeMachine();
    const { agent } = ralphWorld(made);
    for (const args of [['nope'], ['session', 'init'], ['task', 'done'], ['status', '--nope'], ['learn']])
      expect(await agent(args)).toMatchObject({ code: 2, data: { success: false, code: 'USAGE' } });
    expect(await agent(['status'], { cwd: made.dir.path })).toMatchObject({
      data: { code: 'SESSION_REQUIRED' },
    });
  });

  it('takes a tick back, lists the tasks, and knows the change as a plain word', async () => {
    await using made = await changeMachine();
    const { agent, read } = ralphWorld(made);
    const before = read('tasks.md');
    expect((await agent(['session', 'init', 'add-login'])).data.change_name).toBe('add-login');
    await agent(['session', 'next-story']);
    await agent(['task', 'done', '1.1']);
    expect((await agent(['task', 'undo', '1.1'])).data).toEqual({
      success: true,
      task_id: '1.1',
      remaining: ['1.1', '1.2.1', '1.10'],
      story_complete: false,
    });
    expect(read('tasks.md')).toBe(before);
    const { data } = await agent(['task', 'list', '--story', '2']);
    expect(data).toEqual({
      current_story_id: '1',
      stories: [
        { id: '2', title: 'Finish', tasks: [{ id: '2.1', description: 'Write the page', complete: false }] },
      ],
    });
    expect(await agent(['task', 'udno', '1.1'])).toMatchObject({
      code: 2,
      data: { error: 'There is no command `agent task udno`', hint: 'Did you mean: agent task undo?' },
    });
  });

  it('tells of a warning as JSON on stderr, a line of its own', async () => {
    await using made = await changeMachine();
    // The place of the published file is not ours: work goes on without it.
    writeFileSync(join(made.env.TMPDIR ?? '', 'ralph'), 'in the way');
    const init = ['agent', 'session', 'init', '--change', 'add-login'];
    const { code, stdout, stderr } = await made.run(init, { program: 'ralphtool' });
    expect([code, JSON.parse(stdout).change_name]).toEqual([0, 'add-login']);
    expect(
      stderr
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual([
      {
        warning: expect.stringMatching(/^The published file of session/),
        event: 'change.projection-not-written',
      },
    ]);
    const told = await made.run(['change', 'next-story']);
    expect(told.stderr).toMatch(/^The published file of session .* could not be written; the session itself/);
  });

  it('brings what was learned into a change that was archived before the flush', async () => {
    await using made = await changeMachine();
    const { agent, file } = ralphWorld(made);
    await agent(['session', 'init', '--change', 'add-login', '--session', 'arch']);
    await agent(['learn', 'worth keeping']);
    const archive = file('../archive');
    mkdirSync(archive);
    const today = new Date().toISOString().slice(0, 10);
    renameSync(file('.'), join(archive, `${today}-add-login`));
    expect((await agent(['status'])).code).toBe(0);
    expect((await made.run(['change', 'release', 'add-login'])).stderr).toContain(
      'holdfast change recover arch',
    );
    expect((await made.run(['change', 'recover', 'arch'])).stdout).toContain('written into design.md: 1');
    expect(readFileSync(join(archive, `${today}-add-login`, 'design.md'), 'utf8')).toContain(
      '- worth keeping',
    );
  });

  it('loses nothing of what many programs learn and tick at once', async () => {
    await using made = await changeMachine();
    const world = ralphWorld(made);
    const tasks = Array.from({ length: 6 }, (_, index) => `1.${index + 1}`);
    writeFileSync(world.file('tasks.md'), `## 1. A\n${tasks.map((id) => `- [ ] ${id} t`).join('\n')}\n`);
    await world.agent(['session', 'init', '--change', 'add-login']);
    await world.agent(['session', 'next-story']);
    const all = tasks.flatMap((id) => [
      world.agent(['task', 'done', id]),
      world.agent(['learn', `about ${id}`]),
    ]);
    for (const { code } of await Promise.all(all)) expect(code).toBe(0);
    expect(world.read('tasks.md')).not.toContain('[ ]');
    expect((await world.agent(['session', 'flush'])).data.learnings_written).toBe(6);
    for (const id of tasks) expect(world.read('design.md')).toContain(`- about ${id}\n`);
  });
});

describe.concurrent('holdfast change', () => {
  it('does the same for people, in words', async () => {
    await using made = await changeMachine();
    const said = async (...args: string[]) => {
      const { code, stdout } = await made.run(['change', ...args]);
      expect(code).toBe(0);
      return stdout;
    };
    expect(await said()).toContain('add-login  in-progress  1/6    0/3');
    expect(await said('init', 'add-login', '--session', 'mine')).toMatch(/^Session mine holds add-login\n/);
    expect(await said('next-story')).toBe('Story 1: Setup\n');
    expect(await said('done', '1.1')).toContain('left in the story: 1.2.1, 1.10');
    expect(await said('learn', 'It \u001b[31mworks')).toContain('1 will be written');
    expect(await said('status')).toBe('story 1: 2/4 tasks\nchange: 0/3 stories\n');
    expect(await said('context')).toContain('WHEN the person logs in');
    const shown = await said('show', 'add-login');
    expect(shown).toContain('held by session mine');
    expect(shown).toContain('learned: It ^[[31mworks');
    expect(await said('list')).toContain('mine');
    expect(await said('release', 'add-login', '--reason', 'tired')).toContain('from session mine');
    expect(await said('recover', 'mine')).toContain('written into design.md: 1');
    expect(await said('show', 'add-login')).toContain('earlier: session mine, released');
    expect(await said('init', 'add-login', '--session', 'next')).toContain('Session next');
    expect(await said('flush')).toContain('The session has ended');
  });

  it('speaks to people of its own commands, where ralphtool names those of agents', async () => {
    await using made = await changeMachine();
    const { agent } = ralphWorld(made);
    const hints = async (verb: string, ...args: string[]) => [
      (await made.json(['change', verb, ...args])).data.hint,
      (await agent([...(verb === 'done' ? ['task', 'done'] : [verb]), ...args])).data.hint,
    ];
    expect(await hints('status')).toEqual([
      'Start one with `holdfast change init <change>`; `holdfast change list` shows the changes of the project.',
      'Sessions are managed by the orchestrator: let it start one with `ralphtool agent session init --change <name>`, ' +
        'and pass the id on in RALPH_SESSION or with --session <id>.',
    ]);
    expect((await made.run(['change', 'status'])).stderr).toContain('Start one with `holdfast change init');
    await made.run(['change', 'init', 'add-login', '--session', 'mine']);
    const wrong: readonly (readonly [string, ...string[]])[] = [
      ['context'],
      ['context', '--story', '99'],
      ['done', '99.9', '--story', '1'],
      ['status', '--session', 'nobody'],
    ];
    for (const args of wrong)
      expect(await hints(...args), args.join(' ')).toEqual([
        expect.not.stringContaining('ralphtool'),
        expect.stringContaining('`ralphtool agent '),
      ]);
  });

  it('shows of the context what its help says: proposal and design with --json only', async () => {
    await using made = await changeMachine();
    await made.run(['change', 'init', 'add-login', '--session', 'mine']);
    const { file } = ralphWorld(made);
    const texts = { proposal: 'Why: people want in.\n', design: 'How: a form.\n' };
    for (const [name, text] of Object.entries(texts)) writeFileSync(file(`${name}.md`), text);
    const help = (await made.run(['change', 'context', '--help'])).stdout.replaceAll(/\s+/g, ' ');
    expect(help).toContain('Its tasks, scenarios, what was learned so far, and how the project');
    expect(help).toContain('with --json also the proposal and the design.');
    expect(await made.json(['change', 'context', '--story', '1'])).toMatchObject({ data: texts });
    const { stdout } = await made.run(['change', 'context', '--story', '1']);
    for (const text of Object.values(texts)) expect(stdout).not.toContain(text.trim());
  });

  it('has --json and exit codes', async () => {
    await using made = await changeMachine();
    expect(await made.json(['change', 'init', 'add-login', '--session', 'mine'])).toMatchObject({
      code: 0,
      data: { session_id: 'mine' },
    });
    expect(await made.json(['change', 'list'])).toMatchObject({
      code: 0,
      data: [{ name: 'add-login', tasks_total: 6, session: { session_id: 'mine' } }],
    });
    expect(await made.json(['change', 'init', 'add-login'])).toMatchObject({
      code: 5,
      data: { code: 'CHANGE_LOCKED' },
    });
    expect(await made.json(['change', 'release', 'add-login', '--reason', ''])).toMatchObject({ code: 2 });
    expect(await made.json(['change', 'show', 'nope'])).toMatchObject({ code: 4 });
    writeFileSync(join(made.project, 'openspec/.holdfast/changes/add-login/session.json'), '{');
    expect(await made.json(['change', 'list'])).toMatchObject({
      code: 0,
      data: [{ fault: expect.any(String) }],
    });
    expect(await made.json(['change', 'release', 'add-login', '--reason', 'x'])).toMatchObject({ code: 8 });
    expect(await made.json(['change', 'recover', 'add-login'])).toMatchObject({
      code: 0,
      data: { outcome: 'restored', session_id: 'mine' },
    });
  });
});
