import { existsSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { PermissionRequest } from '../../src/agents/permission.js';
import { converse, eventually, Following } from '../support/agents.js';
import type { Habits } from './habits.js';
import type { RealAgent } from './real-agents.js';
import { itDrives } from './stage.js';

const WRITE = { action: 'write_file', path: '{{cwd}}/made.txt', content: 'made\n' } as const;
/** It takes a moment: Codex does not always tell of a command that is over at once. */
const RUN = {
  action: 'bash',
  command: 'touch "{{cwd}}/ran" "{{outside}}/ran"; code=$?; sleep 0.5; exit $code',
} as const;
const TURNS = [{ toolCalls: [WRITE] }, { toolCalls: [RUN] }, { text: 'Done.' }];

const OUT_OF_REACH = [
  '{{outside}}/elsewhere.txt',
  '{{cwd}}/way-out/linked.txt',
  '{{cwd}}/.git/hooks/pre-commit',
];
/** One with a sandbox does not ask about its working directory: these it guards not at all (decision 0101). */
const SETTINGS = ['{{cwd}}/.claude/settings.json', '{{cwd}}/.gemini/settings.json', '{{cwd}}/sub/.mcp.json'];

/** By real path, whatever the agent's own mode would let through. */
export function describeEdits(agent: RealAgent, places: readonly string[]): void {
  const wanted = ['{{cwd}}/src/made.ts', ...places];
  const writes = wanted.map((path) => ({ toolCalls: [{ ...WRITE, path }] }));
  itDrives(
    agent,
    'R12: edits the project, and neither what is outside of it nor what is guarded in it',
    [...writes, { text: 'Done.' }],
    async ({ start, world, outside }) => {
      symlinkSync(outside, join(world.workingDirectory, 'way-out'));
      mkdirSync(join(world.workingDirectory, '.git', 'hooks'), { recursive: true });
      const turn = await converse(await start({ permissions: { mode: 'edits' } }), 'do it');
      expect(turn.reason).toBe('completed');
      const there = wanted.filter((path) =>
        existsSync(path.replace('{{cwd}}', world.workingDirectory).replace('{{outside}}', outside)),
      );
      expect(there).toEqual(['{{cwd}}/src/made.ts']);
    },
  );
}

/** What a person says with a denial is in what the model is asked next. */
export function describeWords(agent: RealAgent): void {
  const replies = [{ toolCalls: [RUN] }, { text: 'One.' }, { text: 'Two.' }, { text: 'Three.' }];
  itDrives(agent, 'R12: is told what a person says with a denial', replies, async ({ start, model }) => {
    const ask = async () => ({ isAllowed: false, message: 'Use wget, not curl' });
    const connection = await start({ permissions: { mode: 'ask', ask } });
    await converse(connection, 'do it');
    if (agent.driver.name === 'acp') await converse(connection, 'go on');
    expect(model.requests().at(-1)?.lacks(['The person says: Use wget, not curl'])).toEqual([]);
  });
}

/** What an agent may do. */
export function describePermissions(agent: RealAgent, { hasSandbox, hidesDeniedCalls }: Habits): void {
  itDrives(agent, 'may do everything when nothing is asked', TURNS, async ({ start, world, outside }) => {
    const turn = await converse(await start({ permissions: { mode: 'bypass' } }), 'do it');
    expect(turn.reason).toBe('completed');
    expect(turn.of('permission')).toEqual([]);
    expect(existsSync(join(world.workingDirectory, 'made.txt'))).toBe(true);
    expect(existsSync(join(world.workingDirectory, 'ran'))).toBe(true);
    expect(existsSync(join(outside, 'ran'))).toBe(true);
  });

  itDrives(
    agent,
    'may edit but not run when edits are accepted',
    TURNS,
    async ({ start, world, outside }) => {
      const turn = await converse(await start({ permissions: { mode: 'edits' } }), 'do it');
      expect(turn.reason).toBe('completed');
      expect(turn.text).toContain('Done.');
      expect(existsSync(join(world.workingDirectory, 'made.txt'))).toBe(true);
      expect(existsSync(join(outside, 'ran'))).toBe(false);
      const results = turn.of('tool-result').map(({ isError }) => isError);
      expect(results).toEqual(hidesDeniedCalls ? [false] : [false, true]);
      if (hasSandbox) expect(turn.of('permission')).toEqual([]);
      else
        expect(turn.of('permission').filter(({ decision }) => decision === 'denied')).toMatchObject([
          { kind: 'execute' },
        ]);
    },
  );

  if (!agent.driver.capabilities.asksPermission) return;
  describeEdits(agent, hasSandbox ? OUT_OF_REACH : [...OUT_OF_REACH, ...SETTINGS]);
  describeWords(agent);
  for (const isAllowed of [true, false]) {
    const what = isAllowed ? 'allowed' : 'denied';
    itDrives(agent, `asks, and does what is ${what}`, TURNS, async ({ start, world, outside }) => {
      const asked: PermissionRequest[] = [];
      const ask = async (request: PermissionRequest) => {
        asked.push(request);
        return isAllowed;
      };
      const turn = await converse(await start({ permissions: { mode: 'ask', ask } }), 'do it');
      expect(turn.text).toContain('Done.');
      expect(asked).toMatchObject([
        { kind: 'edit', title: expect.stringContaining('made.txt') },
        { kind: 'execute', title: expect.stringContaining('touch') },
      ]);
      expect(turn.of('permission').map(({ decision, by }) => [decision, by])).toEqual(
        Array(2).fill([what, 'a person']),
      );
      const isHidden = hidesDeniedCalls && !isAllowed;
      const results = turn.of('tool-result').map(({ isError }) => isError);
      expect(results).toEqual(isHidden ? [] : [!isAllowed, !isAllowed]);
      expect(existsSync(join(world.workingDirectory, 'made.txt'))).toBe(isAllowed);
      expect(existsSync(join(outside, 'ran'))).toBe(isAllowed);
    });
  }
  itDrives(agent, 'ends as cancelled while it asks, and does nothing', TURNS, async ({ start, world }) => {
    let isAsked = false;
    const ask = () => {
      isAsked = true;
      return new Promise<boolean>(() => {});
    };
    const connection = await start({ permissions: { mode: 'ask', ask } });
    const turn = new Following(connection.prompt('do it'));
    await eventually(() => isAsked);
    await connection.cancel();
    expect((await turn.end()).reason).toBe('cancelled');
    expect(existsSync(join(world.workingDirectory, 'made.txt'))).toBe(false);
  });
}
