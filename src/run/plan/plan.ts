import type { PrpSection } from '../../plans/index.js';
import type { CreateLoopOptions, LoopState, PlanPreset } from '../../sessions/loop/index.js';

/** What the agent should work on now. */
export interface Assignment {
  readonly title: string;
  /** The path of the plan, as a person would write it. */
  readonly path: string;
  /** What must hold in the end. */
  readonly criteria: readonly { readonly text: string; readonly isDone: boolean }[];
  /** The plan's own sections; a prompt quotes those that matter. Absent if `background` has everything. */
  readonly sections?: readonly PrpSection[] | undefined;
  /** The text of a plan that the agent cannot read itself; a prompt then quotes all of it. */
  readonly whole?: string | undefined;
  /** The current story, if the plan has stories. */
  readonly story?: StoryPlace | undefined;
  /** What else the agent must know: proposal, design, scenarios, learnings; empty for a plan that it can read itself. */
  readonly background: string;
  /** How the agent reports that a task is done and what it learned; empty if the plan has no tasks. */
  readonly howTo: string;
}

/** Which story of how many: `2` of 3, counted from 1, and its title. */
export interface StoryPlace {
  readonly number: number;
  readonly total: number;
  readonly title: string;
}

/** A plan as the runner works through it. */
export interface RunPlan {
  /** The plan's file or directory, by its full path. */
  readonly path: string;
  /** For a new session: how many criteria there are, and the first story if there are stories. */
  readonly criteriaCount: number;
  /** What the person should know about the plan before work starts, one or two sentences each. */
  readonly warnings?: readonly string[] | undefined;
  readonly story?: CreateLoopOptions['story'];
  /** The phases that the plan asks for in its front matter; absent if it does not. */
  readonly preset?: PlanPreset | undefined;
  /** The environment that the agent's tools need to know which session they belong to. */
  environment(sessionId: string): Readonly<Record<string, string>>;
  /** Whether `howTo` tells the agent to run this command line; absent if the plan has no commands. */
  isTold?(command: string): boolean;
  /** Called when the session is owned, before its first iteration, and again after each restart. */
  begin(sessionId: string, state: LoopState): Promise<void>;
  assignment(state: LoopState): Promise<Assignment>;
  /** The tasks of the current story, and the story that follows it; undefined without stories. */
  progress(state: LoopState): Promise<StoryProgress | undefined>;
  /** Called when the next story is entered. */
  enterStory(): Promise<void>;
  /**
   * Called when everything is done. It is called again if a crash came between the end of the loop and this; then it does
   * what is left.
   */
  finish(sessionId: string): Promise<void>;
}

export interface StoryProgress {
  readonly tasks: { readonly total: number; readonly done: number };
  /** Null after the last one. */
  readonly nextStory: string | null;
}
