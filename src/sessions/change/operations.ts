import * as z from 'zod';
import { defineOperation } from '../../foundation/index.js';
import type { ChangeRecovery } from './recover.js';
import {
  type ChangeDetailReport,
  type ChangeReport,
  type ContextReport,
  type ProgressReport,
  reportOfChange,
  reportOfContext,
  reportOfDetail,
  reportOfProgress,
  reportOfStart,
  reportOfTasks,
  reportOfTick,
  type StartedReport,
  type TasksReport,
  type TickReport,
} from './report.js';
import type { ChangeSessions } from './sessions.js';

// Schemas are built on demand, and outputs are types only: each command is a separate process start, and building unused
// schemas would take a good part of it.

/** What the operations need: the change sessions. */
export interface ChangeServices {
  readonly changes: ChangeSessions;
}

/** Which session and story; whatever is left out is found automatically. */
const scope = () => z.strictObject({ sessionId: z.string().optional(), storyId: z.string().optional() });

export const initChange = defineOperation({
  name: 'change.init',
  summary: 'Start a session that holds a change',
  effect: 'write',
  capability: 'steer',
  surfaces: ['cli'],
  get input() {
    return z.strictObject({ change: z.string(), sessionId: z.string().optional() });
  },
  get output() {
    return z.custom<StartedReport>();
  },
  async run({ changes }: ChangeServices, { change, sessionId }) {
    return reportOfStart(await changes.create(change, { sessionId }));
  },
});

export const takeNextStory = defineOperation({
  name: 'change.next-story',
  summary: 'Take the next unfinished story into scope',
  effect: 'write',
  capability: 'steer',
  surfaces: ['cli'],
  get input() {
    return scope();
  },
  get output() {
    return z.custom<{ complete: boolean; story_id: string | null; story_title: string | null }>();
  },
  async run({ changes }: ChangeServices, scope) {
    const story = await changes.nextStory(scope);
    return { complete: story === null, story_id: story?.id ?? null, story_title: story?.title ?? null };
  },
});

export const flushChange = defineOperation({
  name: 'change.flush',
  summary: 'Write what was learned into design.md and end the session',
  effect: 'write',
  capability: 'steer',
  surfaces: ['cli'],
  get input() {
    return scope();
  },
  get output() {
    return z.custom<{ success: true; learnings_written: number }>();
  },
  async run({ changes }: ChangeServices, scope) {
    const { learningsWritten } = await changes.flush(scope);
    return { success: true as const, learnings_written: learningsWritten };
  },
});

export const showStoryContext = defineOperation({
  name: 'change.context',
  summary: 'Show everything about the story in scope',
  effect: 'read',
  capability: 'view',
  surfaces: ['cli', 'page', 'fleet'],
  get input() {
    return scope();
  },
  get output() {
    return z.custom<ContextReport>();
  },
  async run({ changes }: ChangeServices, scope) {
    return reportOfContext(await changes.context(scope));
  },
});

export const completeTask = defineOperation({
  name: 'change.complete-task',
  summary: 'Tick a task of the story in scope',
  effect: 'write',
  capability: 'steer',
  surfaces: ['cli'],
  get input() {
    return scope().extend({ task: z.string() });
  },
  get output() {
    return z.custom<TickReport>();
  },
  async run({ changes }: ChangeServices, { task, ...scope }) {
    return reportOfTick(await changes.completeTask(task, scope));
  },
});

export const undoTask = defineOperation({
  name: 'change.undo-task',
  summary: 'Untick a task of the story in scope',
  effect: 'write',
  capability: 'steer',
  surfaces: ['cli'],
  get input() {
    return scope().extend({ task: z.string() });
  },
  get output() {
    return z.custom<TickReport>();
  },
  async run({ changes }: ChangeServices, { task, ...scope }) {
    return reportOfTick(await changes.undoTask(task, scope));
  },
});

export const listTasks = defineOperation({
  name: 'change.tasks',
  summary: 'List the tasks of the change, story by story',
  effect: 'read',
  capability: 'view',
  surfaces: ['cli', 'page', 'fleet'],
  get input() {
    return scope();
  },
  get output() {
    return z.custom<TasksReport>();
  },
  async run({ changes }: ChangeServices, scope) {
    return reportOfTasks(await changes.tasks(scope));
  },
});

export const showProgress = defineOperation({
  name: 'change.status',
  summary: 'Show the progress of the story and the change',
  effect: 'read',
  capability: 'view',
  surfaces: ['cli', 'page', 'fleet'],
  get input() {
    return scope();
  },
  get output() {
    return z.custom<ProgressReport>();
  },
  async run({ changes }: ChangeServices, scope) {
    return reportOfProgress(await changes.progress(scope));
  },
});

export const recordLearning = defineOperation({
  name: 'change.learn',
  summary: 'Keep something learned until the flush',
  effect: 'write',
  capability: 'steer',
  surfaces: ['cli'],
  get input() {
    return scope().extend({ text: z.string(), task: z.string().optional() });
  },
  get output() {
    return z.custom<{
      success: true;
      learning: string;
      task_id: string | null;
      total_learnings: number;
    }>();
  },
  async run({ changes }: ChangeServices, { text, task, ...scope }) {
    const { learning, total } = await changes.learn(text, { taskId: task, ...scope });
    return {
      success: true as const,
      learning: learning.description,
      task_id: learning.taskId,
      total_learnings: total,
    };
  },
});

export const listChangeSessions = defineOperation({
  name: 'change.list',
  summary: 'List the changes of the project and who holds them',
  effect: 'read',
  capability: 'view',
  surfaces: ['cli', 'page', 'fleet'],
  get input() {
    return z.strictObject({ isAll: z.boolean().default(false) });
  },
  get output() {
    return z.custom<ChangeReport[]>();
  },
  async run({ changes }: ChangeServices, { isAll }) {
    return changes.listChanges({ isAll }).map(reportOfChange);
  },
});

export const showChangeSession = defineOperation({
  name: 'change.show',
  summary: 'Show one change with its stories and sessions',
  effect: 'read',
  capability: 'view',
  surfaces: ['cli', 'page', 'fleet'],
  get input() {
    return z.strictObject({ change: z.string() });
  },
  get output() {
    return z.custom<ChangeDetailReport>();
  },
  async run({ changes }: ChangeServices, { change }) {
    return reportOfDetail(changes.showChange(change));
  },
});

export const releaseChange = defineOperation({
  name: 'change.release',
  summary: 'Take a change away from its session',
  effect: 'write',
  capability: 'admin',
  surfaces: ['cli'],
  get input() {
    return z.strictObject({ change: z.string(), reason: z.string().optional() });
  },
  get output() {
    return z.custom<{
      success: true;
      change_name: string;
      session_id: string;
      unflushed_learnings: number;
    }>();
  },
  async run({ changes }: ChangeServices, { change, reason }) {
    const released = await changes.release(change, reason);
    return {
      success: true as const,
      change_name: released.changeName,
      session_id: released.sessionId,
      unflushed_learnings: released.learnings.length - released.flushedLearnings,
    };
  },
});

export const recoverChange = defineOperation({
  name: 'change.recover',
  summary: 'Repair what a crash left of a session',
  effect: 'write',
  capability: 'admin',
  surfaces: ['cli'],
  get input() {
    return z.strictObject({ target: z.string() });
  },
  get output() {
    return z.custom<{
      success: true;
      change_name: string;
      session_id: string | null;
      outcome: ChangeRecovery['outcome'];
      learnings_written: number;
      kept_at: string | null;
    }>();
  },
  async run({ changes }: ChangeServices, { target }) {
    const report = await changes.recover(target);
    return {
      success: true as const,
      change_name: report.changeName,
      session_id: report.sessionId,
      outcome: report.outcome,
      learnings_written: report.learningsWritten,
      kept_at: report.keptAt,
    };
  },
});

/** Every action on change sessions, for the registry. */
export const changeOperations = [
  initChange,
  takeNextStory,
  flushChange,
  showStoryContext,
  completeTask,
  undoTask,
  listTasks,
  showProgress,
  recordLearning,
  listChangeSessions,
  showChangeSession,
  releaseChange,
  recoverChange,
] as const;
