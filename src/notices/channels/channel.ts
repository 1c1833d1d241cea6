import type { Message } from '../words.js';

/** What is known about a message that was sent. */
export interface SentMessage {
  readonly id: string;
  /** The other side's id for it. */
  readonly message: string | null;
}

/** A way to reach a person. Every failure is NOTICE_NOT_SENT with the leg that failed. */
export interface Channel {
  /** Why this process cannot use the channel, though another may; undefined if it can. */
  unfit(): string | undefined;
  /** Sends a message; returns the other side's id for it, if it has one. Throws NOTICE_NOT_SENT. */
  send(message: Message, signal: AbortSignal): Promise<string | null>;
  /** Takes a message back; absent if the channel cannot. Throws NOTICE_NOT_SENT. */
  takeBack?(sent: SentMessage, signal: AbortSignal): Promise<void>;
  /** Removes what this process shows for questions that are over, whichever process has the duty now. */
  forget?(isPending: (question: string) => boolean): void;
  /** Restores what was changed. */
  close?(): void;
}
