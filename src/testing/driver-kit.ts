import { join } from 'node:path';
import type { AgentConnection, AgentDriver, DriverTools, StartOptions } from '../agents/driver.js';
import type { AgentEvent, TurnEndReason } from '../agents/events.js';
import { isHoldfastError } from '../foundation/index.js';
import { ProgramRegistry } from '../programs/index.js';
import { ensureDirectory, listDirectory, systemTools } from '../storage/index.js';
import type { ScriptedPlay, ScriptedTurn } from './scripted-agent.js';

/** A driver to check against the contract, and how to make the agent behind it play a script. */
export interface DriverSetup {
  readonly driver: AgentDriver;
  /**
   * Makes the agent play a script and returns how to start it: `scriptedStart` does both if the driver speaks a protocol
   * of the scripted agent. `directory` belongs to this clause alone.
   */
  prepare(
    play: ScriptedPlay,
    directory: string,
  ): Pick<StartOptions, 'command' | 'args' | 'environment' | 'workingDirectory'>;
}

/** One promise that every driver must keep. `run` rejects if the driver breaks it. */
export interface DriverClause {
  readonly name: string;
  /** `directory` must be empty or missing, and different for each clause. */
  run(directory: string): Promise<void>;
}

/**
 * The contract of drivers, clause by clause, for any test runner. Clauses that the driver's capabilities exclude are left
 * out. After each clause, no program that it started may still be running.
 */
export function driverClauses(setup: DriverSetup): DriverClause[] {
  const { capabilities } = setup.driver;
  return CLAUSES.filter(({ isFor }) => isFor?.(capabilities) ?? true).map(({ name, prove }) => ({
    name,
    run: (directory) => onStage(setup, directory, prove),
  }));
}

/** What a clause works with. */
interface Stage {
  start(turns: readonly ScriptedTurn[], overrides?: Partial<StartOptions>): Promise<AgentConnection>;
}

interface Clause {
  readonly name: string;
  readonly isFor?: (capabilities: AgentDriver['capabilities']) => boolean;
  prove(stage: Stage): Promise<void>;
}

const CLAUSES: readonly Clause[] = [
  {
    name: 'yields what the agent says, and exactly one end as the last event',
    async prove(stage) {
      const connection = await stage.start([[{ say: 'Hello.' }]]);
      const events = await all(connection.prompt('hello'));
      claim(textOf(events).includes('Hello.'), 'the text is in the events');
      claim(endsOf(events).join() === 'completed', 'there is exactly one end: completed');
      claim(events.at(-1)?.type === 'turn-end', 'the end is the last event');
    },
  },
  {
    name: 'takes one prompt after another in the same conversation',
    async prove(stage) {
      const connection = await stage.start([[{ say: 'one' }], [{ say: 'two: {{earlier}}' }]]);
      await all(connection.prompt('The word is anchor'));
      const second = textOf(await all(connection.prompt('Which word?')));
      claim(second.includes('two'), 'the second prompt gets the second turn');
      claim(second.includes('The word is anchor'), 'the agent remembers the first prompt');
    },
  },
  {
    name: 'passes a prompt of several lines, with characters of every kind, unchanged',
    async prove(stage) {
      const connection = await stage.start([[{ say: '{{prompt}}' }]]);
      const prompt = 'first\nsecond: äöü € 🪢 \u2028 "quoted" \\ end';
      const said = textOf(await all(connection.prompt(prompt)));
      claim(said.includes(prompt), 'the agent got what was sent');
    },
  },
  {
    name: 'refuses a second prompt while one is running',
    async prove(stage) {
      const connection = await stage.start([[{ say: 'working' }, { hang: true }]]);
      const events = connection.prompt('work')[Symbol.asyncIterator]();
      await events.next();
      await rejectsWith('AGENT_BUSY', () => all(connection.prompt('and this')));
      await connection.cancel();
      for (let next = await events.next(); next.done !== true; ) next = await events.next();
    },
  },
  {
    name: 'ends a cancelled exchange as cancelled, and only that one',
    async prove(stage) {
      const connection = await stage.start([[{ say: 'working' }, { hang: true }]]);
      const events: AgentEvent[] = [];
      for await (const event of connection.prompt('work')) {
        events.push(event);
        if (event.type === 'text') await connection.cancel();
      }
      claim(endsOf(events).join() === 'cancelled', 'the end is: cancelled');
    },
  },
  {
    name: 'ends an exchange as died when the agent does, and refuses the next prompt',
    async prove(stage) {
      const connection = await stage.start([[{ say: 'so far' }, { crash: true }]]);
      const events = await all(connection.prompt('work'));
      claim(textOf(events).includes('so far'), 'what was said before is kept');
      claim(endsOf(events).join() === 'died', 'the end is: died');
      if (connection.capabilities.conversation === 'live')
        await rejectsWith('AGENT_ENDED', () => all(connection.prompt('more')));
    },
  },
  {
    name: 'keeps reading after bytes that are not a message',
    async prove(stage) {
      const connection = await stage.start([[{ garbage: '}{ no message\n' }, { say: 'still here' }]]);
      const events = await all(connection.prompt('work'));
      claim(textOf(events).includes('still here'), 'what comes after it is read');
      claim(endsOf(events).join() === 'completed', 'the end is: completed');
    },
  },
  {
    name: 'continues the conversation in a new process',
    isFor: ({ resume }) => resume === 'exact',
    async prove(stage) {
      const turns: ScriptedTurn[] = [[{ say: 'one' }], [{ say: 'known: {{earlier}}' }]];
      const first = await stage.start(turns);
      await all(first.prompt('The word is anchor'));
      const resume = first.resumeHandle;
      claim(resume !== null, 'there is a handle after the first exchange');
      await first.end();
      const second = await stage.start(turns, { resume: resume ?? undefined });
      const said = textOf(await all(second.prompt('Which word?')));
      claim(said.includes('The word is anchor'), 'the agent knows what was said before');
    },
  },
  {
    name: 'refuses a prompt after the end',
    async prove(stage) {
      const connection = await stage.start([[{ say: 'one' }]]);
      await all(connection.prompt('hello'));
      await connection.end();
      await rejectsWith('AGENT_ENDED', () => all(connection.prompt('more')));
    },
  },
];

async function onStage(
  { driver, prepare }: DriverSetup,
  directory: string,
  prove: (stage: Stage) => Promise<void>,
): Promise<void> {
  const storage = systemTools('holdfast/testing');
  const records = join(directory, 'programs');
  ensureDirectory(storage.fileSystem, directory);
  const tools: DriverTools = { ...storage, registry: new ProgramRegistry(storage, records) };
  const started: AgentConnection[] = [];
  const stage: Stage = {
    async start(turns, overrides) {
      const prepared = prepare({ turns }, join(directory, 'agent'));
      const options = { ...prepared, permissions: { mode: 'bypass' as const }, mcpServers: [], ...overrides };
      const connection = await driver.start(tools, options);
      started.push(connection);
      return connection;
    },
  };
  try {
    await prove(stage);
  } finally {
    await Promise.all(started.map((connection) => connection.terminate()));
  }
  const left = listDirectory(storage.fileSystem, records);
  claim(left.length === 0, `no program is left running (${left.join()})`);
}

async function all(events: AsyncIterable<AgentEvent>): Promise<AgentEvent[]> {
  const collected: AgentEvent[] = [];
  for await (const event of events) collected.push(event);
  return collected;
}

function textOf(events: readonly AgentEvent[]): string {
  return events.map((event) => (event.type === 'text' ? event.text : '')).join('');
}

function endsOf(events: readonly AgentEvent[]): TurnEndReason[] {
  return events.flatMap((event) => (event.type === 'turn-end' ? [event.reason] : []));
}

async function rejectsWith(code: string, act: () => Promise<unknown>): Promise<void> {
  // A driver may refuse at once or with the first event.
  const outcome = await Promise.resolve()
    .then(act)
    .then(
      () => 'it was accepted',
      (error: unknown) => (isHoldfastError(error) ? error.code : String(error)),
    );
  claim(outcome === code, `it is refused with ${code} (${outcome})`);
}

function claim(isTrue: boolean, what: string): void {
  if (!isTrue) throw new Error(`not true: ${what}`);
}
