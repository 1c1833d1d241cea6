import * as z from 'zod';

/*
 * The form that rows of the hub must have. Other people's machines wrote them: nothing beyond their form is trusted,
 * and nothing in them names a path or a program here.
 */

/** A time as the driver returns it. */
const Time = z.date().transform((date) => date.toISOString());

export const MachineRow = z.object({
  id: z.uuid(),
  name: z.string().max(63),
  role: z.string().max(63),
  version: z.string().max(100),
  /** Seconds since it last gave a sign, on the database's clock. */
  quiet_seconds: z.coerce.number(),
  waiting: z.coerce.number(),
});
export type MachineRow = z.infer<typeof MachineRow>;

export const SessionRow = z.object({
  home: z.uuid(),
  machine: z.string().max(63),
  quiet_seconds: z.coerce.number(),
  id: z.string().max(200),
  state: z.string().max(40),
  needs_person: z.boolean(),
  summary: z.unknown(),
  /** What is on its way to it: a decision, or something a run is asked to do. */
  request: z.uuid().nullable(),
  request_kind: z.string().max(20).nullable(),
  request_by: z.string().nullable(),
});
export type SessionRow = z.infer<typeof SessionRow>;

export const RequestState = z.enum(['sent', 'taken', 'applied', 'refused', 'withdrawn']);
export type RequestState = z.infer<typeof RequestState>;

export const RequestRow = z.object({
  id: z.uuid(),
  home: z.uuid(),
  session_kind: z.string().max(20),
  session: z.string().max(200),
  kind: z.string().max(20),
  body: z.unknown(),
  by: z.string().max(63),
  machine: z.string().max(63),
  at: Time,
  state: RequestState,
  reply: z.unknown(),
});
export type RequestRow = z.infer<typeof RequestRow>;

export const SignRow = z.object({
  boot_id: z.string().nullable(),
  left_at: Time.nullable(),
  quiet_seconds: z.coerce.number(),
  incarnation: z.uuid(),
});

/** How a machine left the fleet: who did it, as far as that is still known, and whether it left on its own. */
export const OutRow = z.object({
  at: Time,
  by: z.string().max(63).nullable(),
  is_own: z.boolean().nullable(),
});
export type OutRow = z.infer<typeof OutRow>;

export const StampRow = z.object({ id: z.string(), stamp: z.string(), is_ended: z.boolean() });

export const FleetRow = z.object({
  version: z.int(),
  min_client: z.int(),
  incarnation: z.uuid(),
});
export type FleetRow = z.infer<typeof FleetRow>;

/** The rows that have the right form. The others are counted and dropped. */
export function checkedRows<Schema extends z.ZodType>(
  schema: Schema,
  rows: readonly unknown[],
): { readonly rows: z.output<Schema>[]; readonly refused: number } {
  const good = rows.flatMap((row) => {
    const result = schema.safeParse(row);
    return result.success ? [result.data] : [];
  });
  return { rows: good, refused: rows.length - good.length };
}
