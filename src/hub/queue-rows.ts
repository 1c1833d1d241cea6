import * as z from 'zod';

/*
 * Rows of the queue. Anybody who may queue wrote them: their form is checked here, and what they may do is checked
 * where they are used.
 */

const Time = z.date().transform((date) => date.toISOString());
const Label = z.string().max(100);

export const QueueRow = z.object({
  revision: z.coerce.number(),
  paused_at: Time.nullable(),
  hold_until: Time.nullable(),
});
export type QueueRow = z.infer<typeof QueueRow>;

export const EntryRow = z.object({
  id: z.uuid(),
  state: z.enum(['queued', 'paused', 'running', 'done', 'failed']),
  priority: z.number(),
  position: z.number(),
  needs: z.array(Label),
  agent: z.string().nullable(),
  account: z.string().nullable(),
  repository: z.string(),
  base: z.string().nullable(),
  continues: z.uuid().nullable(),
  project: z.string(),
  plan: z.record(z.string(), z.unknown()),
  options: z.record(z.string(), z.unknown()),
  after: z.array(z.uuid()),
  not_before: Time.nullable(),
  on_failure: z.enum(['stop', 'continue', 'ask']),
  retries_left: z.int(),
  created_by: z.string().max(63),
  created_from: z.uuid(),
  from_name: z.string().max(63).nullable(),
  created_at: Time,
  revision: z.int(),
  run_id: z.uuid().nullable(),
  machine: z.uuid().nullable(),
  machine_name: z.string().max(63).nullable(),
  epoch: z.coerce.number(),
  started_at: Time.nullable(),
  ended_at: Time.nullable(),
  reason: z.string().nullable(),
  worktree: z.string().nullable(),
  question: z.string().nullable(),
  has_report: z.boolean(),
  /** Seconds since its holder gave a sign; null if nobody ever had it. */
  quiet_seconds: z.coerce.number().nullable(),
  ends_in_seconds: z.coerce.number().nullable(),
});
export type EntryRow = z.infer<typeof EntryRow>;

export const TakenRow = EntryRow.extend({ is_taken_over: z.boolean() });
export type TakenRow = z.infer<typeof TakenRow>;

export const ContentRow = z.object({ content: z.record(z.string(), z.string()) });
export const UseRow = z.object({ agent: z.string().nullable(), account: z.string().nullable() });

export const OfferRow = z.object({
  machine: z.string().max(63),
  labels: z.array(Label),
  trusted: z.array(z.string()),
  agents: z.array(z.string()),
  slots: z.int(),
});
export type OfferRow = z.infer<typeof OfferRow>;

export const AccountRow = z.object({ name: z.string().max(200), until: Time, scope: z.string().nullable() });
export type AccountRow = z.infer<typeof AccountRow>;

/** The machine that had an entry before. */
export const BeforeRow = z.object({
  machine: z.string().max(63),
  is_moved: z.boolean(),
  is_here: z.boolean(),
});
export type BeforeRow = z.infer<typeof BeforeRow>;
