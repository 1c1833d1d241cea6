import * as z from 'zod';
import { defineOperation } from '../../foundation/index.js';
import type { ProcessSessions } from './sessions.js';
import type { ProcessInfo } from './view.js';

/** What the operations need: the process sessions. */
export interface ProcessParts {
  readonly processes: ProcessSessions;
}

export const listProcesses = defineOperation({
  name: 'process.list',
  summary: 'List agent processes and their sessions',
  effect: 'read',
  capability: 'view',
  surfaces: ['cli', 'page', 'fleet'],
  get input() {
    return z.strictObject({
      /** Ended sessions, too. */
      isAll: z.boolean().default(false),
    });
  },
  get output() {
    return z.custom<readonly ProcessInfo[]>();
  },
  async run({ processes }: ProcessParts, { isAll }) {
    return processes.list().filter((info) => isAll || info.standing !== 'over');
  },
});

export const showProcess = defineOperation({
  name: 'process.show',
  summary: 'Show one agent process and its session',
  effect: 'read',
  capability: 'view',
  surfaces: ['cli', 'page', 'fleet'],
  get input() {
    return z.strictObject({ session: z.string() });
  },
  get output() {
    return z.custom<ProcessInfo>();
  },
  async run({ processes }: ProcessParts, { session }) {
    return processes.get(processes.resolve(session));
  },
});

/** How long to wait for the owner of a process to end it. */
const PATIENCE_MS = 30_000;

export const stopProcess = defineOperation({
  name: 'process.stop',
  summary: 'End an agent process, whoever started it',
  effect: 'write',
  capability: 'steer',
  surfaces: ['cli', 'page', 'fleet'],
  get input() {
    return z.strictObject({
      session: z.string(),
      /** Without a grace period. */
      isAtOnce: z.boolean().default(false),
      patienceMs: z.number().nonnegative().default(PATIENCE_MS),
    });
  },
  get output() {
    return z.custom<ProcessInfo>();
  },
  run({ processes }: ProcessParts, { session, isAtOnce, patienceMs }, context) {
    const patience = AbortSignal.timeout(patienceMs);
    const signal = context === undefined ? patience : AbortSignal.any([context.signal, patience]);
    return processes.stop(processes.resolve(session), isAtOnce ? 'terminate' : 'end', signal);
  },
});

/** Every action on process sessions, for the registry. */
export const processOperations = [listProcesses, showProcess, stopProcess] as const;
