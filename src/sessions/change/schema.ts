import {
  type Codec,
  count,
  listOf,
  named,
  nullable,
  nullIfAbsent,
  oneOf,
  record,
  text,
  textThat,
  type ValueOf,
  withDefault,
} from '../../foundation/index.js';
import { DOCUMENT_VERSION } from '../../storage/index.js';
import { changeLifecycle } from './lifecycle.js';
import { isSessionId } from './session-id.js';

const TIME = /^\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:?\d\d)$/;
/** Others write this file too, and leave out the colon of an offset. */
const Time = textThat((value) => TIME.test(value) && !Number.isNaN(Date.parse(value)), 'not a time');

/** Something an agent learned while working on a change. */
const Learning = record({
  description: text,
  taskId: named(
    'task_id',
    orElse(nullable(text), () => null),
  ),
  storyId: named(
    'story_id',
    orElse(nullable(text), () => null),
  ),
  timestamp: Time,
});
export type Learning = Readonly<ValueOf<typeof Learning>>;

/** Written before design.md: the block to be added, and how often it was there before. */
const FlushIntent = record({
  block: text,
  countBefore: named('count_before', count),
  /** How many learnings there are up to the end of the block. */
  upTo: named('up_to', count),
});

const State = record({
  sessionId: named('session_id', textThat(isSessionId, 'not a session id')),
  changeName: named('change_name', text),
  currentStoryId: named(
    'current_story_id',
    orElse(nullable(text), () => null),
  ),
  createdAt: named('created_at', Time),
  learnings: named('accumulated_learnings', listOf(Learning)),
  completedTasks: named('completed_tasks', listOf(text)),
  version: orElse(count, () => DOCUMENT_VERSION),
  updatedAt: named(
    'updated_at',
    orElse(nullable(Time), () => null),
  ),
  /** The root of the project that the change belongs to. */
  project: text,
  status: orElse(oneOf(changeLifecycle.states), () => changeLifecycle.initial),
  /** How many of the learnings, counting from the first, are in design.md. */
  flushedLearnings: named(
    'flushed_learnings',
    orElse(count, () => 0),
  ),
  flush: nullIfAbsent(FlushIntent),
  endedAt: named('ended_at', nullIfAbsent(Time)),
  releaseReason: named('release_reason', nullIfAbsent(text)),
});

/** The state of a change session. */
export type ChangeState = Readonly<
  Omit<ValueOf<typeof State>, 'updatedAt' | 'learnings' | 'completedTasks'>
> & {
  readonly updatedAt: string;
  readonly learnings: readonly Learning[];
  readonly completedTasks: readonly string[];
};

/** `session.json` and its copy in the temporary directory, with the published keys. */
export const SessionFile: Codec<ChangeState> = {
  fromDisk(file) {
    const state = State.fromDisk(file);
    return { ...state, updatedAt: state.updatedAt ?? state.createdAt };
  },
  toDisk: (state) => State.toDisk(state as ValueOf<typeof State>),
};

/** Another program may have written null for an absent value. */
function orElse<Value>(codec: Codec<Value>, make: () => NoInfer<Value>): Codec<Value> {
  const { fromDisk, toDisk } = withDefault(codec, make);
  return { fromDisk: (value) => fromDisk(value ?? undefined), toDisk };
}
