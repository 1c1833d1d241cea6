/** What a person is told about. `test` is what `holdfast notify test` sends. */
export const NOTICE_KINDS = [
  'question',
  'permission',
  'limit',
  'breaker',
  'run-ended',
  'agent-died',
  'quota-back',
  'test',
] as const;
export type NoticeKind = (typeof NOTICE_KINDS)[number];

/** What a channel may be called: the name is part of file names. */
export const CHANNEL_NAME = /^[a-z0-9][a-z0-9-]{0,31}$/;

/** Where a secret is: `env:NAME` or `file:/path`. The secret itself is never in a file of ours. */
export type SecretPlace = string;

interface OfEveryChannel {
  /** Which events; all if absent. */
  readonly events?: readonly NoticeKind[] | undefined;
  /** Told only when nobody has opened it for so long: the next step of an escalation. */
  readonly afterMinutes?: number | undefined;
  /** Whether the words of questions and reasons are sent, redacted; otherwise only who, where and what kind. */
  readonly text?: boolean | undefined;
  /** Tells in quiet hours, too. */
  readonly inQuietHours?: boolean | undefined;
}

export type ChannelSettings = OfEveryChannel &
  (
    | { readonly type: 'terminal'; readonly title?: boolean | undefined }
    | { readonly type: 'desktop' }
    | {
        readonly type: 'ntfy';
        readonly url: string;
        readonly topic: SecretPlace;
        readonly token?: SecretPlace | undefined;
      }
    | {
        readonly type: 'gotify';
        readonly url: string;
        readonly token: SecretPlace;
        /** A client's token: an application may send, but not delete. */
        readonly clientToken?: SecretPlace | undefined;
      }
    | {
        readonly type: 'webhook';
        /** Of Slack and Discord it is the secret itself, so a place. */
        readonly url: string;
        readonly secret?: SecretPlace | undefined;
        readonly template?: 'json' | 'slack' | 'discord' | undefined;
      }
    | { readonly type: 'command'; readonly command: readonly string[] }
    /** To one browser that asked for it on the page; never in the config by name. */
    | { readonly type: 'push' }
  );

/** What the user said about Web Push, for every device that wants notices. */
export interface PushSettings extends OfEveryChannel {
  /** Push services beside those of the usual browsers, by name. */
  readonly services?: readonly string[] | undefined;
  readonly contact?: string | undefined;
}

export type ChannelType = ChannelSettings['type'];

/** Hours in which nothing is sent, in local time; they may go over midnight. */
export interface QuietHours {
  readonly fromMinute: number;
  readonly toMinute: number;
}

/** What the user configured about notices. */
export interface NoticeSettings {
  readonly channels: Readonly<Record<string, ChannelSettings>>;
  readonly quietHours: QuietHours | null;
  /** What becomes due so soon after a message is told together with what follows. */
  readonly digestMs: number;
}

/** `22:00-07:00` as minutes of the day; undefined where it is no such thing. */
export function parseQuietHours(words: string): QuietHours | undefined {
  const [, fromHour, fromMinute, toHour, toMinute] =
    /^([01]\d|2[0-3]):([0-5]\d)-([01]\d|2[0-3]):([0-5]\d)$/.exec(words) ?? [];
  if (toMinute === undefined) return undefined;
  const hours = {
    fromMinute: Number(fromHour) * 60 + Number(fromMinute),
    toMinute: Number(toHour) * 60 + Number(toMinute),
  };
  return hours.fromMinute === hours.toMinute ? undefined : hours;
}
