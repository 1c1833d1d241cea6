import * as z from 'zod';
import { defineOperation, type OperationContext } from '../../foundation/index.js';
import { LoopReport, offerOf, ResumeOffer, reportOf } from './report.js';
import type { LoopRequest, LoopRequestInput } from './requests.js';
import type { LoopSessions } from './sessions.js';

/** What the operations need: the loop of a project, and the time. */
export interface LoopServices {
  readonly loops: LoopSessions;
  readonly clock: { now(): Date };
}

/** What `holdfast sessions` shows for a session of any kind. */
export const LoopSummary = z.object({
  id: z.string(),
  kind: z.literal('loop'),
  state: z.string(),
  title: z.string(),
  updatedAt: z.string(),
});
export type LoopSummary = z.infer<typeof LoopSummary>;

export const showLoop = defineOperation({
  name: 'loop.show',
  summary: 'Show the files of the loop of this project',
  effect: 'read',
  capability: 'view',
  surfaces: ['page', 'fleet'],
  input: z.strictObject({}),
  output: z.object({ report: LoopReport.nullable(), offer: ResumeOffer, faults: z.array(z.string()) }),
  async run({ loops, clock }: LoopServices) {
    const view = loops.get();
    // Without a readable plan, no plan matches; then what counts is what is wrong with the files.
    const offer = offerOf(loops.detect(view?.state.prpFile ?? ''));
    const report = view === undefined ? null : reportOf(view, clock.now());
    return { report, offer, faults: loops.verify() };
  },
});

export const summarizeLoop = defineOperation({
  name: 'loop.summarize',
  summary: 'One line about the loop of this project',
  effect: 'read',
  capability: 'view',
  surfaces: ['page', 'fleet'],
  input: z.strictObject({}),
  output: LoopSummary.nullable(),
  async run({ loops }: LoopServices) {
    const view = loops.get();
    if (view === undefined) return null;
    const { state } = view;
    const updatedAt = state.lastActivity ?? state.startedAt;
    return { id: view.sessionId, kind: 'loop' as const, state: view.status, title: state.prpFile, updatedAt };
  },
});

export const verifyLoop = defineOperation({
  name: 'loop.verify',
  summary: 'Check the files of the loop of this project',
  effect: 'read',
  capability: 'admin',
  surfaces: [],
  input: z.strictObject({}),
  output: z.array(z.string()),
  async run({ loops }: LoopServices) {
    return loops.verify();
  },
});

/** What a request needs: the loop it is for. */
export interface LoopParts {
  readonly loops: LoopSessions;
}

/** A request that was sent, and whether a process is running the loop now. */
export interface RequestReceipt {
  readonly request: LoopRequest;
  readonly isRunning: boolean;
}

/** Sends a request on behalf of the caller, durably. */
async function send(
  { loops }: LoopParts,
  request: LoopRequestInput,
  context: OperationContext | undefined,
): Promise<RequestReceipt> {
  const sender = context === undefined ? loops : loops.as(context.actor);
  const { request: sent, owner } = await sender.request(request);
  return { request: sent, isRunning: owner.hold === 'held' };
}

/** A reason, shown with the status. Its length is checked together with the request. */
const Reason = z.strictObject({ reason: z.string().optional() });

export const pauseLoop = defineOperation({
  name: 'loop.pause',
  summary: 'Pause the run of this project',
  effect: 'write',
  capability: 'steer',
  surfaces: ['cli', 'page', 'fleet'],
  input: Reason,
  output: z.custom<RequestReceipt>(),
  run: (parts: LoopParts, reason, context) => send(parts, { kind: 'pause', ...reason }, context),
});

export const resumeLoop = defineOperation({
  name: 'loop.resume',
  summary: 'Resume the run of this project, or restart it if no process is running it',
  effect: 'write',
  capability: 'steer',
  surfaces: ['cli', 'page', 'fleet'],
  input: z.strictObject({
    /** Try again after the breaker halted it. */
    isReset: z.boolean().default(false),
  }),
  output: z.custom<RequestReceipt>(),
  run: (parts: LoopParts, { isReset }, context) =>
    send(parts, { kind: isReset ? 'reset' : 'resume' }, context),
});

export const stopLoop = defineOperation({
  name: 'loop.stop',
  summary: 'Stop the run of this project; it can be resumed',
  effect: 'write',
  capability: 'steer',
  surfaces: ['cli', 'page', 'fleet'],
  input: Reason,
  output: z.custom<RequestReceipt>(),
  run: (parts: LoopParts, reason, context) => send(parts, { kind: 'stop', ...reason }, context),
});

export const guideLoop = defineOperation({
  name: 'loop.guide',
  summary: 'Tell the agent something in its next prompt',
  effect: 'write',
  capability: 'steer',
  surfaces: ['cli', 'page', 'fleet'],
  input: z.strictObject({ text: z.string() }),
  output: z.custom<RequestReceipt>(),
  run: (parts: LoopParts, { text }, context) => send(parts, { kind: 'guidance', text }, context),
});

/** Every action of a loop, for the registry. */
export const loopOperations = [
  showLoop,
  summarizeLoop,
  verifyLoop,
  pauseLoop,
  resumeLoop,
  stopLoop,
  guideLoop,
] as const;
