import type { PrpSection } from '../../plans/index.js';
import type { CreateLoopOptions, LoopState, PlanPreset } from '../../sessions/loop/index.js';

/** What the agent is to work on now. */
export interface Assignment {
  readonly title: string;
  /** Where the plan is, as a person would name it. */
  readonly path: string;
  /** What must be so in the end. */
  readonly criteria: readonly { readonly text: string; readonly isDone: boolean }[];
  /** The plan's own sections, of which a prompt quotes those that matter; absent where `background` has it all. */
  readonly sections?: readonly PrpSection[] | undefined;
  /** The plan's text, where the agent cannot read it by itself: then a prompt quotes it as a whole. */
  readonly whole?: string | undefined;
  /** The story that it is, where the plan has stories. */
  readonly story?: StoryPlace | undefined;
  /** What else the agent must know: proposal, design, scenarios, learnings; empty for a plan that it can read itself. */
  readonly background: string;
  /** How it says that a task is done and what it learned; empty where the plan has no tasks. */
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
  /** For a new session: how many criteria, and the first story where there are stories. */
  readonly criteriaCount: number;
  /** What the person should know of the plan before it is worked on, one sentence or two each. */
  readonly warnings?: readonly string[] | undefined;
  readonly story?: CreateLoopOptions['story'];
  /** The phases that the plan asks for, as its front matter says; absent where it does not. */
  readonly preset?: PlanPreset | undefined;
  /** What the agent's tools need in their environment to know which session they belong to. */
  environment(sessionId: string): Readonly<Record<string, string>>;
  /** Whether the agent is told to run this command line, by `howTo`; absent where the plan has no commands. */
  isTold?(command: string): boolean;
  /** Called when the session is owned and before its first iteration, again after each restart. */
  begin(sessionId: string, state: LoopState): Promise<void>;
  assignment(state: LoopState): Promise<Assignment>;
  /** The tasks of the current story and which story follows it; undefined without stories. */
  progress(state: LoopState): Promise<StoryProgress | undefined>;
  /** The next story was entered. */
  enterStory(): Promise<void>;
  /** All is done. Called again where a crash came between the end of the loop and this; then it does what is left. */
  finish(sessionId: string): Promise<void>;
}

export interface StoryProgress {
  readonly tasks: { readonly total: number; readonly done: number };
  /** Null after the last one. */
  readonly nextStory: string | null;
}
