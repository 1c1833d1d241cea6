import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { EVENTFUL, type EventfulRun, eventfulRun } from '../support/eventful-run.js';
import type { Json } from '../support/holdfast-binary.js';
import { type RunWorld, runWorld } from '../support/run-world.js';
import { verifies } from '../support/verifies.js';

describe('the report of a run with two questions, a breaker, a permission, a kill and a resume', () => {
  let world: RunWorld;
  let run: EventfulRun;

  beforeAll(async () => {
    world = await runWorld(EVENTFUL);
    run = await eventfulRun(world, world.project, 'player');
  });
  afterAll(() => world[Symbol.asyncDispose]());

  const reported = async () => (await world.asideJson(['report', run.id.slice(0, 8)])).data;

  verifies(
    'R09',
    'tells each iteration with its checks, files, prompt and cost, and what cut it short',
    async () => {
      const { iterations, version, status } = await reported();
      expect([version, status]).toEqual([1, 'completed']);
      expect(
        iterations.map(({ phase, iteration, end, testsAfter, used }: Json) => [
          `${phase} ${iteration}`,
          end,
          testsAfter === null ? null : testsAfter.passing,
          used.costUsd,
        ]),
      ).toEqual([
        ['RED 1', 'complete', 0, 0.24],
        ['GREEN 1', 'complete', 1, 0.31],
        ['GREEN 2', 'complete', 1, 0.11],
        ['GREEN 3', 'complete', 1, 0.11],
        ['GREEN 4', 'lost', null, expect.any(Number)],
        ['GREEN 4', 'complete', 3, 0.22],
        ['REFACTOR 1', 'complete', 3, 0.09],
        ['DOCUMENT 1', 'complete', 3, 0.08],
      ]);
      expect(iterations[1]).toMatchObject({
        verdict: 'not done: 1 of 3 tests pass',
        prompt: { characters: expect.any(Number), digest: expect.stringMatching(/^[0-9a-f]{12}$/) },
        testsBefore: { passing: 0, total: 3 },
        changed: { created: ['money.mjs'], modified: [], deleted: [] },
        checks: [{ command: 'node --test', exitCode: 1 }],
      });
      expect(iterations[1].said).toContain('does not give 0.3 yet');
      expect(iterations[5]).toMatchObject({ filesLeft: 1 });
    },
  );

  verifies(
    'R09',
    'tells who answered, who allowed, why the breaker opened, who died and who resumed',
    async () => {
      const report = await reported();
      expect(report.questions).toMatchObject([
        {
          title: 'Rounding',
          from: 'agent',
          isPermission: false,
          answeredBy: 'cli',
          answer: expect.stringContaining('The sum'),
        },
        { title: 'File name', answeredBy: 'cli' },
        { title: 'Breaker', from: 'run', answeredBy: 'cli' },
        { title: 'Permission', isPermission: true, answeredBy: 'cli' },
      ]);
      expect(report.permissions).toContainEqual(
        expect.objectContaining({
          what: expect.stringContaining('npm view decimal.js'),
          decision: 'allowed',
          by: 'cli',
        }),
      );
      expect(report.openings).toMatchObject([
        { phase: 'GREEN', reason: 'no progress in 2 iterations of GREEN', closedAt: expect.any(String) },
      ]);
      expect(report.processes).toMatchObject([
        { isResumed: false, actor: 'cli', end: null },
        { isResumed: true, actor: 'cli', end: { outcome: 'completed' } },
      ]);
      expect([report.waitedMs > 0, report.gaps]).toEqual([true, []]);
    },
  );

  verifies(
    'W06',
    '--html is one file of mode 0600 that is never replaced unasked; - is standard output',
    async () => {
      const path = join(world.project, 'out.html');
      expect(await world.aside(['report', '--html', 'out.html'])).toMatchObject({ code: 0 });
      const file = readFileSync(path, 'utf8');
      expect(file).toContain(
        `<meta http-equiv="Content-Security-Policy" content="default-src &#39;none&#39;; style-src &#39;unsafe-inline&#39;; img-src data:">`,
      );
      expect(file).not.toMatch(/<script|<link|<img|<iframe|href=|src=|https?:|\bon\w+=/);
      expect(file).toMatch(/Answered after [^<]+, at the command line</);
      expect(statSync(path).mode & 0o777).toBe(0o600);
      expect(await world.aside(['report', '--html', 'out.html'])).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('out.html already exists'),
      });
      writeFileSync(path, 'mine');
      expect(await world.aside(['report', '--html', 'out.html', '--force'])).toMatchObject({ code: 0 });
      expect(readFileSync(path, 'utf8')).toContain('docs/prps/money.md');
      const { stdout } = await world.aside(['report', '--html', '-']);
      expect(stdout).toContain('<!doctype html>');
      expect((await world.aside(['report', '--html', 'x.html', '--md'])).code).toBe(2);
      rmSync(path);
    },
  );

  verifies('W06', '--md says the same in words that a pull request shows', async () => {
    const { stdout } = await world.aside(['report', '--md']);
    expect(stdout).toMatch(/^## ✓ Completed: `docs\/prps\/money\.md`\n/);
    expect(stdout).toContain('| GREEN | 4 | done |');
    expect(stdout).toMatch(
      /\n {2}- Answered after .*, at the command line: `The sum, and in their own words: 'as the tax office wants it'`/,
    );
    expect(stdout).toContain('`The breaker opened in GREEN: no progress in 2 iterations of GREEN`');
  });

  verifies('W06', 'of a run whose project is gone tells what is kept elsewhere, and says so', async () => {
    const away = `${world.project}-away`;
    renameSync(world.project, away);
    mkdirSync(world.dir.at('elsewhere'), { recursive: true });
    const cwd = world.dir.at('elsewhere');
    try {
      const { code, data } = await world.asideJson(['report', run.id.slice(0, 6)], { cwd });
      expect(code).toBe(0);
      expect(data).toMatchObject({ status: 'completed', files: null, project: { isThere: false } });
      expect(data.gaps.map(({ kind }: { kind: string }) => kind)).toEqual(['project-gone']);
      expect(data.iterations).toHaveLength(8);
      expect(data.questions).toHaveLength(4);
      expect((await world.aside(['report', run.id, '--md'], { cwd })).stdout).toContain(
        '> The project is gone, and with it',
      );
    } finally {
      renameSync(away, world.project);
    }
  });

  verifies('W06', 'of a journal with damaged lines tells the rest, and says so', async () => {
    const journal = join(world.env.HOLDFAST_HOME ?? '', 'state', 'runs', run.id, 'events.jsonl');
    const text = readFileSync(journal, 'utf8').split('\n');
    const at = text.findIndex((line) => line.includes('"type":"iteration-end"'));
    text[at] = `${text[at]?.slice(0, 40)}#${text[at]?.slice(41)}`;
    writeFileSync(journal, text.join('\n'));
    const { data } = await world.asideJson(['report']);
    expect(data.gaps).toMatchObject([{ kind: 'journal-damaged' }]);
    expect(data.iterations).toHaveLength(8);
    expect(data.iterations[0]).toMatchObject({ end: 'lost' });
  });
});
