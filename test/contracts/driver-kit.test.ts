import { describe, expect, it } from 'vitest';
import { acpDriver } from '../../src/agents/acp/index.js';
import { claudeDriver } from '../../src/agents/claude/index.js';
import { codexDriver } from '../../src/agents/codex/index.js';
import type { AgentDriver } from '../../src/agents/driver.js';
import { lineDriver } from '../../src/agents/line/index.js';
import type { Protocol } from '../../src/agents/scripted/program/launch.js';
import { type DriverSetup, driverClauses, PROMPT_END, scriptedStart } from '../../src/testing/index.js';
import { scriptedProgram } from '../support/agents-scripted.js';
import { tempDir } from '../support/temp-dir.js';

const program = await scriptedProgram();

function setupOf(protocol: Protocol, driver: AgentDriver): DriverSetup {
  return { driver, prepare: (play, directory) => scriptedStart({ program, directory, protocol }, play) };
}

const SETUPS = [
  ['line', lineDriver({ promptTerminator: PROMPT_END })],
  ['claude', claudeDriver],
  ['codex', codexDriver],
  ['acp', acpDriver()],
] as const;

describe.concurrent.each(SETUPS)('the kit for drivers, with %s', (protocol, driver) => {
  for (const { name, run } of driverClauses(setupOf(protocol, driver)))
    it(name, async () => {
      await using dir = await tempDir();
      await run(dir.at('clause'));
    });
});

/** Our plain-lines driver with one thing broken. */
function broken(change: (driver: AgentDriver) => Partial<AgentDriver>): DriverSetup {
  const driver = lineDriver({ promptTerminator: PROMPT_END });
  return setupOf('line', { ...driver, start: driver.start.bind(driver), ...change(driver) });
}

describe.concurrent('the kit for drivers', () => {
  it('finds a driver that loses the end of an exchange', async () => {
    await using dir = await tempDir();
    const setup = broken((driver) => ({
      async start(tools, options) {
        const connection = await driver.start(tools, options);
        const prompt = async function* (text: string) {
          for await (const event of connection.prompt(text)) if (event.type !== 'turn-end') yield event;
        };
        const { capabilities, resumeHandle, pid, facts } = connection;
        const terminate = () => connection.terminate();
        return {
          capabilities,
          resumeHandle,
          pid,
          facts,
          prompt,
          cancel: async () => {},
          end: terminate,
          terminate,
        };
      },
    }));
    const [clause] = driverClauses(setup);
    await expect(clause?.run(dir.at('clause'))).rejects.toThrow('exactly one end');
  });

  it('leaves out what the driver says that it cannot do', () => {
    const names = (setup: DriverSetup) => driverClauses(setup).map(({ name }) => name);
    const all = names(setupOf('claude', claudeDriver));
    const fewer = names(setupOf('line', lineDriver({})));
    expect(all.filter((name) => !fewer.includes(name))).toEqual([
      'continues the conversation in a new process',
    ]);
  });
});
