import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { until } from '../../test/support/processes.js';
import { nodeFileSystem } from '../storage/index.js';
import { ANSWERED_THERE, followAgent } from './agent-signs.js';

describe('the signs of an agent', () => {
  const asked = (command: string) => ({
    agent: 'claude' as const,
    tool: { name: 'Bash', input: { command } },
  });

  it('say that the command is already running, however the shell quotes it', async () => {
    const command = `sleep 100 # it's "quoted"`;
    const signs = followAgent(nodeFileSystem, asked(command), process.pid);
    expect(signs.read()).toBeUndefined();
    const quoted = `'${command.replaceAll("'", `'"'"'`)}'`;
    const child = spawn('sh', ['-c', `eval ${quoted}; true`], { stdio: 'ignore' });
    try {
      await until(() => signs.read() !== undefined);
      expect(signs.read()).toBe(ANSWERED_THERE);
    } finally {
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
    expect(signs.read()).toBeUndefined();
  });

  it('do not count what ran before the agent asked', async () => {
    const child = spawn('sleep', ['100.25'], { stdio: 'ignore' });
    await once(child, 'spawn');
    const signs = followAgent(nodeFileSystem, asked('sleep 100.25'), process.pid);
    expect(signs.read()).toBeUndefined();
    child.kill('SIGKILL');
    await once(child, 'exit');
  });
});
