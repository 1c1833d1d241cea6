import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { until } from '../support/processes.js';
import { type ProjectsWorld, projectsWorld } from '../support/projects-world.js';
import { Pane, verifiesInTerminal } from '../support/tmux.js';
import { verifies } from '../support/verifies.js';

/** Three projects: one asks, one works, one is done. */
async function threeProjects() {
  const world = await projectsWorld();
  const ended = await world.begin('blog', 'doer');
  const asks = await world.begin('shop', 'asker');
  const works = await world.begin('api', 'worker');
  await until(() => world.ids().length === 1);
  return { world, ended, asks, works };
}

const groupOf = async (world: ProjectsWorld, id: string) =>
  (await world.rows()).find((row) => row.id === id)?.group;

describe('holdfast top without a terminal', () => {
  verifies('O01', 'the runs and questions of every project are found from any directory', async () => {
    const { world, ended, asks, works } = await threeProjects();
    await using _world = world;
    const rows = await world.rows();
    expect(rows.map(({ id, group, project, agent }) => [id, group, project, agent])).toEqual([
      [asks, 'asks', world.at('shop'), 'asker'],
      [works, 'works', world.at('api'), 'worker'],
      [ended, 'ended', world.at('blog'), 'doer'],
    ]);
    expect(rows[0]).toMatchObject({
      kind: 'run',
      title: 'docs/shop-plan.md',
      phase: 'WORK',
      isRunning: true,
      question: { id: world.ids()[0], title: 'Numbers', more: 0 },
    });
    // What a newer run took the place of is shown on the day it ended.
    const second = await world.begin('blog', 'worker');
    const after = (await world.rows()).filter(({ project }) => project === world.at('blog'));
    expect(after.map(({ id, group, isArchived }) => [id, group, isArchived])).toEqual([
      [second, 'works', false],
      [ended, 'ended', true],
    ]);
    const gone = await world.run(['status', ended.slice(0, 8)]);
    expect([gone.code, gone.stderr]).toEqual([
      4,
      expect.stringContaining(`A newer run of its project has replaced ${ended.slice(0, 8)}`),
    ]);
  });

  verifies('O02', '--once, and no terminal, print it as plain text, what waits first', async () => {
    const { world } = await threeProjects();
    await using _world = world;
    const { code, stdout } = await world.run(['top', '--once']);
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^1 waiting for you, 1 working, 1 ended today\n\nPROJECT +PLAN .*WHY\nWaiting for you\nshop +shop-plan +asker +WORK .* asks: Which numbers should the adder know\?\n\nWorking\napi [\s\S]*\n\nEnded today\nblog /,
    );
    expect((await world.run(['top'])).stdout).toContain('Waiting for you');
    const all = await world.run(['status', '--all']);
    expect(all.stdout).toMatch(/^shop [\s\S]*^api [\s\S]*^blog /m);
    const waiting = await world.run(['waiting']);
    expect([waiting.code, waiting.stdout]).toEqual([
      0,
      expect.stringMatching(/^1 waiting · oldest \d+[sm]\n$/),
    ]);
    expect((await world.json(['waiting'])).data).toEqual({
      count: 1,
      oldestAt: expect.any(String),
      ids: world.ids(),
    });
    await world.run(['answer', world.ids()[0] ?? '', '--option', 'Plain']);
    expect(await world.run(['waiting'])).toMatchObject({ code: 0, stdout: '' });
    expect((await world.run(['waiting', '--count'])).stdout).toBe('0\n');
  });

  verifies('O02', 'a question that no run asked is a row, and an empty home has none', async () => {
    await using world = await projectsWorld();
    expect((await world.run(['top', '--once'])).stdout).toContain('Nothing is running, nothing is waiting');
    const questions = [{ title: 'Deploy', prompt: 'Now?', options: [{ label: 'Yes' }, { label: 'No' }] }];
    await world.run(['ask', '--no-wait', '--agent', 'claude', JSON.stringify({ questions })]);
    expect(await world.rows()).toMatchObject([{ kind: 'question', group: 'asks', project: world.project }]);
  });
});

describe('holdfast logs', () => {
  verifies('O03', 'tells the lines of a run of any project, as JSON too, and goes on with -f', async () => {
    const { world, ended, asks, works } = await threeProjects();
    await using _world = world;
    const { code, stdout } = await world.run(['logs', ended.slice(0, 8)]);
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^── \d{4}-\d\d-\d\d\n\d\d:\d\d:\d\d {2}run [0-9a-f]{8} started: docs\/blog-plan\.md/,
    );
    expect(stdout).toMatch(/^\d\d:\d\d:\d\d {2}completed$/m);
    const events = (await world.run(['logs', ended, '--json'])).stdout.trim().split('\n');
    expect(JSON.parse(events[0] ?? '')).toMatchObject({ seq: 1, type: 'run-start', sessionId: ended });
    expect(JSON.parse(events.at(-1) ?? '')).toMatchObject({ type: 'run-end', outcome: 'completed' });
    expect((await world.run(['logs', ended, '--since', '0s'])).stdout).toBe('');
    expect((await world.run(['logs'], { cwd: world.at('api') })).stdout).toContain(works.slice(0, 8));
    const following = world.start(['logs', asks, '-f']);
    await following.printed('stdout', /the agent asks: Numbers/);
    await world.run(['answer', world.ids()[0] ?? '', '--option', 'Plain']);
    expect(await following.ended).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/ {2}completed\n/),
    });
  });

  verifies('O03', 'no run, or several, that fit an id are an error with a way out', async () => {
    await using world = await projectsWorld();
    const none = await world.run(['logs']);
    expect([none.code, none.stderr]).toEqual([4, expect.stringContaining('There is no run in this project')]);
    const first = await world.begin('shop', 'doer');
    const other = await world.run(['attach', 'ffffffff']);
    expect([other.code, other.stderr]).toEqual([
      4,
      expect.stringMatching(/Run not found: ffffffff\n.*holdfast top --once/),
    ]);
    // Two runs whose ids begin alike: the archive of one project is copied into another one.
    const second = await world.begin('blog', 'doer');
    const path = join(world.at('blog'), '.prp-session', 'loop-state.json');
    writeFileSync(
      path,
      JSON.stringify({ ...world.state('blog'), session_id: first.slice(0, 8) + second.slice(8) }),
    );
    const both = await world.run(['logs', first.slice(0, 8)]);
    expect(both.code).toBe(2);
    expect(both.stderr).toMatch(
      /fits 2 sessions: .* in .*shop.*, .* in .*blog|fits 2 sessions: .* in .*blog.*, .* in .*shop/,
    );
  });
});

describe('holdfast top in a terminal', () => {
  verifiesInTerminal('O02', 'answers in place, and what it asked goes on', async () => {
    const { world, asks } = await threeProjects();
    await using _world = world;
    await using pane = await Pane.open(world);
    const before = await pane.facts();
    await pane.holdfast('top');
    await pane.until(/Waiting for you\n› shop +shop-plan/);
    await pane.press('a');
    await pane.until('Question 1 of 1: Numbers');
    await pane.type('2');
    await pane.press('Enter');
    await pane.until('Review');
    await pane.press('Enter');
    await pane.until(/Ended today\n(.*\n)*.*shop +shop-plan/);
    expect(world.readFile(world.ids()[0] ?? '', 'status.json')).toMatchObject({ actor: 'top' });
    expect(await groupOf(world, asks)).toBe('ended');
    await pane.press('q');
    expect(await pane.exitCode()).toBe(0);
    expect(await pane.facts()).toEqual({ ...before, historyLines: expect.anything() });
  });

  verifiesInTerminal(
    'O02',
    'pauses, resumes, attaches, stops and starts a run of another project',
    async () => {
      const { world, works } = await threeProjects();
      await using _world = world;
      await using pane = await Pane.open(world);
      await pane.holdfast('top');
      await pane.until(/Working\n {2}api/);
      await pane.press('Down');
      await pane.until(/^› api/m);
      await pane.press('p');
      await pane.until(/^› api .* paused: requested/m);
      expect(world.state('api')).toMatchObject({ status: 'paused' });
      await pane.press('r');
      await pane.until(/Working\n› api/);
      // From here the live view of that run, and back.
      await pane.press('Enter');
      await pane.until(/^── docs\/api-plan\.md with worker/m);
      await pane.until(/^q leave/m);
      await pane.press('q');
      await pane.until(/Working\n› api/);
      expect(await groupOf(world, works)).toBe('works');
      await pane.press('s');
      await pane.until('Stop api-plan?');
      await pane.press('n');
      await pane.until(/^Enter attach/m);
      await pane.press('s');
      await pane.until('Stop api-plan?');
      await pane.press('y');
      await pane.until(/^› api .* suspended:/m);
      await until(() => world.runners().length === 1);
      await pane.press('r');
      await pane.until(/Working\n› api/);
      await until(() => world.runners().length === 2);
      expect(world.state('api')).toMatchObject({ session_id: works, status: 'running' });
      await pane.press('C-c');
      expect(await pane.exitCode()).toBe(0);
    },
  );

  verifiesInTerminal(
    'O02',
    'filters by typing, shows the way to a directory, and rings when something new waits',
    async () => {
      const { world } = await threeProjects();
      await using _world = world;
      await using pane = await Pane.open(world);
      const bytes = await pane.record();
      await pane.holdfast('top');
      await pane.until(/^› shop/m);
      await pane.type('/');
      await pane.until(/^\/▏/m);
      await pane.type('api worker');
      await pane.until(/^Holdfast: api worker +1 working/m);
      await pane.press('Enter');
      await pane.press('o');
      await pane.until(`Copied: cd '${world.at('api')}'`);
      expect(bytes()).toContain(`\x1b]52;c;${Buffer.from(`cd '${world.at('api')}'`).toString('base64')}\x07`);
      await pane.press('Escape');
      await pane.until(/^ {2}shop|^› shop/m);
      const rung = () =>
        bytes()
          .replaceAll(/\x1b\][^\x07]*\x07/g, '')
          .split('\x07').length - 1;
      expect(rung()).toBe(0);
      const questions = [
        { title: 'Deploy', prompt: 'Deploy now?', options: [{ label: 'Yes' }, { label: 'No' }] },
      ];
      await world.run(['ask', '--no-wait', JSON.stringify({ questions })]);
      await pane.until('asks: Deploy now?');
      await until(() => rung() === 1);
      await pane.press('q');
      expect(await pane.exitCode()).toBe(0);
    },
  );

  verifiesInTerminal(
    'O02',
    'a chat is a row for as long as it is open, and one that ended today',
    async () => {
      await using world = await projectsWorld();
      const chat = world.start(['chat', '--agent', 'doer']);
      chat.child.stdin.write('hello\n');
      await chat.printed('stdout', /Done\./);
      await using pane = await Pane.open(world);
      await pane.holdfast('top');
      await pane.until(/^Working\n› projéct 1 +chat, 2 tur\S* +doer/m);
      expect(await world.rows()).toMatchObject([{ kind: 'chat', group: 'works', isRunning: true }]);
      chat.child.stdin.end();
      await chat.ended;
      await pane.until(/^Ended today\n› projéct 1 +chat, 2 tur\S* +doer/m);
      await pane.press('q');
      expect(await pane.exitCode()).toBe(0);
    },
  );

  verifiesInTerminal(
    'O02',
    'runs top.open by argument vector, whatever the directory is called',
    async () => {
      await using world = await projectsWorld();
      const name = `a $(touch gone) 'q' "d" {directory}`;
      const called = world.dir.at('called');
      const opener = world.dir.at('opener.mjs');
      writeFileSync(
        opener,
        [
          "import { renameSync, writeFileSync } from 'node:fs';",
          'const [to, ...words] = process.argv.slice(2);',
          "writeFileSync(to + '.new', JSON.stringify({ words, at: process.cwd() }));",
          "renameSync(to + '.new', to);",
        ].join('\n'),
      );
      await world.begin(name, 'worker');
      const open = [process.execPath, opener, called, '--at={directory}', '{directory}', '$HOME; true'];
      await world.run(['config', 'set', 'top.open', JSON.stringify(open)]);
      await using pane = await Pane.open(world);
      await pane.holdfast('top');
      await pane.until(/^› a \$\(touch/m);
      await pane.press('o');
      await until(() => existsSync(called));
      const at = world.at(name);
      expect(JSON.parse(readFileSync(called, 'utf8'))).toEqual({
        words: [`--at=${at}`, at, '$HOME; true'],
        at,
      });
      expect(readdirSync(at)).not.toContain('gone');
      await pane.press('q');
      expect(await pane.exitCode()).toBe(0);
    },
  );

  verifiesInTerminal('O02', 'a kill of it changes nothing', async () => {
    const { world } = await threeProjects();
    await using _world = world;
    const runners = world.runners();
    const files = readdirSync(join(world.at('api'), '.prp-session')).sort();
    await using pane = await Pane.open(world);
    await pane.holdfast('top');
    await pane.until(/^› shop/m);
    process.kill(await pane.program(), 'SIGKILL');
    await pane.makeSane();
    expect(world.runners()).toEqual(runners);
    expect(readdirSync(join(world.at('api'), '.prp-session')).sort()).toEqual(files);
    expect((await world.rows()).map(({ group }) => group)).toEqual(['asks', 'works', 'ended']);
  });
});

describe('holdfast attach in a terminal', () => {
  verifiesInTerminal(
    'O03',
    'shows a run in the background with the keys of its own terminal; leaving leaves it alone',
    async () => {
      const { world, works } = await threeProjects();
      await using _world = world;
      await using pane = await Pane.open(world);
      const before = await pane.facts();
      await pane.holdfast(`attach ${works.slice(0, 8)}`);
      await pane.until(/^says +I work\./m);
      await pane.press('p');
      await pane.until('paused     requested; p continues');
      await pane.press('p');
      await until(() => world.state('api').status === 'running');
      await pane.press('C-c');
      await pane.until(/^exit code 0$/m); // the view itself tells an exit code
      expect(await pane.facts()).toEqual({ ...before, historyLines: expect.anything() });
      expect(world.state('api')).toMatchObject({ status: 'running' });
      expect(world.runners()).toHaveLength(2);
    },
  );

  verifiesInTerminal('O03', 'shows a run that has ended, from any directory', async () => {
    await using world = await projectsWorld();
    const ended = await world.begin('blog', 'doer');
    await using pane = await Pane.open(world);
    await pane.holdfast(`attach ${ended}`);
    await pane.until('It has ended. q leaves');
    expect(await pane.history()).toMatch(/run [0-9a-f]{8} started: docs\/blog-plan\.md with doer/);
    await pane.press('q');
    await pane.until(/^exit code 0$/m);
  });

  verifiesInTerminal('O03', 'sees that the process of a run is gone, and p starts it again', async () => {
    const { world, works } = await threeProjects();
    await using _world = world;
    await using pane = await Pane.open(world);
    await pane.holdfast(`attach ${works.slice(0, 8)}`);
    await pane.until(/^says +I work\./m);
    process.kill((await world.json(['status', works])).data.loop.owner.pid, 'SIGKILL');
    await pane.until(/^now +no process runs it; p resumes it$/m);
    await pane.until(/^q leave · p resume · g guide/m);
    await pane.press('p');
    await pane.until(/^now +the agent/m);
    expect(world.state('api')).toMatchObject({ status: 'running' });
    await pane.press('q');
    await pane.until(/^exit code 0$/m);
  });
});
