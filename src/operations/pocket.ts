import * as z from 'zod';
import { defineOperation } from '../foundation/index.js';

/** How notices to one device of the page stand. */
export interface PushStanding {
  readonly key: string;
  readonly endpoint: string | null;
}

/** How a test notice to one device went. */
export interface PushTested {
  readonly isSent: boolean;
  readonly reason: string | null;
}

/** A device of the page as other devices may know it: nothing that could be used. */
export interface AccessDevice {
  readonly id: string;
  readonly name: string;
  readonly can: 'view' | 'answer' | 'steer';
  readonly createdAt: string;
  readonly seenAt: string;
  readonly state: 'signed-in' | 'revoked' | 'expired';
  readonly isNotified: boolean;
}

export interface AccessLine {
  readonly at: string;
  readonly what: string;
  readonly name: string | null;
  readonly address: string | null;
  readonly id: string | null;
  readonly result: string;
}

export interface AccessReport {
  readonly devices: readonly AccessDevice[];
  readonly audit: readonly AccessLine[];
}

/** What a device of the page can know and say about itself and the others. */
export interface PocketDesk {
  access(): AccessReport;
  standing(): PushStanding;
  /** Throws INVALID_INPUT. */
  wish(subscription: PushSubscribed | null): PushStanding;
  test(signal: AbortSignal | undefined): Promise<PushTested>;
}

export interface PocketParts {
  readonly pocket: PocketDesk;
}

const Subscribed = z.strictObject({
  endpoint: z.string().max(2_000),
  keys: z.strictObject({ p256dh: z.string().max(200), auth: z.string().max(100) }),
});
export type PushSubscribed = z.output<typeof Subscribed>;

const PAGE = { surfaces: ['page'] } as const;

export const showAccess = defineOperation({
  ...PAGE,
  name: 'web.access',
  summary: 'Show which devices are signed in to the page, and the last of what was done through it',
  effect: 'read',
  capability: 'view',
  input: z.strictObject({}),
  output: z.custom<AccessReport>(),
  run: async ({ pocket }: PocketParts) => pocket.access(),
});

export const showPush = defineOperation({
  ...PAGE,
  name: 'web.push-show',
  summary: 'Show whether this device is told what waits, and the key to subscribe with',
  effect: 'read',
  capability: 'view',
  input: z.strictObject({}),
  output: z.custom<PushStanding>(),
  run: async ({ pocket }: PocketParts) => pocket.standing(),
});

export const wishPush = defineOperation({
  ...PAGE,
  name: 'web.push-wish',
  summary: 'Tell this device what waits from now on, or no longer',
  effect: 'write',
  capability: 'answer',
  input: z.strictObject({ subscription: Subscribed.nullable() }),
  output: z.custom<PushStanding>(),
  run: async ({ pocket }: PocketParts, { subscription }) => pocket.wish(subscription),
});

export const testPush = defineOperation({
  ...PAGE,
  name: 'web.push-test',
  summary: 'Send a test notice to this device',
  effect: 'write',
  capability: 'answer',
  input: z.strictObject({}),
  output: z.custom<PushTested>(),
  run: ({ pocket }: PocketParts, _input, context) => pocket.test(context?.signal),
});

export const pocketOperations = [showAccess, showPush, wishPush, testPush] as const;
