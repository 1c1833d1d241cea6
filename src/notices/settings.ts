/** What people get notices about. `test` is what `holdfast notify test` sends. */
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

/** A valid channel name; it becomes part of file names. */
export const CHANNEL_NAME = /^[a-z0-9][a-z0-9-]{0,31}$/;

/** Where a secret is: `env:NAME` or `file:/path`. The secret itself is never in our files. */
export type SecretPlace = string;

interface OfEveryChannel {
  /** Which events; all if absent. */
  readonly events?: readonly NoticeKind[] | undefined;
  /** Sent only if nobody has opened it for this long: the next step of an escalation. */
  readonly afterMinutes?: number | undefined;
  /** Whether the words of questions and reasons are sent, redacted; otherwise only who, where and what kind. */
  readonly text?: boolean | undefined;
  /** Also sends in quiet hours. */
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
        /** A client token: an application may send, but not delete. */
        readonly clientToken?: SecretPlace | undefined;
      }
    | {
        readonly type: 'webhook';
        /** For Slack and Discord the URL is itself a secret, so this is the place that holds it. */
        readonly url: string;
        readonly secret?: SecretPlace | undefined;
        readonly template?: 'json' | 'slack' | 'discord' | undefined;
      }
    | { readonly type: 'command'; readonly command: readonly string[] }
    /** To one browser that asked for it on the page; never named in the config. */
    | { readonly type: 'push' }
  );

/** The user's Web Push settings, for every device that wants notices. */
export interface PushSettings extends OfEveryChannel {
  /** More push services, by name, in addition to those of the usual browsers. */
  readonly services?: readonly string[] | undefined;
  readonly contact?: string | undefined;
}

export type ChannelType = ChannelSettings['type'];

/** Hours in which nothing is sent, in local time; they may span midnight. */
export interface QuietHours {
  readonly fromMinute: number;
  readonly toMinute: number;
}

/** The user's settings for notices. */
export interface NoticeSettings {
  readonly channels: Readonly<Record<string, ChannelSettings>>;
  readonly quietHours: QuietHours | null;
  /** Notices that become due this soon after a message are collected and sent as one. */
  readonly digestMs: number;
}

/** `22:00-07:00` as minutes of the day; undefined if the words have another form. */
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
