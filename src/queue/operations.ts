import * as z from 'zod';
import { defineOperation } from '../foundation/index.js';
import type { NewEntry } from './port.js';
import type { QueueDesk, ShownEntry } from './queue-desk.js';
import { type Entry, FAILURE_POLICIES } from './schema.js';
import type { QueueView } from './view.js';

export type { QueueDesk, ShownEntry } from './queue-desk.js';

export interface QueueParts {
  readonly queue: QueueDesk;
}

const Id = z.string();
const Filled = z.string().min(1).max(20_000);
const Changes = z.strictObject({
  agent: Filled.optional(),
  model: Filled.optional(),
  verify: z.array(Filled).optional(),
  prepare: Filled.optional(),
  phases: z.enum(['work', 'tdd', 'tdd-strict']).optional(),
  permissions: z.enum(['edits', 'ask', 'bypass']).optional(),
  maxCost: z.number().positive().optional(),
  maxTokens: z.int().positive().optional(),
  maxTime: Filled.optional(),
  account: Filled.optional(),
  labels: z.array(Filled.max(100)).max(32).optional(),
  isUnattended: z.boolean().optional(),
  isDirtyTaken: z.boolean().optional(),
});
const Options = Changes.extend({
  verify: z.array(Filled).default([]),
  isUnattended: z.boolean().default(false),
  isDirtyTaken: z.boolean().default(false),
});

export const addToQueue = defineOperation({
  name: 'queue.add',
  summary: 'Queue plans, for a worker to run them one after the other',
  effect: 'write',
  capability: 'admin',
  surfaces: ['cli'],
  input: z.strictObject({
    plans: z.array(z.string()).default([]),
    change: z.string().optional(),
    /** A list of tasks; each open one becomes an entry. */
    from: z.string().optional(),
    options: Options,
    after: z.array(Id).default([]),
    base: z.string().optional(),
    notBefore: z.string().optional(),
    priority: z.number().default(0),
    isInPlace: z.boolean().default(false),
    onFailure: z.enum(FAILURE_POLICIES).default('stop'),
    retries: z.int().min(0).max(100).default(0),
    isDry: z.boolean().default(false),
  }),
  output: z.custom<readonly (Entry | NewEntry)[]>(),
  run: async ({ queue }: QueueParts, { isDry, ...wishes }) =>
    isDry ? queue.plan(wishes) : queue.add(wishes),
});

export const listQueue = defineOperation({
  name: 'queue.list',
  summary: 'Show the queue: what is running, what is next, what is waiting and for what',
  effect: 'read',
  capability: 'view',
  surfaces: ['cli', 'page', 'fleet'],
  input: z.strictObject({
    /** Includes entries that have ended. */
    isAll: z.boolean().default(false),
  }),
  output: z.custom<QueueView>(),
  async run({ queue }: QueueParts, { isAll }) {
    const view = await queue.listClosely();
    const isOpen = ({ status }: Entry) => status !== 'done';
    return isAll ? view : { ...view, entries: view.entries.filter(isOpen) };
  },
});

export const showEntry = defineOperation({
  name: 'queue.show',
  summary: 'Show one entry of the queue, its kept plan and its report',
  effect: 'read',
  capability: 'view',
  surfaces: ['cli', 'page', 'fleet'],
  input: z.strictObject({ id: Id }),
  output: z.custom<ShownEntry>(),
  run: ({ queue }: QueueParts, { id }) => queue.show(id),
});

export const editEntry = defineOperation({
  name: 'queue.edit',
  summary: 'Change a waiting entry, or take the new content of its plan',
  effect: 'write',
  capability: 'admin',
  surfaces: ['cli'],
  input: z.strictObject({
    id: Id,
    options: Changes.optional(),
    after: z.array(Id).optional(),
    notBefore: z.string().nullable().optional(),
    priority: z.number().optional(),
    onFailure: z.enum(FAILURE_POLICIES).optional(),
    retries: z.int().min(0).max(100).optional(),
    isUpdated: z.boolean().optional(),
  }),
  output: z.custom<Entry>(),
  run: ({ queue }: QueueParts, { id, ...wishes }) => queue.edit(id, wishes),
});

export const removeEntry = defineOperation({
  name: 'queue.remove',
  summary: 'Take an entry out of the queue; its plan and report are kept',
  effect: 'write',
  capability: 'admin',
  surfaces: ['cli'],
  input: z.strictObject({ id: Id }),
  output: z.custom<Entry>(),
  run: ({ queue }: QueueParts, { id }) => queue.remove(id),
});

export const moveEntry = defineOperation({
  name: 'queue.move',
  summary: 'Move an entry to another place in the queue',
  effect: 'write',
  capability: 'steer',
  surfaces: ['cli'],
  input: z.strictObject({
    id: Id,
    to: z.union([
      z.strictObject({ to: z.enum(['first', 'last']) }),
      z.strictObject({ to: z.enum(['before', 'behind']), other: Id }),
    ]),
  }),
  output: z.custom<Entry>(),
  run: ({ queue }: QueueParts, { id, to }) => queue.move(id, to),
});

const Paused = z.strictObject({ id: z.string().nullable(), isPaused: z.boolean() });

export const pauseQueue = defineOperation({
  name: 'queue.pause',
  summary: 'Pause the queue, or one entry of it; what is running continues',
  effect: 'write',
  capability: 'steer',
  surfaces: ['cli'],
  input: z.strictObject({ id: Id.optional() }),
  output: Paused,
  async run({ queue }: QueueParts, { id }) {
    await queue.pause(id);
    return { id: id ?? null, isPaused: true };
  },
});

export const resumeQueue = defineOperation({
  name: 'queue.resume',
  summary: 'Resume the queue, or one entry of it, after a pause',
  effect: 'write',
  capability: 'steer',
  surfaces: ['cli'],
  input: z.strictObject({ id: Id.optional() }),
  output: Paused,
  async run({ queue }: QueueParts, { id }) {
    await queue.resume(id);
    return { id: id ?? null, isPaused: false };
  },
});

export const retryEntry = defineOperation({
  name: 'queue.retry',
  summary: 'Put a failed entry back into the queue: its run is resumed, or started',
  effect: 'write',
  capability: 'steer',
  surfaces: ['cli'],
  input: z.strictObject({ id: Id }),
  output: z.custom<Entry>(),
  run: ({ queue }: QueueParts, { id }) => queue.retry(id),
});

/** Every action on the queue, for the registry. A worker keeps running and is therefore a command. */
export const queueOperations = [
  addToQueue,
  listQueue,
  showEntry,
  editEntry,
  removeEntry,
  moveEntry,
  pauseQueue,
  resumeQueue,
  retryEntry,
] as const;
