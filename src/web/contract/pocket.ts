import type { Capability } from '../../foundation/operation.js';

/** What a device that gave the right code keeps and shows until the person at the terminal has spoken. */
export interface PairingAsked {
  readonly ticket: string;
  /** Four letters that the terminal shows, too. */
  readonly check: string;
}

/** A browser that signed in, as the others may know it. */
export interface KnownDevice {
  readonly id: string;
  readonly name: string;
  readonly can: Exclude<Capability, 'admin'>;
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
  /** The name of the device; null where there is none. */
  readonly name: string | null;
  readonly address: string | null;
  readonly id: string | null;
  readonly result: string;
}

/** Who can reach the page and what was done through it. */
export interface Access {
  /** This device first, then by when they were here last. */
  readonly devices: readonly KnownDevice[];
  /** The newest first. */
  readonly audit: readonly AuditLine[];
}

/** A subscription as the browser tells it (`PushSubscription.toJSON`). */
export interface PushSubscriptionWish {
  readonly endpoint: string;
  readonly keys: { readonly p256dh: string; readonly auth: string };
}

/** What this device wants: notices there, or none. */
export interface PushWish {
  readonly subscription: PushSubscriptionWish | null;
}

export interface PushState {
  /** The key that a subscription is made with, as base64url. */
  readonly key: string;
  /** The endpoint that this device is told through; null where it is not. */
  readonly endpoint: string | null;
}

/** How a test went, and where it ended if it did not go through. */
export interface PushTest {
  readonly isSent: boolean;
  readonly reason: string | null;
}

/*
 * What is pushed, encrypted: the form of Declarative Web Push, which Safari shows by itself and our service worker reads in every
 * other browser. `holdfast` is for the worker: what was told under this tag is over, and goes away.
 */
export interface PushMessage {
  readonly web_push: 8030;
  readonly notification: {
    readonly title: string;
    readonly body: string;
    readonly navigate: string;
    readonly tag: string;
    readonly silent?: true;
    readonly app_badge?: number;
  };
  readonly holdfast?: { readonly close: true };
}
