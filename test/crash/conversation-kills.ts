import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { expect } from 'vitest';
import type { KillPlan } from '../support/deadly-file-system.js';
import { tempDir } from '../support/temp-dir.js';
import { startWorker, WorkerGoneError, type WorkerProcess } from '../support/workers.js';
import type {
  ConversationAct,
  ConversationFound,
  ConversationWorker,
} from './workers/conversation-worker.js';

const WORKER = new URL('./workers/conversation-worker.ts', import.meta.url);

/** The world before a process dies in it, and what may be true afterwards. */
interface Story {
  readonly act: ConversationAct;
  /** Whether there is a session before. */
  readonly isPrepared: boolean;
  /** Damages the session's file before. */
  harm?(path: string): void;
  /** `isDone`: the victim had reported that it was done. */
  assert(found: ConversationFound, isDone: boolean): void;
  /** What is true after another process has done the same again. */
  assertEnd(found: ConversationFound, failure: string | undefined): void;
}

const contents = ({ turns }: ConversationFound) => turns.map(({ content }) => content);

export const STORIES: readonly Story[] = [
  {
    act: 'create',
    isPrepared: false,
    assert(found, isDone) {
      if (isDone) expect(found.ids).toEqual(['mine']);
      expect([found.turns, found.damage]).toEqual([[], []]);
    },
    assertEnd(found, failure) {
      expect(failure).toBeUndefined();
      expect(found).toMatchObject({ ids: ['mine'], damage: [] });
    },
  },
  {
    act: 'add turn',
    isPrepared: true,
    assert(found, isDone) {
      const texts = ['one', 'two', 'three', 'four'];
      expect([texts.slice(0, 3), texts]).toContainEqual(contents(found));
      if (isDone) expect(contents(found)).toEqual(texts);
      expect([[], ['torn']]).toContainEqual(found.damage);
    },
    assertEnd(found, failure) {
      expect(failure).toBeUndefined();
      expect(contents(found).slice(0, 3)).toEqual(['one', 'two', 'three']);
      expect(
        contents(found)
          .slice(3)
          .every((text) => text === 'four'),
      ).toBe(true);
      expect(found).toMatchObject({ status: 'active', damage: [] });
    },
  },
  {
    act: 'mark failed',
    isPrepared: true,
    assert(found, isDone) {
      expect(contents(found)).toEqual(['one', 'two', 'three']);
      const failures = found.turns.map(({ failure }) => failure);
      expect([null, 'the agent crashed']).toContain(failures[2]);
      if (isDone) expect(failures).toEqual([null, null, 'the agent crashed']);
      expect([[], ['torn']]).toContainEqual(found.damage);
    },
    assertEnd(found, failure) {
      expect(failure).toBeUndefined();
      expect(found.turns.map((turn) => turn.failure)).toEqual([null, null, 'the agent crashed']);
      expect(found.damage).toEqual([]);
    },
  },
  {
    act: 'recover',
    isPrepared: true,
    harm(path) {
      const lines = readFileSync(path, 'utf8').split('\n');
      writeFileSync(path, [lines[0], lines[1], 'garbage', lines[3], '{"half'].join('\n'));
    },
    assert(found, isDone) {
      expect(contents(found)).toEqual(['one', 'three']);
      if (isDone) expect(found.damage).toEqual([]);
    },
    assertEnd(found, failure) {
      expect(failure).toBeUndefined();
      expect(contents(found)).toEqual(['one', 'three']);
      expect(found.damage).toEqual([]);
    },
  },
  {
    act: 'clean',
    isPrepared: true,
    assert(found, isDone) {
      expect([found.ids.length, found.trash.length]).toEqual(found.ids.length === 1 ? [1, 0] : [0, 1]);
      if (isDone) expect(found.trash).toEqual(['mine']);
      if (found.ids.length === 1) expect(contents(found)).toEqual(['one', 'two', 'three']);
    },
    assertEnd(found, failure) {
      expect(failure).toBeUndefined();
      expect([found.ids, found.trash]).toEqual([[], ['mine']]);
    },
  },
];

/** Processes that take turns: each looks at what its predecessor left behind, and is the next to die. */
export class ConversationRelay implements AsyncDisposable {
  #current = startWorker<ConversationWorker>(WORKER);
  #spare = startWorker<ConversationWorker>(WORKER);

  /** Kills a process at one call of its file system; another one looks at what is left and continues. */
  async kill(story: Story, plan: KillPlan): Promise<'killed' | 'done'> {
    await using dir = await tempDir();
    const directory = dir.at('sessions');
    const { act } = story;
    const victim = await this.#current;
    if (story.isPrepared) await victim.call('prepare', { directory });
    story.harm?.(`${directory}/mine.jsonl`);
    const isDone = await endOf(victim.call('act', { directory, act, kill: plan }));
    const successor = isDone ? victim : await this.#pass();
    story.assert(await successor.call('inspect', { directory }), isDone);
    const failure = await codeOf(successor.call('act', { directory, act }));
    story.assertEnd(await successor.call('inspect', { directory }), failure);
    expect(leftovers(dir.path), 'temporary files after the next write').toEqual([]);
    return isDone ? 'done' : 'killed';
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const worker of [this.#current, this.#spare]) await (await worker)[Symbol.asyncDispose]();
  }

  /** A process that has seen nothing of the victim's world; meanwhile one more is starting. */
  #pass(): Promise<WorkerProcess<ConversationWorker>> {
    this.#current = this.#spare;
    this.#spare = startWorker<ConversationWorker>(WORKER);
    return this.#current;
  }
}

async function endOf(acting: Promise<unknown>): Promise<boolean> {
  try {
    await acting;
    return true;
  } catch (error) {
    if (error instanceof WorkerGoneError) return false;
    throw error;
  }
}

async function codeOf(acting: Promise<unknown>): Promise<string | undefined> {
  try {
    await acting;
    return undefined;
  } catch (error) {
    return String((error as { code?: unknown }).code ?? error);
  }
}

/** What no crash may leave behind once a process has written again. Lock candidates expire by age, so they may stay. */
function leftovers(root: string): string[] {
  return readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /\.tmp$|\.gone-/.test(name),
  );
}
