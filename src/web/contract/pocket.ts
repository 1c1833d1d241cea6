export type {
  Access,
  AuditLine,
  KnownDevice,
  PushState,
  PushTest,
  PushWish,
} from '../../operations/pocket.js';

/** What a device that gave the right code keeps and shows until the person at the terminal has spoken. */
export interface PairingAsked {
  readonly ticket: string;
  /** Four letters that the terminal shows, too. */
  readonly check: string;
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
