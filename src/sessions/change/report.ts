import { groupSteps, type Story } from '../../plans/index.js';
import type { ChangeDetail, ChangeSummary } from './overview.js';
import type { ChangeState } from './schema.js';
import type { Progress } from './scope.js';
import type { CompletedTask, StartedSession, StoryContext } from './sessions.js';

// The published shapes: what agents read uses the keys of the specification.

export interface StartedReport {
  session_id: string;
  change_name: string;
  created_at: string;
  stories: { id: string; title: string; tasks_total: number; tasks_done: number }[];
}

export function reportOfStart({ state, stories }: StartedSession): StartedReport {
  return {
    session_id: state.sessionId,
    change_name: state.changeName,
    created_at: state.createdAt,
    stories: stories.map(({ id, title, tasks }) => ({
      id,
      title,
      tasks_total: tasks.length,
      tasks_done: tasks.filter(({ isDone }) => isDone).length,
    })),
  };
}

interface TaskReport {
  id: string;
  description: string;
  complete: boolean;
}

export interface ContextReport {
  story: { id: string; title: string; description: string };
  tasks: TaskReport[];
  proposal: string;
  design: string;
  scenarios: {
    name: string;
    given: string[];
    when: string;
    then: string[];
    requirement: string;
    capability: string;
    operation: string | null;
    steps: { keyword: string; text: string }[];
  }[];
  learnings: { description: string; task_id: string | null; timestamp: string }[];
  /** Published, but always empty. */
  patterns: never[];
  verify: { checks: string[]; tests: string };
}

export function reportOfContext(context: StoryContext): ContextReport {
  const { story, proposal, design, verify } = context;
  return {
    story: { id: story.id, title: story.title, description: '' },
    tasks: story.tasks.map(({ id, description, isDone }) => ({ id, description, complete: isDone })),
    proposal,
    design,
    scenarios: context.scenarios.map(({ name, requirement, capability, operation, steps }) => ({
      name,
      ...groupSteps(steps),
      requirement,
      capability,
      operation,
      steps: steps.map(({ keyword, text }) => ({ keyword, text })),
    })),
    learnings: context.learnings.map(({ description, taskId, timestamp }) => ({
      description,
      task_id: taskId,
      timestamp,
    })),
    patterns: [],
    verify: { checks: [...verify.checks], tests: verify.tests },
  };
}

/** What `task done` and `task undo` report. */
export interface TickReport {
  success: true;
  task_id: string;
  remaining: string[];
  story_complete: boolean;
}

export function reportOfTick({ taskId, remaining, isStoryComplete }: CompletedTask): TickReport {
  return { success: true, task_id: taskId, remaining: [...remaining], story_complete: isStoryComplete };
}

export interface TasksReport {
  current_story_id: string | null;
  stories: { id: string; title: string; tasks: TaskReport[] }[];
}

export function reportOfTasks({
  stories,
  currentStoryId,
}: {
  stories: readonly Story[];
  currentStoryId: string | null;
}): TasksReport {
  return {
    current_story_id: currentStoryId,
    stories: stories.map(({ id, title, tasks }) => ({
      id,
      title,
      tasks: tasks.map(({ id, description, isDone }) => ({ id, description, complete: isDone })),
    })),
  };
}

export interface ProgressReport {
  story: { id: string; tasks_done: number; tasks_total: number } | null;
  change: { stories_done: number; stories_total: number };
  story_complete: boolean;
  change_complete: boolean;
}

export function reportOfProgress(progress: Progress): ProgressReport {
  const { story } = progress;
  return {
    story:
      story === null ? null : { id: story.id, tasks_done: story.tasksDone, tasks_total: story.tasksTotal },
    change: { stories_done: progress.storiesDone, stories_total: progress.storiesTotal },
    story_complete: progress.isStoryComplete,
    change_complete: progress.isChangeComplete,
  };
}

interface HolderReport {
  session_id: string;
  created_at: string;
  updated_at: string;
  current_story_id: string | null;
  learnings: number;
}

export interface ChangeReport {
  name: string;
  status: ChangeSummary['status'];
  tasks_done: number;
  tasks_total: number;
  stories_done: number;
  stories_total: number;
  session: HolderReport | null;
  fault: string | null;
}

export function reportOfChange(summary: ChangeSummary): ChangeReport {
  const { session } = summary;
  return {
    name: summary.name,
    status: summary.status,
    tasks_done: summary.tasksDone,
    tasks_total: summary.tasksTotal,
    stories_done: summary.storiesDone,
    stories_total: summary.storiesTotal,
    session: session === null ? null : reportOfHolder(session),
    fault: summary.fault,
  };
}

export interface ChangeDetailReport extends ChangeReport {
  stories: { id: string; title: string; tasks: (TaskReport & { depth: number })[] }[];
  learnings: { description: string; task_id: string | null }[];
  ended: {
    session_id: string;
    status: string;
    ended_at: string | null;
    release_reason: string | null;
    unflushed_learnings: number;
  }[];
}

export function reportOfDetail(detail: ChangeDetail): ChangeDetailReport {
  return {
    ...reportOfChange(detail),
    stories: detail.stories.map(({ id, title, tasks }) => ({
      id,
      title,
      tasks: tasks.map((task) => ({
        id: task.id,
        description: task.description,
        complete: task.isDone,
        depth: task.depth,
      })),
    })),
    learnings: (detail.session?.learnings ?? []).map(({ description, taskId }) => ({
      description,
      task_id: taskId,
    })),
    ended: detail.ended.map((state) => ({
      session_id: state.sessionId,
      status: state.status,
      ended_at: state.endedAt,
      release_reason: state.releaseReason,
      unflushed_learnings: state.learnings.length - state.flushedLearnings,
    })),
  };
}

function reportOfHolder(state: ChangeState): HolderReport {
  return {
    session_id: state.sessionId,
    created_at: state.createdAt,
    updated_at: state.updatedAt,
    current_story_id: state.currentStoryId,
    learnings: state.learnings.length,
  };
}
