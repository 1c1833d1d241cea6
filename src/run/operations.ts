import * as z from 'zod';
import { type Actor, defineOperation, OUTSIDE } from '../foundation/index.js';
import type { LoopReport, ResumeOffer } from '../sessions/loop/index.js';
import type { RunReport } from './report/report-document.js';

/** What a run is waiting for, since when, and until when if that is known. */
export interface RunWait {
  readonly kind: 'answer' | 'limit' | 'pause' | 'fleet';
  readonly reason: string;
  readonly since: string | null;
  readonly until: string | null;
  readonly question: {
    readonly id: string;
    readonly title: string;
    readonly prompt: string;
    readonly from: 'agent' | 'run';
  } | null;
}

/** A loop as `holdfast status` shows it: its files, its process, and what is waiting for a person. */
export type RunStatus = LoopReport & {
  readonly waitsFor: RunWait | null;
  /** Answered questions whose answer the agent hears with its next prompt. */
  readonly answered: readonly string[];
  /** Who answered each of them, if that is known. */
  readonly answeredBy: Readonly<Record<string, string | null>>;
  /** What a person would type next, the most likely first. */
  readonly next: readonly string[];
  /** Where its lines are kept, if it has any. */
  readonly log: string | null;
};

export interface ShownRun {
  readonly report: RunStatus | null;
  readonly offer: ResumeOffer;
  readonly faults: readonly string[];
}

/** The runs of a project, as the composition opens them. */
export interface Runs {
  /** How the loop of this project stands. */
  status(): Promise<ShownRun>;
  /** What a loop did, this one or an earlier one. Throws LOOP_NOT_FOUND, SESSION_NOT_FOUND, AMBIGUOUS_ID. */
  report(session: string | undefined): Promise<RunReport>;
}

export interface RunsParts {
  readonly runs: Runs;
}

export interface ReportParts {
  readonly runs: Pick<Runs, 'report'>;
}

export const showRun = defineOperation({
  name: 'run.status',
  summary: 'Show the loop of this project',
  effect: 'read',
  capability: 'view',
  surfaces: ['cli', 'page', 'fleet'],
  input: z.strictObject({}),
  output: z.custom<ShownRun>(),
  run: ({ runs }: { readonly runs: Pick<Runs, 'status'> }) => runs.status(),
});

export const reportOnRun = defineOperation({
  name: 'run.report',
  summary: 'Show what a run did: files, tests, questions, phases, cost, why it stopped',
  effect: 'read',
  capability: 'view',
  surfaces: ['cli', 'page', 'fleet'],
  input: z.strictObject({
    /** A loop in the archive; absent for the current loop of this project. */
    session: z.string().optional(),
  }),
  output: z.custom<RunReport>(),
  run: ({ runs }: ReportParts, { session }) => runs.report(session),
});

/** What a person can request of a run in any project. */
export type RunRequest =
  | { readonly kind: 'pause' | 'resume' | 'stop' }
  | { readonly kind: 'guidance'; readonly text: string };

/** The result, for a person. */
export interface Steered {
  readonly isDone: boolean;
  readonly words: string;
}

export interface SteeringParts {
  readonly steering: {
    /** Throws RUN_NOT_FOUND, LOOP_ENDED, PROGRAM_NOT_STARTED. */
    steer(run: string, request: RunRequest, actor: Actor): Promise<Steered>;
    /** Takes back requests that are on their way to a run on another machine. Throws RUN_NOT_FOUND, REQUEST_NOT_FOUND. */
    takeBack(run: string): Promise<Steered>;
  };
}

export const steerRunAnywhere = defineOperation({
  name: 'run.steer',
  summary: 'Pause, resume, stop or guide a run of any project',
  effect: 'write',
  capability: 'steer',
  surfaces: ['page', 'fleet'],
  input: z.strictObject({
    run: z.string(),
    request: z.discriminatedUnion('kind', [
      z.strictObject({ kind: z.enum(['pause', 'resume', 'stop']) }),
      z.strictObject({ kind: z.literal('guidance'), text: z.string() }),
    ]),
  }),
  output: z.strictObject({ isDone: z.boolean(), words: z.string() }),
  run: ({ steering }: SteeringParts, { run, request }, context) =>
    steering.steer(run, request, context?.actor ?? OUTSIDE),
});

export const takeBackSteering = defineOperation({
  name: 'run.take-back',
  summary: 'Take back what is on its way to a run of another machine',
  effect: 'write',
  capability: 'steer',
  surfaces: ['page'],
  input: z.strictObject({ run: z.string() }),
  output: z.strictObject({ isDone: z.boolean(), words: z.string() }),
  run: ({ steering }: SteeringParts, { run }) => steering.takeBack(run),
});

/** Every action on runs, for the registry. */
export const runOperations = [showRun, reportOnRun, steerRunAnywhere, takeBackSteering] as const;
