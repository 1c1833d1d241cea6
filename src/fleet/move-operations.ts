import * as z from 'zod';
import { defineOperation } from '../foundation/index.js';
import type { LeftBehindRun } from './move/left-behind.js';
import type { MoveReport } from './move/move-report.js';
import type { FleetParts } from './operations.js';

const facts = { capability: 'admin', surfaces: ['cli'], effect: 'write' } as const;

const Run = () =>
  z
    .string()
    .toLowerCase()
    .regex(/^[0-9a-f-]{4,36}$/, 'the id of a run, or 4 or more characters of it');

export const moveRun = defineOperation({
  ...facts,
  name: 'fleet.move',
  summary: 'Give a run to another machine, at the end of its iteration',
  get input() {
    return z.strictObject({ run: Run(), to: z.string() });
  },
  get output() {
    return z.custom<MoveReport>();
  },
  run: async ({ fleet }: FleetParts, { run, to }) => (await fleet()).moveRun(run, to),
});

export const releaseRun = defineOperation({
  ...facts,
  name: 'fleet.release',
  summary: 'Let another machine take over a run now',
  get input() {
    return z.strictObject({ run: Run(), isForced: z.boolean().default(false) });
  },
  get output() {
    return z.custom<{ readonly run: string; readonly from: string | null }>();
  },
  run: async ({ fleet }: FleetParts, { run, isForced }) => (await fleet()).releaseRun(run, isForced),
});

export const listLeft = defineOperation({
  ...facts,
  effect: 'read',
  name: 'fleet.left-behind',
  summary: 'List what this machine had of runs that continued elsewhere',
  get input() {
    return z.strictObject({});
  },
  get output() {
    return z.custom<readonly LeftBehindRun[]>();
  },
  run: async ({ fleet }: FleetParts) => (await fleet()).leftBehind(),
});
