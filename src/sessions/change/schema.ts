import * as z from 'zod';
import { isCount, isText } from '../../foundation/index.js';
import { DOCUMENT_VERSION, type DocumentSchema } from '../../storage/index.js';
import { type ChangeSessionStatus, changeLifecycle } from './lifecycle.js';
import { isSessionId } from './session-id.js';

/** Something an agent learned while it worked on a change. */
export interface Learning {
  readonly description: string;
  readonly taskId: string | null;
  readonly storyId: string | null;
  readonly timestamp: string;
  /** Keys of the file that we do not know. */
  readonly unknown: Readonly<Record<string, unknown>>;
}

/** Written before design.md is: what is going to be there, and how often it was there before. */
export interface FlushIntent {
  readonly block: string;
  readonly countBefore: number;
  /** How many learnings are in the block and before it. */
  readonly upTo: number;
}

/** The state of a change session. */
export interface ChangeState {
  readonly version: number;
  readonly sessionId: string;
  readonly changeName: string;
  readonly currentStoryId: string | null;
  readonly createdAt: string;
  readonly updatedAt: string;
  /** The root of the project that the change belongs to. */
  readonly project: string;
  readonly learnings: readonly Learning[];
  readonly completedTasks: readonly string[];
  readonly status: ChangeSessionStatus;
  /** How many of the learnings, from the first one on, are in design.md. */
  readonly flushedLearnings: number;
  readonly flush: FlushIntent | null;
  readonly endedAt: string | null;
  readonly releaseReason: string | null;
  readonly unknown: Readonly<Record<string, unknown>>;
}

/**
 * `session.json`, and its copy in the temporary directory. Its own keys are the published ones. It is checked by hand: an
 * agent's command is a start of its own, and building and compiling an object schema of this size takes longer than all
 * the rest that it does (docs/decisions/0022).
 */
export const SessionFile: DocumentSchema<ChangeState> = {
  safeParse(file) {
    try {
      return { success: true, data: readState(file) };
    } catch (error) {
      if (!(error instanceof ShapeError)) throw error;
      const { path, message } = error;
      return { success: false, error: new z.ZodError([{ code: 'custom', input: file, path, message }]) };
    }
  },
};

/** The first thing that is not as it should be, and where. */
class ShapeError extends Error {
  readonly path: (string | number)[];

  constructor(path: (string | number)[], message: string) {
    super(message);
    this.path = path;
  }
}

function readState(file: unknown): ChangeState {
  const from = new Fields(file, []);
  const createdAt = from.take('created_at', isTime, 'not a time');
  const flush = from.takeOptional('flush', isObject, 'not an object');
  return {
    version: from.takeOptional('version', isCount, NOT_A_COUNT) ?? DOCUMENT_VERSION,
    sessionId: from.take('session_id', isId, 'not a session id'),
    changeName: from.take('change_name', isText, NOT_TEXT),
    currentStoryId: from.takeOptional('current_story_id', isText, NOT_TEXT),
    createdAt,
    updatedAt: from.takeOptional('updated_at', isTime, 'not a time') ?? createdAt,
    project: from.take('project', isText, NOT_TEXT),
    learnings: from.take('accumulated_learnings', Array.isArray, 'not an array').map(readLearning),
    completedTasks: from.take('completed_tasks', isTexts, 'not an array of texts'),
    status: from.takeOptional('status', isStatus, 'not a known status') ?? changeLifecycle.initial,
    flushedLearnings: from.takeOptional('flushed_learnings', isCount, NOT_A_COUNT) ?? 0,
    flush: flush === null ? null : readIntent(flush),
    endedAt: from.takeOptional('ended_at', isTime, 'not a time'),
    releaseReason: from.takeOptional('release_reason', isText, NOT_TEXT),
    unknown: from.rest(),
  };
}

function readLearning(value: unknown, index: number): Learning {
  const from = new Fields(value, ['accumulated_learnings', index]);
  return {
    description: from.take('description', isText, NOT_TEXT),
    taskId: from.takeOptional('task_id', isText, NOT_TEXT),
    storyId: from.takeOptional('story_id', isText, NOT_TEXT),
    timestamp: from.take('timestamp', isTime, 'not a time'),
    unknown: from.rest(),
  };
}

function readIntent(value: Readonly<Record<string, unknown>>): FlushIntent {
  const from = new Fields(value, ['flush']);
  return {
    block: from.take('block', isText, NOT_TEXT),
    countBefore: from.take('count_before', isCount, NOT_A_COUNT),
    upTo: from.take('up_to', isCount, NOT_A_COUNT),
  };
}

/** The keys of an object, taken one by one; what is left was written by somebody else and is kept. */
class Fields {
  readonly #left: Record<string, unknown>;
  readonly #path: (string | number)[];

  constructor(value: unknown, path: (string | number)[]) {
    if (!isObject(value)) throw new ShapeError(path, 'not an object');
    this.#left = { ...value };
    this.#path = path;
  }

  take<Value>(key: string, is: (value: unknown) => value is Value, message: string): Value {
    const value = this.#left[key];
    if (!is(value)) throw new ShapeError([...this.#path, key], value === undefined ? 'missing' : message);
    delete this.#left[key];
    return value;
  }

  /** Null for what is absent or null. */
  takeOptional<Value>(key: string, is: (value: unknown) => value is Value, message: string): Value | null {
    if (this.#left[key] !== undefined && this.#left[key] !== null) return this.take(key, is, message);
    delete this.#left[key];
    return null;
  }

  rest(): Readonly<Record<string, unknown>> {
    return this.#left;
  }
}

const NOT_TEXT = 'not a text';
const NOT_A_COUNT = 'not a whole number of 0 or more';
const TIME = /^\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:?\d\d)$/;

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every(isText);
}

function isTime(value: unknown): value is string {
  return isText(value) && TIME.test(value) && !Number.isNaN(Date.parse(value));
}

function isId(value: unknown): value is string {
  return isText(value) && isSessionId(value);
}

function isStatus(value: unknown): value is ChangeSessionStatus {
  return (changeLifecycle.states as readonly unknown[]).includes(value);
}

/** The state as its file holds it. */
export function toFile(state: ChangeState): Readonly<Record<string, unknown>> {
  const { flush } = state;
  return {
    ...state.unknown,
    session_id: state.sessionId,
    change_name: state.changeName,
    current_story_id: state.currentStoryId,
    created_at: state.createdAt,
    accumulated_learnings: state.learnings.map((learning) => ({
      ...learning.unknown,
      description: learning.description,
      task_id: learning.taskId,
      story_id: learning.storyId,
      timestamp: learning.timestamp,
    })),
    completed_tasks: state.completedTasks,
    version: state.version,
    updated_at: state.updatedAt,
    project: state.project,
    status: state.status,
    flushed_learnings: state.flushedLearnings,
    ...(flush === null
      ? {}
      : { flush: { block: flush.block, count_before: flush.countBefore, up_to: flush.upTo } }),
    ...(state.endedAt === null ? {} : { ended_at: state.endedAt }),
    ...(state.releaseReason === null ? {} : { release_reason: state.releaseReason }),
  };
}
