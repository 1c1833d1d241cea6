import { HoldfastError, visibleLine } from '../foundation/index.js';

/** The part of the way to a person at which a notice failed. */
export type Leg = 'record' | 'secret' | 'connection' | 'reply' | 'program' | 'terminal';

/** A notice could not be sent or taken back. */
export class NoticeNotSentError extends HoldfastError<'NOTICE_NOT_SENT'> {
  readonly code = 'NOTICE_NOT_SENT';
  readonly leg: Leg;
  /** Whether another try could succeed. */
  readonly isPassing: boolean;

  constructor(leg: Leg, reason: string, options: { isPassing?: boolean; cause?: unknown } = {}) {
    super(reason, { cause: options.cause });
    this.leg = leg;
    this.isPassing = options.isPassing ?? false;
  }
}

/** There is no channel of this name. */
export class ChannelNotFoundError extends HoldfastError<'CHANNEL_NOT_FOUND'> {
  readonly code = 'CHANNEL_NOT_FOUND';

  constructor(name: string, known: readonly string[]) {
    const words =
      known.length === 0
        ? 'No channel is configured'
        : `No channel is called ${visibleLine(name)}; configured: ${known.join(', ')}`;
    super(words, {
      hint: 'Channels are `notices.channels.<name>` in your config.json; see docs/notices.md.',
    });
  }
}
