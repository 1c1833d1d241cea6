import { readFileSync, writeFileSync } from 'node:fs';
import type { AgentConnection, AgentDriver, DriverTools, StartOptions } from '../../src/agents/driver.js';
import type { AgentEvent } from '../../src/agents/events.js';
import { systemClock, systemIds } from '../../src/foundation/index.js';
import { programTools } from './program-world.js';
import { type TempDir, tempDir } from './temp-dir.js';

/** A driver and the test's own program that plays the agent. */
export interface FakeAgent extends AsyncDisposable {
  readonly dir: TempDir;
  readonly tools: DriverTools;
  start(overrides?: Partial<StartOptions>): Promise<AgentConnection>;
  /** What the program recorded with `note(value)`, in order. */
  notes(): unknown[];
}

/**
 * Writes the program (the body of a Node script with `say(...lines)`, `note(value)`, `hear(onMessage)` and `wait()`)
 * and starts drivers against it. `fastMs` are waits that pass at once.
 */
export async function fakeAgent(
  driver: AgentDriver,
  body: string,
  options: { fastMs?: readonly number[] } = {},
): Promise<FakeAgent> {
  const dir = await tempDir({ isInMemory: true });
  writeFileSync(dir.at('agent.cjs'), PRELUDE + body);
  writeFileSync(dir.at('notes'), '');
  const clock = {
    ...systemClock,
    sleep: (ms: number, signal?: AbortSignal) =>
      systemClock.sleep(options.fastMs?.includes(ms) ? 30 : ms, signal),
  };
  const tools = { ...programTools(dir.at('programs'), { clock }), clock, ids: systemIds };
  const started: AgentConnection[] = [];
  return {
    dir,
    tools,
    async start(overrides) {
      const connection = await driver.start(tools, {
        command: process.execPath,
        args: [dir.at('agent.cjs')],
        workingDirectory: dir.path,
        environment: { PATH: process.env.PATH, NOTES: dir.at('notes') },
        permissions: { mode: 'edits' },
        mcpServers: [],
        ...overrides,
      });
      started.push(connection);
      return connection;
    },
    notes: () =>
      readFileSync(dir.at('notes'), 'utf8')
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as unknown),
    async [Symbol.asyncDispose]() {
      for (const connection of started) await connection.terminate();
      await dir[Symbol.asyncDispose]();
    },
  };
}

/** All events of one exchange. */
export async function collect(events: AsyncIterable<AgentEvent>): Promise<AgentEvent[]> {
  const collected: AgentEvent[] = [];
  for await (const event of events) collected.push(event);
  return collected;
}

const PRELUDE = `
const { appendFileSync } = require('node:fs');
const say = (...lines) => {
  for (const line of lines) process.stdout.write((typeof line === 'string' ? line : JSON.stringify(line)) + '\\n');
};
const note = (value) => appendFileSync(process.env.NOTES, JSON.stringify(value) + '\\n');
const hear = (onMessage) =>
  require('node:readline')
    .createInterface({ input: process.stdin })
    .on('line', (line) => onMessage(JSON.parse(line)))
    .on('close', () => process.exit(0));
const wait = () => setInterval(() => {}, 1000);
`;
