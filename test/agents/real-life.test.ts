import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'vitest';
import { agentPaths } from '../../scripts/agents-cache.mjs';
import type { ModelTurn, Script } from '../support/fake-model/server.mjs';
import { HOLDFAST, type Machine, machine } from '../support/holdfast-binary.js';
import { Pane } from '../support/tmux.js';
import { itTries } from './it-tries.js';
import { prepare, REAL_AGENTS, type RealAgent } from './real-agents.js';
import { answers, asks, DONE, interrupted, prompts, script, writes } from './run-plays.js';
import { type StandIn, standIn } from './stand-in.js';

type Environment = Readonly<Record<string, string | undefined>>;

const PLAN = 'docs/prps/freeze.md';
const CHECK = "npx tape 'test/**/*.js'";
/** An agent may take its time on a busy machine. */
const PHASES = ['RED', 'GREEN', 'REFACTOR', 'DOCUMENT'] as const;
const QUESTION = {
  title: 'Depth',
  prompt: 'Should objects inside the result be frozen, too?',
  options: [{ label: 'Only the result' }, { label: 'All of them' }],
};
const TEXT = `# Frozen results

## Goal

Callers want a result that nobody changes by accident.

## Success Criteria

- [ ] With \`freeze: true\` the returned object is frozen
- [ ] Without the option nothing changes: the result stays as it was
- [ ] The README describes the option
`;
const TESTS = `'use strict';

var parse = require('../');
var test = require('tape');

test('freeze: true freezes the result', function (t) {
	t.ok(Object.isFrozen(parse(['--a', '1'], { freeze: true })));
	t.end();
});

test('without freeze nothing changes', function (t) {
	t.notOk(Object.isFrozen(parse(['--a', '1'])));
	t.end();
});
`;

/**
 * What a newcomer does on the first evening, word for word as the README has it, in a project that nobody here wrote: sets
 * the agent up, leaves it alone with a plan, answers its question from another terminal, and loses the run to kill -9 in
 * every phase.
 */
for (const agent of Object.values(REAL_AGENTS)) {
  itTries(
    [agent.name, 'minimist'],
    `a newcomer leaves the real ${agent.name} alone with a plan, and kill -9 in every phase loses nothing`,
    async () => {
      await using pc = await machine();
      await using model = await standIn(play(), { cwd: pc.project });
      const env = atHome(pc, agent, model);
      makeProject(pc, env);
      await using pane = await Pane.open(pc, { columns: 140, rows: 40, env, shell: 'bash --norc' });

      await pane.run(`holdfast setup ${agent.name} --write; echo "exit code $?"`);
      expect(await pane.exitCode()).toBe(0);

      const command = `holdfast run ${PLAN} --agent ${agent.name} --verify "${CHECK}"`;
      await pane.run(`clear; ${command}`);
      await pane.until(/question +Should objects inside/);
      const answered = await answerElsewhere(pc, env);
      await pane.until(/question \w+ was answered/);

      for (const phase of PHASES) {
        await stallsIn(model, phase, pane);
        process.kill(await pane.program(), 'SIGKILL');
        await pane.until(/^Killed/m);
        await pane.run(`clear; ${command}; echo "exit code $?"`);
        const prompt = new RegExp(`Phase: +${phase} [^]*\\[R\\]esume, \\[N\\]ew or \\[A\\]bort\\?$`);
        await pane.until((rows) => prompt.test(rows.join('\n').trimEnd()));
        // Whatever the view had switched off is on again.
        expect(await pane.facts()).toMatchObject({ isCursorShown: true, isWrapping: true });
        // The view hears every key after the prompt, also those that come before it is there.
        await pane.press('R', 'Enter', '?');
        await pane.until(/s stops so that it can be resumed/);
        await pane.press('?');
        await pane.until(/\? keys|^exit code/m);
      }
      const code = await pane.exitCode();
      const screen = (await pane.history()).trim();
      expect(code, screen).toBe(0);
      // The prompt of the shell may not be there yet.
      const [, end = ''] = /^completed$([\s\S]*?)^exit code/m.exec(screen) ?? [];
      expect(end.trim().split('\n').map(withoutFigures)).toEqual([
        'files         3 changed, +17 −1',
        '              README.md +1 −0',
        '              index.js +2 −1',
        '              test/freeze.js +14 −0',
        'tests         155 of 155 passed, before the run 153 of 153 passed',
        'time          N, of which N of work in 4 iterations',
        'cost          $N; tokens: N',
        `questions     ${answered} (${agent.name}) Depth: ${QUESTION.prompt} → Only the result (by cli)`,
        'next          git status · git diff · holdfast report',
      ]);

      const { data: report } = await pc.json(['report'], { env });
      expect(report).toMatchObject({ status: 'completed', denials: [], errors: [] });
      expect(report.phases).toMatchObject(PHASES.map((name) => ({ name, iterations: 1, filesChanged: 1 })));
      const told = model.requests().filter((request) => request.lacks(['Only the result']).length === 0);
      expect(told).not.toEqual([]);
      expect(readFileSync(join(pc.project, 'index.js'), 'utf8')).toContain('Object.freeze(argv)');
      expect(readFileSync(join(pc.project, 'README.md'), 'utf8')).toContain('opts.freeze');
      expect((await pc.json(['questions'], { env })).data).toEqual([]);
    },
    { isConcurrent: true, timeoutMs: 280_000 },
  );
}

/** Times and sums differ from agent to agent; that they are told is what counts here. */
function withoutFigures(line: string): string {
  if (!/^(time|cost) /.test(line)) return line;
  return line.replace('≈ ', '').replaceAll(/\d[\d.]*( (s|min))?(?=,| of work|;|$)/g, 'N');
}

/** Each phase is done in files, and its answer stalls until the run is killed; asked again it is short. */
function play(): Script {
  const { tests, code, tidy, words } = work();
  const stalled: ModelTurn = { ...DONE, chunkChars: 8, fault: { type: 'stall' } };
  return script(
    ...answers(interrupted('RED'), DONE),
    ...answers(prompts('RED'), asks(QUESTION), ...tests, stalled),
    ...answers(interrupted('GREEN'), DONE),
    ...answers(prompts('GREEN'), ...code, stalled),
    ...answers(interrupted('REFACTOR'), DONE),
    ...answers(prompts('REFACTOR'), ...tidy, stalled),
    ...answers(interrupted('DOCUMENT'), DONE),
    ...answers(prompts('DOCUMENT'), ...words, stalled),
  );
}

/** What it does in each phase, reply by reply. It reads what it writes anew: some agents insist on that. */
function work(): Readonly<Record<'tests' | 'code' | 'tidy' | 'words', readonly ModelTurn[]>> {
  const original = source('index.js');
  const frozen = original.replace(
    '\treturn argv;\n};',
    '\treturn opts.freeze ? Object.freeze(argv) : argv;\n};',
  );
  const tidied = frozen.replace(
    '\treturn opts.freeze',
    '\t// On request nobody can change it.\n\treturn opts.freeze',
  );
  const readme = source('README.md').replace(
    '* `opts.unknown`',
    '* `opts.freeze` - freeze the result\n* `opts.unknown`',
  );
  const reads = (path: string): ModelTurn => ({
    toolCalls: [{ action: 'read_file', path: `{{cwd}}/${path}` }],
  });
  return {
    tests: [writes({ '{{cwd}}/test/freeze.js': TESTS })],
    code: [reads('index.js'), writes({ '{{cwd}}/index.js': frozen })],
    tidy: [reads('index.js'), writes({ '{{cwd}}/index.js': tidied })],
    words: [reads('README.md'), writes({ '{{cwd}}/README.md': readme })],
  };
}

function cached(): string {
  return dirname(dirname(agentPaths().minimist?.command ?? ''));
}

function source(path: string): string {
  return readFileSync(join(cached(), 'minimist', path), 'utf8');
}

/** The package as it was published, under git, with what runs its tests, and the newcomer's plan. */
function makeProject(pc: Machine, env: Environment): void {
  cpSync(join(cached(), 'minimist'), pc.project, { recursive: true });
  cpSync(cached(), join(pc.project, 'node_modules'), { recursive: true, verbatimSymlinks: true });
  writeFileSync(join(pc.project, '.gitignore'), 'node_modules\n');
  mkdirSync(join(pc.project, dirname(PLAN)), { recursive: true });
  writeFileSync(join(pc.project, PLAN), TEXT);
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=n', '-c', 'user.email=n@example.com', ...args], {
      cwd: pc.project,
      env,
    });
  git('init', '--quiet');
  git('add', '.');
  git('commit', '--quiet', '-m', 'as published');
}

/** A fresh home in which the agent knows the stand-in, and `holdfast` and the agent are on the path. */
function atHome(pc: Machine, agent: RealAgent, model: StandIn): Environment {
  const home = pc.env.HOME ?? '';
  const { command, environment } = prepare(agent, { home, baseUrl: model.url });
  const programs = pc.dir.at('bin');
  mkdirSync(programs);
  symlinkSync(HOLDFAST, join(programs, 'holdfast'));
  symlinkSync(command, join(programs, agent.name));
  return { ...environment, ...pc.env, HOLDFAST_HOME: undefined, PATH: `${programs}:${pc.env.PATH}` };
}

/** Another terminal: looks at what waits, and answers it by the beginning of its id. */
async function answerElsewhere(pc: Machine, env: Environment): Promise<string> {
  const { stdout } = await pc.run(['questions'], { env });
  const [, id = ''] = /^(\w{8}) +pending .*inside the result/m.exec(stdout) ?? expect.fail(stdout);
  const answer = await pc.run(['answer', id, '--option', 'Only the result'], { env });
  expect(answer.code, answer.stderr).toBe(0);
  return id;
}

/** The model has begun to answer in this phase and says nothing more. */
async function stallsIn(model: StandIn, phase: string, pane: Pane): Promise<void> {
  const isSo = () => {
    const last = model.requests().at(-1);
    return (
      last?.fault === 'stall' &&
      (last.matches(new RegExp(`Iteration \\d+ of ${phase}, begun`, 'g')).length ?? 0) > 0
    );
  };
  await pane.until(isSo);
}
