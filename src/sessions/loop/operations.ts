import * as z from 'zod';
import { defineOperation } from '../../foundation/index.js';
import { LoopReport, offerOf, ResumeOffer, reportOf } from './report.js';
import type { LoopSessions } from './sessions.js';

/** What the operations need: the loop of a project, and the time. */
export interface LoopServices {
  readonly loops: LoopSessions;
  readonly clock: { now(): Date };
}

/** What `holdfast sessions` tells of a session of any kind. */
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
  summary: 'Show the loop of this project',
  input: z.strictObject({}),
  output: z.object({ report: LoopReport.nullable(), offer: ResumeOffer, faults: z.array(z.string()) }),
  async run({ loops, clock }: LoopServices) {
    const view = loops.get();
    // Without a readable plan every plan is another one; what is wrong with the files is what counts then.
    const offer = offerOf(loops.detect(view?.state.prpFile ?? ''));
    const report = view === undefined ? null : reportOf(view, clock.now());
    return { report, offer, faults: loops.verify() };
  },
});

export const summarizeLoop = defineOperation({
  name: 'loop.summarize',
  summary: 'One line about the loop of this project',
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
  input: z.strictObject({}),
  output: z.array(z.string()),
  async run({ loops }: LoopServices) {
    return loops.verify();
  },
});
