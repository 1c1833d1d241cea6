import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect } from 'vitest';
import { type AgentEvent, ServiceNotes } from '../../src/agents/index.js';
import { messageOf } from '../../src/foundation/index.js';
import { type LimitCase, limitCases } from './limit-cases.js';
import { prepare, REAL_AGENTS, type RealAgent } from './real-agents.js';
import { itDrives, type Stage } from './stage.js';

const DIRECTORY = fileURLToPath(new URL('../fixtures/agent-limits', import.meta.url));
/** Set by scripts/record-agent-limits.mjs. */
const isRecording = process.env.HOLDFAST_RECORD_LIMITS === '1';

for (const agent of Object.values(REAL_AGENTS)) {
  describe(`what ${agent.name} says when its service does not answer`, () => {
    // opencode keeps trying in silence for minutes: what it says then is recorded, and not waited for each time.
    const cases = limitCases(agent.name).filter(({ isSlow }) => isRecording || isSlow !== true);
    const recorded = new Map<string, Awaited<ReturnType<typeof observe>>>();

    for (const limit of cases) {
      const turns = typeof limit.does === 'string' ? [] : [{ text: 'Hello.', fault: limit.does }];
      itDrives(agent, `${limit.name} is understood`, { turns, onExhausted: 'repeat-last' }, async (stage) => {
        const observed = await observe(agent, limit, stage);
        recorded.set(limit.name, observed);
        if (!isRecording) expectUnderstood(agent, limit, observed);
      });
    }

    afterAll(() => {
      if (!isRecording || recorded.size === 0) return;
      const told = cases.flatMap(({ name, does, environment, becomes }) => {
        const { at, failure, events } = recorded.get(name) ?? {};
        const standIn = { does, ...(environment === undefined ? {} : { without: missing(environment) }) };
        return events === undefined ? [] : [{ case: name, standIn, at, failure, events, becomes }];
      });
      const version = [...recorded.values()].find((one) => one.version !== null)?.version;
      mkdirSync(DIRECTORY, { recursive: true });
      const text = JSON.stringify({ agent: agent.name, version, cases: told }, null, 2);
      // The port is another one each time.
      const stable = text.replaceAll(/127\.0\.0\.1:\d+/g, '127.0.0.1:4010');
      writeFileSync(join(DIRECTORY, `${agent.name}.json`), `${stable}\n`);
    });
  });
}

async function observe(agent: RealAgent, limit: LimitCase, stage: Stage) {
  if (limit.does === 'refuses the connection') await stage.model[Symbol.asyncDispose]();
  const place = { home: stage.world.dir.at('home'), baseUrl: stage.model.url };
  const { environment } = prepare(agent, place);
  const events: AgentEvent[] = [];
  const at = new Date();
  let version: string | null = null;
  let failure: string | null = null;
  try {
    const connection = await stage.start({ environment: { ...environment, ...limit.environment } });
    for await (const event of connection.prompt('Say hello.')) {
      events.push(event);
      const troubles = events.filter(({ type }) => type === 'retry' || type === 'error').length;
      if (troubles === limit.cancelAfterRetries) void connection.cancel();
    }
    version = connection.facts.version;
  } catch (error) {
    failure = messageOf(error);
  }
  // Some of them would try for ever; that we cut that short is not theirs.
  const own = events.filter((event) => event.type !== 'turn-end' || event.reason !== 'cancelled');
  return { version, at: at.toISOString(), failure, events: own };
}

function expectUnderstood(
  agent: RealAgent,
  limit: LimitCase,
  { at, failure, events }: Awaited<ReturnType<typeof observe>>,
): void {
  const notes = new ServiceNotes();
  for (const event of events) notes.add(event);
  const trouble = notes.trouble(
    { service: agent.name, now: new Date(at), zone: 'UTC' },
    endOf({ failure, events }),
  );
  if (limit.becomes === null) expect(trouble).toBeUndefined();
  else {
    const { resetsAt, ...rest } = limit.becomes;
    expect(trouble, JSON.stringify(events)).toMatchObject(rest);
    if (resetsAt === null) expect(trouble).toMatchObject({ resetsAt: null });
    else if (resetsAt !== undefined) expect(trouble).toMatchObject({ resetsAt: expect.any(Date) });
  }
}

/** How it ended where there is no event that says so. */
function endOf({
  failure,
  events,
}: {
  readonly failure: string | null;
  readonly events: readonly AgentEvent[];
}) {
  if (failure !== null) return { reason: 'not-started', message: failure } as const;
  return events.some(({ type }) => type === 'turn-end')
    ? undefined
    : ({ reason: 'failed', message: null } as const);
}

function missing(environment: Readonly<Record<string, string | undefined>>): string[] {
  return Object.keys(environment).filter((name) => environment[name] === undefined);
}
