export type {
  Access,
  AuditLine,
  KnownDevice,
  PushState,
  PushTest,
  PushWish,
} from '../../operations/pocket.js';

/** What a device that gave the right code keeps and shows until the person at the terminal has decided. */
export interface PairingAsked {
  readonly ticket: string;
  /** Four letters that the terminal shows too. */
  readonly check: string;
}

/*
 * What is pushed, encrypted, in the form of Declarative Web Push: Safari shows it itself, and in every other browser our
 * service worker reads it. `holdfast` is for the worker: the notices under this tag are over and get removed.
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
