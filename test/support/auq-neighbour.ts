import { type ChildProcess, fork } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { isHoldfastError, silentLogger, systemClock, systemIds } from '../../src/foundation/index.js';
import {
  DEFAULT_LIMITS,
  FileQuestionStore,
  type QuestionOutcome,
  QuestionSessions,
} from '../../src/sessions/question/index.js';
import { question } from './question-world.js';
import { storageTools } from './storage-tools.js';
import { tempDir } from './temp-dir.js';

const PROGRAM = fileURLToPath(new URL('./auq-program.mjs', import.meta.url));
const QUESTIONS = [question({ options: [{ label: 'Yes' }, { label: 'No' }] })];
const YES = [{ questionIndex: 0, selectedOption: 'Yes' }];

/** AUQ in its own process and Holdfast in this one, sharing a directory, over real files and real time. */
export async function neighbourWorld() {
  const dir = await tempDir();
  const base = dir.at('shared');
  const temporary = dir.at('tmp');
  for (const path of [base, temporary]) mkdirSync(path, { mode: 0o700 });
  const child = fork(PROGRAM, [base], { env: { ...process.env, TMPDIR: temporary }, execArgv: [] });
  await told(child);
  const tools = storageTools({ clock: systemClock, log: silentLogger });
  const store = new FileQuestionStore(tools, { directory: base, trash: dir.at('trash') });
  const sessions = new QuestionSessions({
    ...tools,
    store,
    limits: DEFAULT_LIMITS,
    maxSessions: 10_000,
    retentionMs: 1_000_000,
    timeoutMs: 0,
  });
  return {
    base,
    store,
    sessions,
    async auq(
      act: 'create' | 'answer' | 'fetch' | 'remove',
      input: Record<string, unknown>,
    ): Promise<boolean> {
      const reply = told(child);
      child.send({ act, questions: QUESTIONS, ...input });
      const { done, error } = await reply;
      if (!done && act === 'create') throw new Error(error);
      return done === true;
    },
    status: (id: string) => JSON.parse(readFileSync(join(base, id, 'status.json'), 'utf8')),
    async [Symbol.asyncDispose]() {
      child.disconnect();
      await dir[Symbol.asyncDispose]();
    },
  };
}

type NeighbourWorld = Awaited<ReturnType<typeof neighbourWorld>>;

function told(child: ChildProcess): Promise<{ done?: boolean; error?: string }> {
  return new Promise((resolve, reject) => {
    const onExit = (code: number | null) => reject(new Error(`the AUQ program ended with ${code}`));
    child.once('exit', onExit);
    child.once('message', (message: { done?: boolean; error?: string }) => {
      child.off('exit', onExit);
      resolve(message);
    });
  });
}

const saidIn = (outcome: QuestionOutcome) =>
  outcome.status === 'completed' ? outcome.answers[0]?.selectedOption : outcome.status;

/** We reject a set that AUQ is still creating: an acknowledged rejection stays. */
export async function rejectAgainstSecondWrite(world: NeighbourWorld): Promise<void> {
  const id = systemIds.uuid();
  const making = world.auq('create', { id });
  while (!existsSync(join(world.base, id, 'status.json'))) await nextTurn();
  await world.sessions.reject(id, 'not now');
  await making;
  expect(world.status(id)).toMatchObject({ status: 'rejected', rejectionReason: 'not now' });
  expect(world.status(id).callId).toEqual(expect.any(String));
  expect((await world.sessions.get(id)).outcome.status).toBe('rejected');
}

/** Both answer at once. AUQ's answer stands; ours was refused, or the change is reported as new and as a fault. */
export async function answerAgainstAnswer(world: NeighbourWorld, round: number): Promise<void> {
  const { sessions } = world;
  const id = round % 2 === 0 ? (await sessions.create(QUESTIONS)).id : await madeByAuq(world);
  const [ours] = await Promise.allSettled([
    sessions.answer(id, YES),
    world.auq('answer', { id, label: 'No' }),
  ]);
  const view = await sessions.get(id);
  expect(saidIn(view.outcome)).toBe('No');
  if (ours.status === 'rejected') expect(ours.reason).toMatchObject({ code: 'ALREADY_SETTLED' });
  else {
    expect(view.faults).toMatchObject([{ kind: 'replaced' }]);
    expect(view.collectedAt).toBeNull();
  }
  expect(await deliver(world, id)).toEqual({ isNew: true, said: 'No' });
  expect(world.status(id).status).toBe('completed');
}

/** Our answer is collected while AUQ overwrites it with another: that one is announced as new, and is a fault. */
export async function collectAgainstOverwrite(world: NeighbourWorld): Promise<void> {
  const { sessions } = world;
  const { id } = await sessions.create(QUESTIONS);
  await sessions.answer(id, YES);
  const [first] = await Promise.all([deliver(world, id), world.auq('answer', { id, label: 'No' })]);
  const second = await deliver(world, id);
  expect(second.said).toBe('No');
  expect([first, second]).toContainEqual({ isNew: true, said: 'No' });
  await world.auq('fetch', { id });
  expect((await deliver(world, id)).said).toBe('No');
  expect(await sessions.verify(id)).toEqual([
    'answers.json: another program changed the outcome after it had been decided',
  ]);
}

/** AUQ deletes a set file by file while we answer it: we are refused or acknowledged, and the leftovers block nothing. */
export async function answerAgainstDeletion(world: NeighbourWorld): Promise<void> {
  const { sessions } = world;
  const id = await madeByAuq(world);
  const [ours] = await Promise.allSettled([sessions.answer(id, YES), world.auq('remove', { id })]);
  if (ours.status === 'rejected' && !isHoldfastError(ours.reason)) throw ours.reason;
  const left = (await sessions.list()).find((view) => view.id === id);
  if (left !== undefined) {
    const files = readdirSync(join(world.base, id));
    expect(left.faults.length > 0 || left.outcome.status === 'completed', files.join(' ')).toBe(true);
    using held = await world.store.hold(id);
    held.retire();
  }
  expect((await sessions.list()).map((view) => view.id)).not.toContain(id);
}

async function madeByAuq(world: NeighbourWorld): Promise<string> {
  const id = systemIds.uuid();
  await world.auq('create', { id });
  return id;
}

async function deliver({ sessions }: NeighbourWorld, id: string) {
  using delivery = await sessions.collect(id);
  delivery.confirm();
  return { isNew: delivery.isNew, said: saidIn(delivery.outcome) };
}

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

/** Every race, by what collides. */
export const RACES: readonly [string, (world: NeighbourWorld, round: number) => Promise<void>][] = [
  ['our rejection and its second status write: what we acknowledged stays', rejectAgainstSecondWrite],
  [
    'our answer and its answer: its own stands, and ours was refused or the change is told',
    answerAgainstAnswer,
  ],
  [
    'our collecting and its overwriting: the other answer is announced as new, and is a fault',
    collectAgainstOverwrite,
  ],
  ['our answer and its deletion: answered or refused, and what is left stops nobody', answerAgainstDeletion],
];
