import * as z from 'zod';
import { defineOperation } from '../foundation/index.js';

/** A signed-in browser, as listed. */
export interface WebDevice {
  readonly id: string;
  readonly name: string;
  readonly can: 'view' | 'answer' | 'steer';
  readonly origin: string;
  readonly createdAt: string;
  readonly seenAt: string;
  readonly state: 'signed-in' | 'revoked' | 'expired';
  readonly reason: string | null;
}

/** A way in, for one browser and two minutes. */
export interface WebLink {
  /** One for each name of the server, the best first. */
  readonly links: readonly string[];
  readonly can: 'view' | 'answer' | 'steer';
  readonly expiresAt: string;
}

/** A device that was let in at the terminal. */
export interface WebPairing {
  readonly name: string;
  readonly can: 'view' | 'answer' | 'steer';
  readonly origin: string;
}

/** The page, as steered from the person's terminal. */
export interface WebDesk {
  /** Throws LINK_REFUSED, WEB_NOT_RUNNING. */
  link(can: WebLink['can']): Promise<WebLink>;
  /** Waits for a device to enter the code and for the person's yes. Throws LINK_REFUSED, WEB_NOT_RUNNING, NOT_PAIRED, ABORTED. */
  pair(can: WebLink['can'], signal: AbortSignal | undefined): Promise<WebPairing>;
  devices(): readonly WebDevice[];
  /** Throws DEVICE_NOT_FOUND. */
  revoke(device: string): Promise<readonly WebDevice[]>;
  /** Ends every server; returns their processes. Throws WEB_NOT_RUNNING. */
  stop(signal: AbortSignal | undefined): Promise<readonly number[]>;
}

export interface WebDeskParts {
  readonly desk: WebDesk;
}

const ADMIN = { capability: 'admin', surfaces: ['cli'] } as const;

export const linkWeb = defineOperation({
  ...ADMIN,
  name: 'web.link',
  summary: 'Print a link that signs a browser in to the page, once and within two minutes',
  effect: 'write',
  input: z.strictObject({ can: z.enum(['view', 'answer', 'steer']).default('answer') }),
  output: z.custom<WebLink>(),
  run: ({ desk }: WebDeskParts, { can }) => desk.link(can),
});

export const pairWeb = defineOperation({
  ...ADMIN,
  name: 'web.pair',
  summary: 'Sign a phone in to the page: by a QR code or a short code, confirmed here',
  effect: 'write',
  input: z.strictObject({ can: z.enum(['view', 'answer', 'steer']).default('answer') }),
  output: z.custom<WebPairing>(),
  run: ({ desk }: WebDeskParts, { can }, context) => desk.pair(can, context?.signal),
});

export const listWebDevices = defineOperation({
  ...ADMIN,
  name: 'web.devices',
  summary: 'List the browsers that are signed in to the page, or sign them out',
  effect: 'read',
  input: z.strictObject({}),
  output: z.custom<readonly WebDevice[]>(),
  run: async ({ desk }: WebDeskParts) => desk.devices(),
});

export const revokeWebDevices = defineOperation({
  ...ADMIN,
  name: 'web.revoke',
  summary: 'Sign browsers out of the page',
  effect: 'write',
  input: z.strictObject({
    /** Its id, 4 or more characters of it, or `all`. */
    device: z.string(),
  }),
  output: z.custom<readonly WebDevice[]>(),
  run: ({ desk }: WebDeskParts, { device }) => desk.revoke(device),
});

export const stopWeb = defineOperation({
  ...ADMIN,
  name: 'web.stop',
  summary: 'Stop serving the page',
  effect: 'write',
  input: z.strictObject({}),
  output: z.custom<readonly number[]>(),
  run: ({ desk }: WebDeskParts, _input, context) => desk.stop(context?.signal),
});

export const webOperations = [linkWeb, pairWeb, listWebDevices, revokeWebDevices, stopWeb] as const;
