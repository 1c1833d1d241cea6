import { existsSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { ATTACKS, assertVisible } from '../support/hostile-text.js';
import { itNeeds } from '../support/it-needs.js';
import { until } from '../support/processes.js';
import { CHECK, done, living, notDone, PLAN, runWorld, say, WHOLE_WAY, write } from '../support/run-world.js';
import { Pane } from '../support/tmux.js';

const RUN = `run ${PLAN} --agent player --verify '${CHECK}'`;
const HANG = { steps: [say('I work.\n'), { hang: true }] };
const QUESTION = {
  title: 'Numbers',
  prompt: 'Which numbers should the adder know?',
  options: [{ label: 'Plain' }, { label: 'Big' }],
};
const ASKS = { steps: [{ ask: { questions: [QUESTION] } }, say('You chose: {{output}}'), notDone] };
const [RED, ...REST] = WHOLE_WAY;

function inTerminal(name: string, prove: () => Promise<void>): void {
  itNeeds({ tmux: true }, name, prove);
}

/** Starts a run and waits until its agent works, as the screen shows it. */
async function watching(pane: Pane, args = ''): Promise<void> {
  await pane.holdfast(`${RUN} ${args}`);
  await pane.until(/^says +I work\./m);
}

/** The rows of the live part, from its first line on. */
function liveOf(rows: readonly string[]): string[] {
  return rows.slice(rows.findLastIndex((row) => row.startsWith('── ')));
}

async function expectSane(pane: Pane, before: Awaited<ReturnType<Pane['facts']>>, what: string) {
  expect(await pane.facts(), what).toEqual({ ...before, historyLines: expect.anything() });
  await pane.run('clear; stty -a');
  const settings = (await pane.until(/icanon/)).join(' ');
  expect(settings, what).not.toMatch(/-icanon|-echo |-isig|-icrnl/);
}

describe('a run in a terminal', () => {
  inTerminal('is given up, or makes room for another plan, only when that is said twice', async () => {
    await using world = await runWorld([HANG]);
    const other = 'docs/prps/other.md';
    world.put(other, '# PRP\n\n### Success Criteria\n\n- [ ] other\n');
    const first = world.begin();
    await until(() => world.prompts().length === 1);
    first.child.kill('SIGINT');
    await first.ended;
    const session = world.state().session_id;
    await using pane = await Pane.open(world);
    await pane.holdfast(RUN.replace(PLAN, other));
    await pane.until(`Another plan is in progress here: ${PLAN} (RED, suspended).`);
    await pane.press('n', 'Enter');
    await pane.until('start this one with --new, which archives it');
    expect(world.state()).toMatchObject({ session_id: session, status: 'suspended' });
    await pane.holdfast(RUN);
    await pane.until('[R]esume, [N]ew or [A]bort?');
    await pane.press('a', 'Enter');
    await pane.until('gives the session up for good');
    await pane.press('n', 'Enter');
    await pane.until(/\[A\]bort\? *$/m);
    await pane.press('a', 'Enter');
    await pane.until(/good; its files are kept\. Continue\? \[y\/N\] *$/m);
    await pane.press('y', 'Enter');
    await pane.until('Aborted; its files are kept');
    expect(world.state()).toMatchObject({ session_id: session, status: 'aborted' });
  });

  inTerminal(
    'shows how it stands, takes an answer, and ends with what the plain lines end with',
    async () => {
      await using world = await runWorld([RED, ASKS, ...REST]);
      await using pane = await Pane.open(world);
      const before = await pane.facts();
      await pane.holdfast(`${RUN} --max-cost 10`);
      const rows = liveOf(
        await pane.until(/question {3}Which numbers should the adder know\? {3}\(press a\)/),
      );
      const shown = rows.join('\n');
      expect(rows[0]).toMatch(/^── docs\/prps\/adder\.md with player ─+ \d+s ──$/);
      expect(shown).toContain('RED ✓ · GREEN ● · REFACTOR · DOCUMENT');
      expect(shown).toMatch(/^tests {6}▁+ 0 of 2 +iteration {2}1 of GREEN, 2 in all$/m);
      expect(shown).toMatch(/^breaker {4}closed +context +█░+ \d+ %$/m);
      expect(shown).toMatch(/^calls {6}█░+ 2 of 100 an hour/m);
      expect(shown).toMatch(/cost +█░+ \$0\.\d\d of \$10$/m);
      expect(shown).toContain('waits      for your answer');
      expect(await pane.facts()).toMatchObject({ isAlternate: false, isCursorShown: false });
      await pane.press('a');
      await pane.until('Question 1 of 1: Numbers');
      await pane.type('2');
      await pane.press('Enter');
      await pane.until('Review');
      await pane.press('Enter');
      expect(await pane.exitCode()).toBe(0);
      const history = await pane.history();
      expect(history).toMatch(/question [0-9a-f]{8} was answered/);
      expect(history).toMatch(/^RED 1: 0 of 2 tests pass, \d+s$/m);
      expect(history).toMatch(
        /^DOCUMENT 1: 2 of 2 tests pass, \d+s\n.*\ncompleted\nfiles +5 changed\n(?:.*\n)+next +holdfast report\nexit code 0$/m,
      );
      expect(history).not.toMatch(/^── |^phase |Review/m);
      expect(world.prompts()[2]?.history.at(-1)?.text).toContain('→ Big');
      expect(world.state()).toMatchObject({ status: 'completed' });
      await expectSane(pane, before, 'at the end');
    },
  );

  inTerminal('p pauses it and lets it go on; what g sends is told with the next prompt', async () => {
    await using world = await runWorld([HANG, ...WHOLE_WAY]);
    await using pane = await Pane.open(world);
    await watching(pane);
    await pane.press('p');
    await pane.until('paused     requested; p continues');
    expect(world.state()).toMatchObject({ status: 'paused' });
    await pane.press('g');
    await pane.type('use small numbers');
    await pane.until('guidance   use small numbers');
    await pane.press('Enter');
    await pane.press('p');
    expect(await pane.exitCode()).toBe(0);
    expect(world.prompts()[1]?.prompt).toContain('use small numbers');
    const history = await pane.history();
    expect(history).toContain('request: pause');
    expect(history).toContain('request: resume');
  });

  inTerminal('a permission that the agent asks for is a question like any other', async () => {
    const wants = { permission: { tool: 'Bash', input: { command: 'make' }, kind: 'execute' } };
    await using world = await runWorld([{ steps: [wants, say('{{output}}'), notDone] }, ...WHOLE_WAY]);
    await using pane = await Pane.open(world);
    await pane.holdfast(`${RUN} --permissions ask`);
    await pane.until('question   player asks to use Bash: • command: make');
    await pane.press('a');
    await pane.until('Question 1 of 1: Permission');
    await pane.type('1');
    await pane.press('Enter');
    await pane.until('Review');
    await pane.press('Enter');
    await pane.until(/question [0-9a-f]{8} was answered/);
    await pane.press('C-c');
    expect(await pane.exitCode()).toBe(130);
    expect(await pane.history()).not.toContain('denied');
  });

  inTerminal('s asks, and stops it so that it can be resumed', async () => {
    await using world = await runWorld([HANG, ...WHOLE_WAY]);
    await using pane = await Pane.open(world);
    await watching(pane);
    await pane.press('s');
    await pane.until('Stop the run?');
    await pane.press('n');
    await pane.until('p pause · g guide · s stop');
    await pane.press('s');
    await pane.until('Stop the run?');
    await pane.press('y');
    expect(await pane.exitCode()).toBe(3);
    expect((await pane.screen()).join('\n')).toContain(
      'stopped: stop was requested. Resume: `holdfast resume',
    );
    expect(world.state()).toMatchObject({ status: 'suspended' });
  });

  inTerminal('an agent that is killed is a line, and the run goes on', async () => {
    await using world = await runWorld([HANG, ...WHOLE_WAY]);
    await using pane = await Pane.open(world);
    await watching(pane);
    const agents = living(world.dir.at('script.json')).filter((pid) =>
      readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('scripted.cjs'),
    );
    expect(agents).toHaveLength(1);
    for (const pid of agents) process.kill(pid, 'SIGKILL');
    expect(await pane.exitCode()).toBe(0);
    const history = await pane.history();
    expect(history).toMatch(/^RED 1: no numbers, \d+s\n {2}the agent crashed · .*\n {2}! .*SIGKILL$/m);
    expect(history).toMatch(/^completed$/m);
  });
});

describe('a run that is interrupted in a terminal', () => {
  const ways: [string, (pane: Pane) => Promise<void>, number][] = [
    ['Ctrl+C', (pane) => pane.press('C-c'), 130],
    ['SIGINT', async (pane) => void process.kill(await pane.program(), 'SIGINT'), 130],
    ['SIGTERM', async (pane) => void process.kill(await pane.program(), 'SIGTERM'), 143],
  ];

  inTerminal('puts the terminal back, leaves nothing running, and is resumed', async () => {
    await using world = await runWorld([HANG, HANG, HANG, ...WHOLE_WAY]);
    await using pane = await Pane.open(world);
    const before = await pane.facts();
    for (const [index, [name, interrupt, code]] of ways.entries()) {
      await watching(pane, index === 0 ? '' : '--resume');
      await interrupt(pane);
      expect(await pane.exitCode(), name).toBe(code);
      const shown = (await pane.screen()).join('\n');
      expect(shown, name).toMatch(/^ {2}cut short \(signal\); its prompt is not sent again\ninterrupted: /m);
      expect(shown, name).not.toMatch(/^── |^phase /m);
      expect(world.state(), name).toMatchObject({ status: 'suspended' });
      expect(living(world.dir.at('script.json')), name).toEqual([]);
      await expectSane(pane, before, name);
    }
    await pane.holdfast(`${RUN} --resume`);
    expect(await pane.exitCode()).toBe(0);
    expect(world.state()).toMatchObject({ status: 'completed' });
  });

  inTerminal('twice does not wait, and still puts the terminal back', async () => {
    const deaf = { steps: [{ ignoreTerm: true }, say('I work.\n'), { hang: 'deaf' }] };
    await using world = await runWorld([deaf]);
    await using pane = await Pane.open(world);
    const before = await pane.facts();
    await watching(pane);
    await pane.press('C-c');
    await pane.until(/^now +stopping/m);
    await pane.press('C-c');
    expect(await pane.exitCode()).toBe(130);
    await expectSane(pane, before, 'after the second one');
    for (const pid of living(world.dir.at('script.json'))) process.kill(pid, 'SIGKILL');
  });

  inTerminal('by a terminal that is closed, it is suspended and nothing is left', async () => {
    await using world = await runWorld([HANG]);
    await using pane = await Pane.open(world);
    await watching(pane);
    const pid = await pane.program();
    await pane.hangUp();
    await until(() => !existsSync(`/proc/${pid}`));
    expect(world.state()).toMatchObject({ status: 'suspended' });
    expect(living(world.dir.at('script.json'))).toEqual([]);
  });

  inTerminal('by an error, the terminal is put back and the error is told', async () => {
    await using world = await runWorld([HANG]);
    await using pane = await Pane.open(world);
    const before = await pane.facts();
    await watching(pane);
    // Without a key: a Ctrl+C in the middle of the last words would make the terminal drop them.
    renameSync(join(world.project, '.prp-session'), join(world.project, 'elsewhere'));
    expect(await pane.exitCode()).toBe(5);
    expect((await pane.screen()).join('\n')).toContain('holdfast: ');
    await expectSane(pane, before, 'after an error');
  });
});

describe('the frame', () => {
  inTerminal('holds whatever the agent says', async () => {
    const speaks = ATTACKS.map((text) => say(`${text}\n`));
    const flood = say(`${'漢字'.repeat(50_000)}\n`);
    const tools = ATTACKS.slice(0, 20).map((text) => write(`${text.replaceAll(/[\0/]/g, '')}x`, 'x'));
    const turn = { steps: [...speaks, flood, ...tools, ...speaks, say('I work.\n'), { hang: true }] };
    await using world = await runWorld([turn]);
    await using pane = await Pane.open(world);
    const title = (await pane.facts()).title;
    await pane.holdfast(`${RUN} --permissions bypass`);
    const rows = await pane.until(/^ +I work\.$|^says +I work\.$/m);
    const live = liveOf(rows).filter((row) => row !== '');
    expect(live[1]).toBe('phase      RED ● · GREEN · REFACTOR · DOCUMENT');
    expect(live.at(-1)).toBe('p pause · g guide · s stop · ? keys');
    assertVisible(rows.join('\n'), 'the screen');
    expect((await pane.history()).match(/^── /gm)).toHaveLength(1);
    expect(await pane.facts()).toMatchObject({ title, isAlternate: false, hasMouse: false });
    await pane.press('C-c');
    expect(await pane.exitCode()).toBe(130);
  });

  inTerminal('follows the size of the terminal', async () => {
    await using world = await runWorld([RED, HANG]);
    await using pane = await Pane.open(world);
    await watching(pane);
    for (const [columns, rows] of [
      [70, 24],
      [60, 12],
      [120, 30],
      [80, 24],
    ] as const) {
      await pane.resize(columns, rows);
      const isWhole = (screen: string[]) => {
        const live = liveOf(screen).filter((row) => row !== '');
        return live[0]?.length === columns && live.at(-1) === 'p pause · g guide · s stop · ? keys';
      };
      const screen = await pane.until(isWhole);
      expect(screen.length).toBe(rows);
    }
    await pane.press('C-c');
    expect(await pane.exitCode()).toBe(130);
  });
});

describe('plain lines instead', () => {
  inTerminal('with --plain, with notes in a file, in a small terminal, in a dumb one', async () => {
    await using world = await runWorld([{ steps: [done] }]);
    await using pane = await Pane.open(world, { columns: 100 });
    const notes = world.dir.at('notes.txt');
    const recorded = await pane.record();
    const limits = '--max-iterations 1 --unattended --new';
    const go = async (args: string, variables = '') => {
      await pane.holdfast(`${RUN} ${limits} ${args}`, variables);
      expect(await pane.exitCode()).toBe(7);
    };
    await go('--plain');
    await go(`2> '${notes}'`);
    await go('', 'TERM=dumb');
    await pane.resize(59, 11);
    await go('');
    await until(() => (recorded().match(/exit code 7/g) ?? []).length === 4);
    expect(recorded().match(/^RED 1: the agent is working\r?$/gm)).toHaveLength(3);
    expect(recorded()).not.toContain('\u001b[?25l');
    expect(readFileSync(notes, 'utf8')).toMatch(/^RED 1: the agent is working$/m);
    expect(readFileSync(notes, 'utf8')).not.toContain('\u001b');
  });
});
