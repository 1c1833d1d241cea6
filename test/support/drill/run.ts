/*
 * Simulates the process of a leased run: one agent, started and ended as ours are, under the guard with the given pid.
 * Arguments: state directory, file of beats, epoch, pid of the guard, script of the agent.
 */
import { join } from 'node:path';
import { silentLogger, systemClock, systemIds } from '../../../src/foundation/index.js';
import { findProcess, ProgramRegistry, startProgram, watchGuard } from '../../../src/programs/index.js';
import { nodeFileSystem, ownIdentity } from '../../../src/storage/index.js';

const [state = '', file = '', epoch = '', guardPid = '', script = ''] = process.argv.slice(2);
const fileSystem = nodeFileSystem;
const identity = ownIdentity(fileSystem);
const log = silentLogger;
const registry = new ProgramRegistry({ fileSystem, ids: systemIds, log, identity }, join(state, 'programs'));
const guard = {
  pid: Number(guardPid),
  startTime: findProcess(fileSystem, Number(guardPid))?.startTime ?? '',
};
const watch = watchGuard({ fileSystem, guard, bootTimeMs: () => 0, deadlineMs: () => 1 });
if (!watch.signal.aborted) {
  const agent = await startProgram(
    { fileSystem, clock: systemClock, log, registry },
    {
      command: process.execPath,
      args: [script, file, epoch],
      workingDirectory: state,
      environment: process.env,
      input: 'closed',
      onLine: () => {},
      isAgent: true,
    },
  );
  const end = async () => {
    await agent.stop({ graceMs: 0, termMs: 0 });
    process.exit(1);
  };
  if (watch.signal.aborted) await end();
  watch.signal.addEventListener('abort', () => void end());
  // Only its guard ends it.
  setInterval(() => {}, 1_000);
}
