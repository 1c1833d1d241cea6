import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { startProgram } from '../../../src/programs/index.js';
import { processFacts } from '../../support/processes.js';
import { programTools } from '../../support/program-world.js';
import { serve } from '../../support/worker-side.js';

const handlers = {
  /** Stops a program whose pid has meanwhile been given to a foreign process; reports whether that one is still alive. */
  async stopRecycled(directory: string): Promise<{ isRecycled: boolean; isForeignAlive: boolean }> {
    const program = await startProgram(programTools(directory), {
      command: 'sleep',
      args: ['1000'],
      workingDirectory: '/',
      environment: process.env,
      input: 'closed',
      onLine() {},
    });
    process.kill(program.pid, 'SIGKILL');
    await program.exited;
    const foreign = await takeNumber(program.pid);
    if (foreign === undefined) return { isRecycled: false, isForeignAlive: false };
    await program.stop({ graceMs: 0, termMs: 0 });
    const state = processFacts(program.pid)?.state;
    foreign.kill('SIGKILL');
    await once(foreign, 'exit');
    return { isRecycled: true, isForeignAlive: state !== undefined && state !== 'Z' };
  },
};
export type ProgramWorker = typeof handlers;

serve(handlers);

/** A foreign process with exactly this pid: the namespace is told which number to give out next. */
async function takeNumber(pid: number): Promise<ChildProcess | undefined> {
  for (let attempt = 0; attempt < 50; attempt++) {
    writeFileSync('/proc/sys/kernel/ns_last_pid', String(pid - 1));
    const child = spawn('sleep', ['1000'], { detached: true, stdio: 'ignore' });
    await once(child, 'spawn');
    if (child.pid === pid) return child;
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
  return undefined;
}
