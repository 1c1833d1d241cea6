import type { Message } from '../words.js';

/** What is known of a message that was sent. */
export interface SentMessage {
  readonly id: string;
  /** What the other side calls it. */
  readonly message: string | null;
}

/** A way to a person. Whatever goes wrong is NOTICE_NOT_SENT with the leg that failed. */
export interface Channel {
  /** Why this process cannot use it, though another may; undefined where it can. */
  unfit(): string | undefined;
  /** Sends; returns what the other side calls the message, if it calls it anything. Throws NOTICE_NOT_SENT. */
  send(message: Message, signal: AbortSignal): Promise<string | null>;
  /** Takes a message back; absent where the channel cannot. Throws NOTICE_NOT_SENT. */
  takeBack?(sent: SentMessage, signal: AbortSignal): Promise<void>;
  /** What this process shows for these questions is over, whoever has the duty now. */
  forget?(isPending: (question: string) => boolean): void;
  /** Puts back what was changed. */
  close?(): void;
}
