import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { ChangeAct, ChangeCalls, ChangeEnding, ChangePlace } from './change-worker.js';
import { TASKS } from './change-world.js';
import type { KillPlan } from './deadly-file-system.js';
import type { Json } from './holdfast-binary.js';
import { type TempDir, tempDir } from './temp-dir.js';
import { startWorker, WorkerGoneError, type WorkerProcess } from './workers.js';

export type ChangeWorker = WorkerProcess<ChangeCalls>;

export function changeWorker(): Promise<ChangeWorker> {
  return startWorker<ChangeCalls>(new URL('change-worker.ts', import.meta.url));
}

const S1 = { sessionId: 's1' } as const;
const DESIGN = '# Design\n\n## Learnings\n\n- old\n\n## Risks\n\nnone\n';

/** What the files say. */
export interface SeenChange {
  readonly claim: Json;
  readonly copy: Json;
  readonly ended: readonly Json[];
  readonly tasks: string;
  readonly design: string;
}

/** What happens before a process dies, what may be true afterwards, and how others continue. */
export interface KillStory {
  readonly name: string;
  readonly isQuick?: boolean;
  readonly before: readonly ChangeAct[];
  readonly act: ChangeAct;
  /** What may be true right after the kill. `isDone`: the victim had reported that it was done. */
  assert(seen: SeenChange, isDone: boolean): void;
  /** What others do next; each act must end as stated. */
  readonly after: readonly ChangeAct[];
  assertEnd(seen: SeenChange, endings: readonly ChangeEnding[]): void;
}

const INIT: ChangeAct = { name: 'init', change: 'add-login', ...S1 };
const learn = (text: string): ChangeAct => ({ name: 'learn', text, ...S1 });
const FLUSH: ChangeAct = { name: 'flush', ...S1 };
const NEXT: ChangeAct = { name: 'next-story', ...S1 };
const DONE: ChangeAct = { name: 'done', task: '1.1', ...S1 };
const TICKED = TASKS.replace('[ ] 1.1 ', '[x] 1.1 ');

const texts = (state: Json): string[] =>
  state.accumulated_learnings.map((one: { description: string }) => one.description);
const countOf = (text: string, line: string) => text.split('\n').filter((one) => one === line).length;

function expectFlushed(seen: SeenChange, ...learned: string[]): void {
  for (const text of learned) expect(countOf(seen.design, `- ${text}`), text).toBe(1);
  const ours = /\n### \d{4}-\d\d-\d\d - Story General\n(?:- \w+\n)+/g;
  expect(seen.design.replaceAll(ours, '')).toBe(DESIGN);
  expect([seen.claim, seen.copy]).toEqual([undefined, undefined]);
  expect(seen.ended).toMatchObject([{ status: 'finished', flushed_learnings: learned.length }]);
  expect(texts(seen.ended[0])).toEqual(learned);
}

export const KILL_STORIES: readonly KillStory[] = [
  {
    name: 'init',
    isQuick: true,
    before: [],
    act: INIT,
    assert(seen, isDone) {
      if (isDone) expect(seen.claim).toBeDefined();
      if (seen.claim !== undefined) expect(seen.claim).toMatchObject({ session_id: 's1', version: 1 });
      // The copy never mentions a claim that does not exist.
      if (seen.copy !== undefined) expect(seen.copy).toEqual(seen.claim);
    },
    after: [INIT, { name: 'init', change: 'add-login', sessionId: 's2' }, learn('one')],
    assertEnd(seen, [init, other, learned]) {
      expect([init, other, learned]).toMatchObject([
        { kind: 'done', value: 's1' },
        { kind: 'failed', code: 'CHANGE_LOCKED' },
        { kind: 'done', value: 1 },
      ]);
      expect(seen.copy).toEqual(seen.claim);
    },
  },
  {
    name: 'init, then by another session',
    before: [],
    act: INIT,
    assert() {},
    after: [
      { name: 'init', change: 'add-login', sessionId: 's2' },
      { name: 'release', change: 'add-login' },
    ],
    assertEnd(seen, [other, released]) {
      // If the change is held, the other is told by whom; whatever the dead one left goes with its claim.
      const holder = released?.kind === 'done' ? released.value : undefined;
      expect(other).toMatchObject(
        holder === 's2'
          ? { kind: 'done', value: 's2' }
          : { kind: 'failed', code: 'CHANGE_LOCKED', message: expect.stringContaining('session s1') },
      );
      expect([seen.claim, seen.ended]).toMatchObject([
        undefined,
        [{ session_id: holder, status: 'released' }],
      ]);
    },
  },
  {
    name: 'learn',
    isQuick: true,
    before: [INIT, learn('one')],
    act: learn('two'),
    assert(seen, isDone) {
      expect([['one'], ['one', 'two']]).toContainEqual(texts(seen.claim));
      if (isDone) expect(texts(seen.claim)).toEqual(['one', 'two']);
    },
    after: [learn('three'), FLUSH],
    assertEnd(seen, endings) {
      const learned = texts(seen.ended[0]);
      expect([
        ['one', 'three'],
        ['one', 'two', 'three'],
      ]).toContainEqual(learned);
      expect(endings).toMatchObject([{ value: learned.length }, { value: learned.length }]);
      expectFlushed(seen, ...learned);
    },
  },
  {
    name: 'next-story',
    before: [INIT],
    act: NEXT,
    assert(seen, isDone) {
      expect([null, '1']).toContain(seen.claim.current_story_id);
      if (isDone) expect(seen.claim.current_story_id).toBe('1');
    },
    after: [NEXT],
    assertEnd(seen, [again]) {
      expect(again).toEqual({ kind: 'done', value: '1' });
      expect([seen.claim.current_story_id, seen.copy]).toEqual(['1', seen.claim]);
    },
  },
  {
    name: 'task done',
    isQuick: true,
    before: [INIT, NEXT],
    act: DONE,
    assert(seen, isDone) {
      expect([TASKS, TICKED]).toContain(seen.tasks);
      if (isDone || seen.claim.completed_tasks.length > 0) expect(seen.tasks).toBe(TICKED);
    },
    after: [DONE],
    assertEnd(seen, [again]) {
      expect(again).toEqual({ kind: 'done', value: ['1.2.1', '1.10'] });
      expect([seen.tasks, seen.claim.completed_tasks]).toEqual([TICKED, ['1.1']]);
    },
  },
  {
    name: 'flush',
    isQuick: true,
    before: [INIT, learn('one'), learn('two')],
    act: FLUSH,
    assert(seen, isDone) {
      expect(countOf(seen.design, '- one')).toBeLessThanOrEqual(1);
      if (seen.claim === undefined || isDone) expect(countOf(seen.design, '- one')).toBe(1);
      expect([...seen.ended.map(texts), ...(seen.claim ? [texts(seen.claim)] : [])]).toContainEqual([
        'one',
        'two',
      ]);
    },
    after: [FLUSH, FLUSH],
    assertEnd(seen, endings) {
      expect(endings).toEqual(Array(2).fill({ kind: 'done', value: 2 }));
      expectFlushed(seen, 'one', 'two');
    },
  },
  {
    name: 'flush, and the session goes on',
    isQuick: true,
    before: [INIT, learn('one')],
    act: FLUSH,
    assert() {},
    after: [learn('two'), FLUSH],
    assertEnd(seen, [learned, flushed]) {
      const isOver = learned?.kind === 'failed';
      if (isOver) expect(learned).toMatchObject({ code: 'SESSION_ENDED' });
      expect(flushed).toEqual({ kind: 'done', value: isOver ? 1 : 2 });
      expectFlushed(seen, 'one', ...(isOver ? [] : ['two']));
    },
  },
  {
    name: 'flush with nothing learned',
    before: [INIT],
    act: FLUSH,
    assert(seen) {
      expect(seen.design).toBe(DESIGN);
    },
    after: [FLUSH],
    assertEnd(seen, [again]) {
      expect(again).toEqual({ kind: 'done', value: 0 });
      expectFlushed(seen);
    },
  },
  {
    name: 'release',
    before: [INIT, learn('one')],
    act: { name: 'release', change: 'add-login' },
    assert(seen, isDone) {
      if (isDone) expect(seen.claim).toBeUndefined();
      if (seen.claim === undefined) expect(seen.ended).toMatchObject([{ status: 'released' }]);
    },
    after: [
      { name: 'release', change: 'add-login' },
      { name: 'init', change: 'add-login', sessionId: 's2' },
      { name: 'recover', target: 's1' },
    ],
    assertEnd(seen, [, init, recover]) {
      expect([init, recover]).toEqual([
        { kind: 'done', value: 's2' },
        { kind: 'done', value: 'learnings-written' },
      ]);
      expect(countOf(seen.design, '- one')).toBe(1);
    },
  },
  {
    name: 'recovering the learnings of a released session',
    before: [INIT, learn('one'), { name: 'release', change: 'add-login' }],
    act: { name: 'recover', target: 's1' },
    assert(seen, isDone) {
      expect(countOf(seen.design, '- one')).toBeLessThanOrEqual(1);
      if (isDone) expect(countOf(seen.design, '- one')).toBe(1);
    },
    after: [{ name: 'recover', target: 's1' }],
    assertEnd(seen, [again]) {
      expect(again?.kind).toBe('done');
      expect(countOf(seen.design, '- one')).toBe(1);
      expect(seen.ended).toMatchObject([{ status: 'released', flushed_learnings: 1 }]);
    },
  },
];

/** Processes that take turns: one dies, the next continues, and another is being started meanwhile. */
export class ChangeRelay implements AsyncDisposable {
  #current: ChangeWorker;
  #spare: Promise<ChangeWorker>;

  private constructor(current: ChangeWorker) {
    this.#current = current;
    this.#spare = changeWorker();
  }

  static async start(): Promise<ChangeRelay> {
    return new ChangeRelay(await changeWorker());
  }

  get worker(): ChangeWorker {
    return this.#current;
  }

  async pass(): Promise<void> {
    this.#current = await this.#spare;
    this.#spare = changeWorker();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#current[Symbol.asyncDispose]();
    await (await this.#spare)[Symbol.asyncDispose]();
  }
}

/** Kills a process at one call of its file system and has another one continue. */
export async function killChangeAt(
  relay: ChangeRelay,
  story: KillStory,
  kill: KillPlan,
): Promise<'killed' | 'done'> {
  await using dir = await tempDir({ isInMemory: true });
  const place = makePlace(dir);
  const give = (act: ChangeAct) => relay.worker.call('act', { place, act });
  for (const act of story.before) expect((await give(act)).kind).toBe('done');
  const isDone = await survives(relay.worker, { place, act: story.act, kill });
  if (!isDone) await relay.pass();
  story.assert(look(dir), isDone);
  const endings: ChangeEnding[] = [];
  for (const act of story.after) endings.push(await give(act));
  story.assertEnd(look(dir), endings);
  const left = readdirSync(dir.path, { recursive: true, encoding: 'utf8' });
  expect(left.filter((name) => name.endsWith('.tmp'))).toEqual([]);
  return isDone ? 'done' : 'killed';
}

async function survives(worker: ChangeWorker, order: Parameters<ChangeCalls['act']>[0]): Promise<boolean> {
  try {
    const ending = await worker.call('act', order);
    if (ending.kind === 'failed') throw new Error(ending.message);
    return true;
  } catch (error) {
    if (error instanceof WorkerGoneError) return false;
    throw error;
  }
}

/** A project with a change whose design.md already has learnings. */
export function makePlace(dir: TempDir, change = 'add-login', tasks = TASKS): ChangePlace {
  const directory = join(dir.path, 'project', 'openspec', 'changes', change);
  mkdirSync(directory, { recursive: true });
  mkdirSync(dir.at('tmp'), { recursive: true });
  writeFileSync(join(directory, 'tasks.md'), tasks);
  writeFileSync(join(directory, 'design.md'), DESIGN);
  const ralph = dir.at('tmp', 'ralph');
  return { project: dir.at('project'), temporaryDirectories: [ralph, join(ralph, 'sessions')] };
}

function look(dir: TempDir): SeenChange {
  const openspec = dir.at('project', 'openspec');
  const parsed = (path: string) => (existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : undefined);
  const endedIn = join(openspec, '.holdfast', 'ended');
  const claim = parsed(join(openspec, '.holdfast', 'changes', 'add-login', 'session.json'));
  const ended = existsSync(endedIn) ? readdirSync(endedIn).filter((name) => name.endsWith('.json')) : [];
  return {
    claim,
    copy: parsed(dir.at('tmp', 'ralph', 'sessions', 's1.json')),
    ended: ended.filter((name) => !name.startsWith('.')).map((name) => parsed(join(endedIn, name))),
    tasks: readFileSync(join(openspec, 'changes', 'add-login', 'tasks.md'), 'utf8'),
    design: readFileSync(join(openspec, 'changes', 'add-login', 'design.md'), 'utf8'),
  };
}
