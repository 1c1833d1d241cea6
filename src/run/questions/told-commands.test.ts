import { describe, expect, it } from 'vitest';
import type { PermissionRequest } from '../../agents/index.js';
import { typedCheck } from '../turn/checks.js';
import { changeCommands, isToldByRun } from './told-commands.js';

const SELF = { command: '/usr/bin/node', args: ["/opt/it's here/cli/holdfast.cjs"] };
const ELSEWHERE = `'/usr/bin/node' '/opt/it'\\''s here/cli/ralphtool.cjs'`;

describe('the commands of a change', () => {
  it('come with another way to start the program, for shells that do not find it', () => {
    expect(changeCommands(SELF).howTo).toContain(`write \`${ELSEWHERE}\` instead`);
    expect(changeCommands({ command: 'holdfast', args: [] }).howTo).not.toContain('instead');
  });

  it.each([
    'ralphtool agent context',
    'ralphtool agent status --story 2',
    'ralphtool agent task done 1.2',
    'ralphtool agent task done 1.1 && ralphtool agent task done 1.2',
    'ralphtool agent learn "It is slow; wait > 2 s & look!"',
    "ralphtool agent learn 'use `npm test` for $HOME' --task 1.2",
    `${ELSEWHERE} agent context`,
  ])('need no permission: %s', (command) => {
    expect(changeCommands(SELF).isTold(command)).toBe(true);
  });

  it.each([
    'ralphtool agent session flush',
    'ralphtool agent context; rm -rf /',
    'ralphtool agent context && rm -rf /',
    'ralphtool agent context | sh',
    'ralphtool agent context & true',
    'ralphtool agent context\nrm -rf /',
    'ralphtool agent context > /etc/passwd',
    'ralphtool agent learn "$(rm -rf /)"',
    'ralphtool agent learn "`rm -rf /`"',
    'ralphtool agent learn $(rm -rf /)',
    'ralphtool agent learn "a" "b\\" && rm -rf / "',
    "ralphtool agent learn 'a' '\\'' && rm -rf / '",
    'ralphtool agent learn <(rm -rf /)',
    'PATH=. ralphtool agent context',
    './ralphtool agent context',
    '/usr/bin/node /tmp/ralphtool.cjs agent context',
    'ralphtool agent contextual',
    'rm -rf / # ralphtool agent context',
    '',
  ])('need permission with anything else on the line: %s', (command) => {
    expect(changeCommands(SELF).isTold(command)).toBe(false);
  });
});

describe('what a run tells an agent to do', () => {
  const run = { checks: [typedCheck('npm test && npm run lint')], plan: {} };
  const asks = (command: unknown, kind: PermissionRequest['kind'] = 'execute'): PermissionRequest => ({
    id: '1',
    name: 'Bash',
    kind,
    title: 'npm test && npm run lint',
    input: { command },
  });

  it('is each check exactly as it is run, and what the plan says', () => {
    expect(isToldByRun(asks(' npm test && npm run lint\n'), run)).toBe(true);
    expect(isToldByRun(asks('npm test'), run)).toBe(false);
    expect(isToldByRun(asks('npm test && npm run lint; true'), run)).toBe(false);
    const plan = { isTold: (command: string) => command === 'tick' };
    expect(isToldByRun(asks('tick'), { ...run, plan })).toBe(true);
  });

  it('is no other tool, whatever it calls itself', () => {
    expect(isToldByRun(asks('npm test && npm run lint', 'fetch'), run)).toBe(false);
    expect(isToldByRun(asks(['npm test && npm run lint']), run)).toBe(false);
    expect(isToldByRun({ ...asks(''), input: null }, run)).toBe(false);
  });
});
