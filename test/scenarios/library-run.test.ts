import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { Holdfast } from '../../src/app/holdfast.js';
import { createServices } from '../../src/app/services.js';
import { DIST, HOLDFAST, type Json } from '../support/holdfast-binary.js';
import { CHECK, living, PLAN, type RunWorld, runWorld, WHOLE_WAY } from '../support/run-world.js';

/** A program that uses the library as built; what it prints as JSON is returned. */
async function program(world: RunWorld, text: string): Promise<Json> {
  const path = world.dir.at('program.mjs');
  writeFileSync(path, text);
  const { stdout } = await promisify(execFile)(process.execPath, [path], {
    env: world.env,
    cwd: world.project,
  });
  return JSON.parse(stdout);
}

const OPTIONS = JSON.stringify({
  plan: { prp: PLAN },
  agent: 'player',
  verify: [CHECK],
  holdfast: { command: process.execPath, args: [HOLDFAST] },
});
const INDEX = join(DIST, 'lib', 'index.js');

describe('a run from a program', () => {
  it('works through the plan, tells what happens, and goes on where it was stopped', async () => {
    await using world = await runWorld(WHOLE_WAY);
    const first = await program(
      world,
      `import { openRun } from ${JSON.stringify(INDEX)};
      const run = openRun(${OPTIONS});
      const stop = new AbortController();
      const types = new Set();
      const onEvent = (event) => {
        types.add(event.type);
        if (event.type === 'iteration-end') stop.abort();
      };
      const end = await run.start({ onEvent, signal: stop.signal });
      console.log(JSON.stringify({ end, types: [...types], checks: run.checks, found: run.detection.found }));`,
    );
    expect(first).toMatchObject({
      end: { outcome: 'interrupted' },
      checks: [CHECK],
      found: false,
      types: expect.arrayContaining(['run-start', 'iteration-start', 'agent', 'verify-end', 'run-end']),
    });
    expect(world.state()).toMatchObject({ status: 'suspended', usage: { iterations: 1 } });
    const second = await program(
      world,
      `import { openRun } from ${JSON.stringify(INDEX)};
      const run = openRun(${OPTIONS});
      console.log(JSON.stringify({ action: run.detection.action, end: await run.start() }));`,
    );
    expect(second).toEqual({ action: 'offer_resume', end: { outcome: 'completed', reason: null } });
    expect(world.prompts()).toHaveLength(WHOLE_WAY.length);
    expect(living(world.dir.at('script.json'))).toEqual([]);
  });

  it('is refused, by code, where it could not work', async () => {
    await using world = await runWorld(WHOLE_WAY);
    const codes = await program(
      world,
      `import { openRun } from ${JSON.stringify(INDEX)};
      const codeOf = (change) => {
        try {
          openRun({ ...${OPTIONS}, ...change });
        } catch (error) {
          return error.code;
        }
      };
      console.log(JSON.stringify([
        codeOf({ plan: { prp: 'none.md' } }),
        codeOf({ agent: 'nobody' }),
        codeOf({ permissions: 'ask' }),
        codeOf({ verify: [] }),
      ]));`,
    );
    expect(codes).toEqual(['PLAN_NOT_FOUND', 'AGENT_UNKNOWN', 'INVALID_INPUT', 'NO_CHECKS']);
  });
});

describe('a run of a long-lived Holdfast', () => {
  it('is stopped and waited for when that is disposed of, and can be resumed', async () => {
    await using world = await runWorld(WHOLE_WAY);
    const holdfast = new Holdfast(
      createServices({
        environment: world.env,
        workingDirectory: world.dir.path,
        command: 'a page',
        self: { command: process.execPath, args: [HOLDFAST] },
      }),
    );
    const run = holdfast
      .project(world.project)
      .run({ plan: { prp: PLAN }, agent: 'player', verify: [CHECK] });
    let ended: ReturnType<typeof run.start> | undefined;
    await new Promise<void>((resolve) => {
      ended = run.start({ onEvent: ({ type }) => (type === 'iteration-end' ? resolve() : undefined) });
    });
    await holdfast[Symbol.asyncDispose]();
    expect(world.state()).toMatchObject({ status: 'suspended', usage: { iterations: 1 } });
    expect(await ended).toMatchObject({ outcome: 'interrupted' });
    expect(living(world.dir.at('script.json'))).toEqual([]);
  });
});

describe('a driver from a program', () => {
  it('talks to the agent program that comes along', async () => {
    await using world = await runWorld([]);
    const said = await program(
      world,
      `import { claudeDriver, openDriverTools, scriptedAgent } from ${JSON.stringify(join(DIST, 'lib', 'agents.js'))};
      const tools = openDriverTools({ programs: ${JSON.stringify(world.dir.at('programs'))} });
      const connection = await claudeDriver.start(tools, {
        command: process.execPath,
        args: [scriptedAgent, '--protocol', 'claude'],
        workingDirectory: process.cwd(),
        environment: process.env,
        permissions: { mode: 'edits', ask: async () => false },
        mcpServers: [],
      });
      const events = [];
      for await (const event of connection.prompt('hello')) events.push(event.type);
      await connection.end();
      console.log(JSON.stringify(events));`,
    );
    expect(said).toContain('text');
    expect(said.at(-1)).toBe('turn-end');
  });
});
