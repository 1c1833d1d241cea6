import * as z from 'zod';
import { defineOperation } from '../foundation/index.js';

/** A signed-in browser, as shown to the others. */
export interface KnownDevice {
  readonly id: string;
  readonly name: string;
  readonly can: 'view' | 'answer' | 'steer';
  readonly createdAt: string;
  readonly seenAt: string;
  readonly state: 'signed-in' | 'revoked' | 'expired';
  /** Whether notices go to it. */
  readonly isNotified: boolean;
}

/** A line of the audit: who did what, never what was said. */
export interface AuditLine {
  readonly at: string;
  readonly what: string;
  /** The name of the device; null if there is none. */
  readonly name: string | null;
  readonly address: string | null;
  readonly id: string | null;
  readonly result: string;
}

/** Who can reach the page and what was done through it. */
export interface Access {
  /** This device first, then the most recently seen. */
  readonly devices: readonly KnownDevice[];
  /** The newest first. */
  readonly audit: readonly AuditLine[];
}

/** The state of notices to one device of the page. */
export interface PushState {
  /** The key that a subscription is made with, as base64url. */
  readonly key: string;
  /** The endpoint that notices to this device go to; null if it gets none. */
  readonly endpoint: string | null;
}

/** The result of a test, and where it stopped if it did not go through. */
export interface PushTest {
  readonly isSent: boolean;
  readonly reason: string | null;
}

/** What a device of the page can read and change about itself and the others. */
export interface PocketDesk {
  access(): Access;
  standing(): PushState;
  /** Throws INVALID_INPUT. */
  wish(subscription: PushWish['subscription']): PushState;
  test(signal: AbortSignal | undefined): Promise<PushTest>;
}

export interface PocketParts {
  readonly pocket: PocketDesk;
}

/** A subscription in the browser's form (`PushSubscription.toJSON`). */
const Subscription = z.strictObject({
  endpoint: z.string().max(2_000),
  keys: z.strictObject({ p256dh: z.string().max(200), auth: z.string().max(100) }),
});
/** What a device wants: notices there, or none. */
const Wish = z.strictObject({ subscription: Subscription.nullable() });
export type PushWish = z.output<typeof Wish>;

const PAGE = { surfaces: ['page'] } as const;

export const showAccess = defineOperation({
  ...PAGE,
  name: 'web.access',
  summary: 'Show which devices are signed in to the page, and what was done through it last',
  effect: 'read',
  capability: 'view',
  input: z.strictObject({}),
  output: z.custom<Access>(),
  run: async ({ pocket }: PocketParts) => pocket.access(),
});

export const showPush = defineOperation({
  ...PAGE,
  name: 'web.push-show',
  summary: 'Show whether this device gets notices, and the key to subscribe with',
  effect: 'read',
  capability: 'view',
  input: z.strictObject({}),
  output: z.custom<PushState>(),
  run: async ({ pocket }: PocketParts) => pocket.standing(),
});

export const wishPush = defineOperation({
  ...PAGE,
  name: 'web.push-wish',
  summary: 'Turn notices to this device on or off',
  effect: 'write',
  capability: 'answer',
  input: Wish,
  output: z.custom<PushState>(),
  run: async ({ pocket }: PocketParts, { subscription }) => pocket.wish(subscription),
});

export const testPush = defineOperation({
  ...PAGE,
  name: 'web.push-test',
  summary: 'Send a test notice to this device',
  effect: 'write',
  capability: 'answer',
  input: z.strictObject({}),
  output: z.custom<PushTest>(),
  run: ({ pocket }: PocketParts, _input, context) => pocket.test(context?.signal),
});

export const pocketOperations = [showAccess, showPush, wishPush, testPush] as const;
