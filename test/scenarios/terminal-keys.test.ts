import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import type { Machine } from '../support/holdfast-binary.js';
import { withPlayer } from '../support/player.js';
import { until } from '../support/processes.js';
import { CHECK, notDone, PLAN, runWorld, say } from '../support/run-world.js';
import { Pane, verifiesInTerminal as verifies } from '../support/tmux.js';

const RUN = `run ${PLAN} --agent player --verify '${CHECK}'`;
const HANG = { steps: [say('I work.\n'), { hang: true }] };
const QUESTION = {
  title: 'Numbers',
  prompt: 'Which numbers should the adder know?',
  options: [{ label: 'Plain' }, { label: 'Big' }],
};
const ASKS = { steps: [{ ask: { questions: [QUESTION] } }, say('I work.\n'), { hang: true }] };

/** Notes how the terminal is, and returns a check that it is so again. */
async function rememberTerminal(pane: Pane, world: Machine) {
  const settings = async (name: string) => {
    const file = world.dir.at(name);
    await pane.run(`clear; stty -a > '${file}'; echo 'no''ted'`);
    await pane.until('noted');
    return readFileSync(file, 'utf8');
  };
  const before = await settings('stty-before');
  const recorded = await pane.record();
  const facts = await pane.facts();
  let round = 0;
  return async (what: string) => {
    const sent = recorded();
    expect(sent.lastIndexOf('\x1b[?2004l'), what).toBeGreaterThan(sent.lastIndexOf('\x1b[?2004h'));
    expect(await pane.facts(), what).toEqual({ ...facts, historyLines: expect.anything() });
    round += 1;
    expect(await settings(`stty-after-${round}`), what).toBe(before);
  };
}

/** Whether nothing that was typed for a program came to the shell: its line is empty. */
async function expectEmptyLine(pane: Pane) {
  await pane.until((rows) => rows.filter((row) => row !== '').at(-1) === 'prompt>');
}

function damage(world: Machine, id: string) {
  const path = join(world.env.HOME ?? '', '.aurora', 'spawn', 'sessions', `${id}.jsonl`);
  const [first, second = '', ...rest] = readFileSync(path, 'utf8').split('\n');
  writeFileSync(path, [first, second.replace(/"type"/, '"tipe"'), ...rest].join('\n'));
}

describe('after a prompt', () => {
  verifies('R02', 'the live view and its inbox hear every key behind R/N/A, Ctrl+C included', async () => {
    await using world = await runWorld([HANG, ASKS]);
    const first = world.begin();
    await until(() => world.prompts().length === 1);
    first.child.kill('SIGINT');
    await first.ended;
    await using pane = await Pane.open(world);
    const isAsBefore = await rememberTerminal(pane, world);
    await pane.holdfast(RUN);
    await pane.until('[R]esume, [N]ew or [A]bort?');
    await pane.press('r', 'Enter');
    await pane.until('(press a)');
    await pane.press('a');
    await pane.until('Question 1 of 1: Numbers');
    await pane.type('2');
    await pane.press('Enter');
    await pane.until('Review');
    await pane.press('Enter');
    await pane.until(/^says +I work\./m);
    await pane.press('p');
    await pane.until('paused     requested');
    await pane.press('C-c');
    expect(await pane.exitCode()).toBe(130);
    await expectEmptyLine(pane);
    await isAsBefore('Ctrl+C in the live view');
  });

  verifies('R02', 'the live view hears every key behind the question about a dirty tree', async () => {
    await using world = await runWorld([HANG]);
    const git = (...args: string[]) => execFileSync('git', args, { cwd: world.project, env: world.env });
    git('init', '-q');
    world.put('notes.txt', 'mine');
    await using pane = await Pane.open(world);
    const isAsBefore = await rememberTerminal(pane, world);
    await pane.holdfast(RUN);
    await pane.until(/Start anyway\?/);
    // What is typed ahead is for the view.
    await pane.press('y', 'Enter', 'p');
    await pane.until('paused     requested');
    await pane.press('C-c');
    expect(await pane.exitCode()).toBe(130);
    await expectEmptyLine(pane);
    await isAsBefore('Ctrl+C in the live view');
  });

  verifies('R02', 'the chat hears every key behind the question about a damaged file', async () => {
    await using world = await withPlayer([{ steps: [say('one')] }, { steps: [say('two')] }]);
    await world.run(['chat', '--agent', 'player', '--session', 'talk'], { input: 'first\n' });
    damage(world, 'talk');
    await using pane = await Pane.open(world);
    const isAsBefore = await rememberTerminal(pane, world);
    await pane.holdfast('chat --resume talk');
    await pane.until(/\[l\]eave\? *$/m);
    await pane.press('r', 'Enter');
    await pane.until(/^you>$/m);
    await pane.type('second');
    await pane.press('Enter');
    await pane.until(/context \d+ % full/);
    await pane.press('C-c');
    await pane.until('Ctrl+D or /exit leaves.');
    await pane.press('C-d');
    expect(await pane.exitCode()).toBe(0);
    await isAsBefore('Ctrl+D in the chat');
  });

  verifies('R02', 'Ctrl+C and SIGTERM leave a prompt, and the terminal is as before', async () => {
    await using world = await runWorld([HANG]);
    execFileSync('git', ['init', '-q'], { cwd: world.project, env: world.env });
    world.put('notes.txt', 'mine');
    await using pane = await Pane.open(world);
    const isAsBefore = await rememberTerminal(pane, world);
    await pane.run("printf '\\033[?2004l'");
    await pane.holdfast(RUN);
    await pane.until(/Start anyway\?/);
    await pane.press('C-c');
    expect(await pane.exitCode()).toBe(130);
    await pane.holdfast(RUN);
    await pane.until(/Start anyway\?/);
    process.kill(await pane.program(), 'SIGTERM');
    expect(await pane.exitCode()).toBe(143);
    await isAsBefore('a prompt that was left');
    expect(world.prompts()).toEqual([]);
  });
});

describe('the terminal', () => {
  const VIEWS: readonly [name: string, command: string, shown: RegExp][] = [
    ['the inbox', 'inbox', /waiting for you/],
    ['the chat', 'chat --agent player', /^you>$/m],
    ['the live view', RUN, /^says +I work\./m],
  ];

  for (const [name, command, shown] of VIEWS) {
    verifies('R02', `${name} puts it back after SIGTERM, and after SIGKILL at the next start`, async () => {
      await using world = await runWorld([HANG, { steps: [notDone] }]);
      await using pane = await Pane.open(world);
      const isAsBefore = await rememberTerminal(pane, world);
      await pane.holdfast(command);
      await pane.until(shown);
      process.kill(await pane.program(), 'SIGTERM');
      expect(await pane.exitCode()).toBe(143);
      await isAsBefore('SIGTERM');
      await pane.holdfast(command === RUN ? `${RUN} --new` : command);
      await pane.until(shown);
      process.kill(await pane.program(), 'SIGKILL');
      const records = join(world.env.HOLDFAST_HOME ?? '', 'state', 'terminals');
      await until(() => existsSync(records) && readdirSync(records).length === 1);
      // The terminal is raw now: Enter would be no end of a line.
      await pane.type(`clear; ${pane.command('questions')}; echo 'it en''ded'`);
      await pane.press('C-j');
      await pane.until('Nothing is waiting for an answer.');
      // Node makes it raw once more when it ends: what is so before then is not what stays.
      await pane.until('it ended');
      const device = await pane.device();
      await until(() => / icanon/.test(execFileSync('stty', ['-F', device, '-a'], { encoding: 'utf8' })));
      await isAsBefore('SIGKILL and the next start');
      expect(readdirSync(records)).toEqual([]);
    });
  }
});
