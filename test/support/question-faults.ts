import { readdirSync } from 'node:fs';
import { expect } from 'vitest';
import { retain } from '../../src/catalog/index.js';
import { isHoldfastError, silentLogger, systemClock } from '../../src/foundation/index.js';
import type { QuestionSessions } from '../../src/sessions/question/index.js';
import { closeReleased, type FileSystem, forceUnlock, nodeFileSystem } from '../../src/storage/index.js';
import { auqId, copyAuqSession } from './auq-fixtures.js';
import { FailingFileSystem, type Fault, type FaultPlan } from './failing-file-system.js';
import { DAY_MS, type QuestionWorld, question, questionWorld } from './question-world.js';

const SET = [question()];
const SQLITE = [{ questionIndex: 0, selectedOption: 'SQLite' }];

/** Something to do while the file system fails. */
export interface Deed {
  readonly name: string;
  /** Whether the quick selection includes it. */
  readonly isQuick: boolean;
  prepare(world: QuestionWorld): Promise<string>;
  act(sessions: QuestionSessions, id: string): Promise<unknown>;
  /** The states of the set before and after; a failed deed leaves either. */
  readonly states: readonly [string, string];
  /** Does it again without faults. */
  again(sessions: QuestionSessions, id: string): Promise<unknown>;
}

async function created({ sessions }: QuestionWorld): Promise<string> {
  return (await sessions.create(SET)).id;
}

async function answered(world: QuestionWorld): Promise<string> {
  const id = await created(world);
  await world.sessions.answer(id, SQLITE);
  return id;
}

async function auqSession({ base }: QuestionWorld): Promise<string> {
  copyAuqSession(base, auqId(1));
  return auqId(1);
}

async function timedOut(world: QuestionWorld): Promise<string> {
  const id = await created(world);
  await world.sessions.expire(id);
  return id;
}

async function collect(sessions: QuestionSessions, id: string): Promise<unknown> {
  using delivery = await sessions.collect(id);
  delivery.confirm();
  return delivery.outcome;
}

function deed(
  name: string,
  states: Deed['states'],
  prepare: Deed['prepare'],
  act: Deed['act'],
  again = act,
): Deed {
  return { name, isQuick: true, states, prepare, act, again };
}

export const DEEDS: readonly Deed[] = [
  deed('create', ['pending', 'pending'], created, (sessions) =>
    sessions.create(SET, { requestId: 'another' }),
  ),
  deed('answer', ['pending', 'completed'], created, (sessions, id) => sessions.answer(id, SQLITE)),
  {
    ...deed('answer to a set by AUQ', ['pending', 'completed'], auqSession, (sessions, id) =>
      sessions.answer(id, SQLITE),
    ),
    isQuick: false,
  },
  {
    ...deed('late answer', ['timed_out', 'completed'], timedOut, (sessions, id) =>
      sessions.answer(id, SQLITE),
    ),
    isQuick: false,
  },
  {
    ...deed('cancel', ['pending', 'abandoned'], created, (sessions, id) => sessions.cancel(id, 'x')),
    isQuick: false,
  },
  {
    ...deed('expire', ['pending', 'timed_out'], created, (sessions, id) => sessions.expire(id)),
    isQuick: false,
  },
  deed('reject', ['pending', 'rejected'], created, (sessions, id) => sessions.reject(id, 'no')),
  deed('collect', ['completed', 'completed'], answered, collect),
  deed('clean', ['completed', 'gone'], answered, (sessions) =>
    retain(
      sessions,
      { clock: systemClock, log: silentLogger },
      { olderThanMs: -DAY_MS, takesUncollected: true },
    ),
  ),
];

/** These tests never pull the plug, so the disk need not sync: thousands of runs would only wait. */
const UNSYNCED: FileSystem = { ...nodeFileSystem, sync() {}, syncData() {} };

/** Faults that do not prevent reading. */
const ONLY_WRITES: readonly Fault[] = ['ENOSPC', 'EROFS', 'SHORT'];

/** Makes one call fail (with `isLasting`, all later ones too). Returns whether that call was reached at all. */
export async function failAt(one: Deed, plan: FaultPlan): Promise<boolean> {
  await using world = await questionWorld({ fileSystem: UNSYNCED });
  const id = await one.prepare(world);
  const fileSystem = new FailingFileSystem(undefined, UNSYNCED);
  const { sessions } = world.other({ fileSystem });
  const openBefore = new Set(fileSystem.openDescriptors.keys());
  fileSystem.arm(plan);
  const error = await one.act(sessions, id).then(
    () => undefined,
    (thrown: unknown) => thrown ?? new Error('thrown: nothing'),
  );
  const what = `${one.name} with ${plan.fault} at ${plan.at}${plan.isLasting ? ' and after' : ''} (${fileSystem.firstFault})`;
  const hasFired = fileSystem.fired > 0;
  if (error !== undefined && !isHoldfastError(error))
    throw new Error(`${what}: not a typed error`, { cause: error });
  if (error !== undefined) expect(hasFired, `${what}: ${String(error)}`).toBe(true);
  closeReleased(fileSystem);
  expect(
    [...fileSystem.openDescriptors].filter(([descriptor]) => !openBefore.has(descriptor)),
    `${what}: open descriptors`,
  ).toEqual([]);
  if (error !== undefined && !plan.isLasting)
    expect(leftovers(world), `${what}: temporary files`).toEqual([]);
  if (plan.isLasting && ONLY_WRITES.includes(plan.fault)) await assertReadable(sessions, id, one, what);
  fileSystem.arm(undefined);
  await assertEither(world, id, one, error === undefined, what);
  if (plan.isLasting) freeStuck(world, id);
  await one.again(world.sessions, id).catch((cause: unknown) => {
    throw new Error(`${what}: cannot be done again`, { cause });
  });
  const [, after] = one.states;
  expect(await stateOf(world.sessions, id), `${what}: after it was done again`).toBe(after);
  // The next write of a set sweeps up what could not be removed.
  for (const view of await world.sessions.list()) {
    if (view.outcome.status === 'pending' && one.name === 'create')
      await world.sessions.noteAsker(view.id, 'gone');
  }
  expect(leftovers(world), `${what}: temporary files after it was done again`).toEqual([]);
  return hasFired;
}

function leftovers(world: QuestionWorld): string[] {
  const names = readdirSync(world.dir.path, { recursive: true, encoding: 'utf8' });
  return names.filter((name) => /\.(tmp|staged)$/.test(name));
}

async function assertReadable(
  sessions: QuestionSessions,
  id: string,
  one: Deed,
  what: string,
): Promise<void> {
  const isListed = (await sessions.list()).some((view) => view.id === id);
  expect(isListed || one.states[1] === 'gone', `${what}: reading while it fails`).toBe(true);
  if (isListed && one.states[0] === 'completed') {
    // Acknowledged data is delivered even from a disk that cannot be written.
    using delivery = await sessions.collect(id);
    expect(delivery.outcome.status, `${what}: delivering while it fails`).toBe('completed');
  }
}

async function assertEither(
  world: QuestionWorld,
  id: string,
  one: Deed,
  isDone: boolean,
  what: string,
): Promise<void> {
  const state = await stateOf(world.other().sessions, id);
  expect(isDone && one.name !== 'clean' ? [one.states[1]] : one.states, `${what}: state`).toContain(state);
  for (const view of await world.sessions.list()) {
    if (view.id === id || one.name === 'create') expect(view.faults, what).toEqual([]);
  }
}

async function stateOf(sessions: QuestionSessions, id: string): Promise<string> {
  try {
    return (await sessions.get(id)).outcome.status;
  } catch (error) {
    if (isHoldfastError(error, 'SESSION_NOT_FOUND')) return 'gone';
    throw error;
  }
}

/** A disk on which not even `free` could be written leaves a lock of this living process; its death would free it. */
function freeStuck(world: QuestionWorld, id: string): void {
  for (const path of [world.path(id, 'session'), `${world.base}/.holdfast/create`]) {
    try {
      forceUnlock(world.tools, path);
    } catch {
      // There is no such directory (any more), so nothing is stuck there.
    }
  }
}
