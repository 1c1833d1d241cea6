import { createHmac } from 'node:crypto';
import type { Clock } from '../../foundation/index.js';
import { NoticeNotSentError } from '../errors.js';
import type { ChannelSettings } from '../settings.js';
import type { Message } from '../words.js';
import type { Channel } from './channel.js';
import { request, valueIn } from './http.js';
import { faultOf, readSecret, type SecretTools } from './secrets.js';

type WebhookSettings = Extract<ChannelSettings, { type: 'webhook' }>;

/** A POST to the user's own address: signed, or in the format of Slack or Discord. */
export function webhookChannel(
  tools: SecretTools & { readonly clock: Clock; readonly timeoutMs: number },
  settings: WebhookSettings,
): Channel {
  const { secret, template = 'json' } = settings;
  const { timeoutMs } = tools;
  const address = () => (isPlace(settings.url) ? readSecret(tools, settings.url) : settings.url);
  const channel: Channel = {
    unfit() {
      const ofUrl = isPlace(settings.url) ? faultOf(tools, settings.url) : undefined;
      return ofUrl ?? (secret === undefined ? undefined : faultOf(tools, secret));
    },
    async send(message, signal) {
      const body = JSON.stringify(BODIES[template](message));
      const seconds = String(Math.floor(tools.clock.now().getTime() / 1_000));
      const url = template === 'discord' ? withWait(address()) : address();
      const headers = {
        'content-type': 'application/json',
        'x-holdfast-notice': message.id,
        ...(secret === undefined ? {} : signed(readSecret(tools, secret), seconds, body)),
      };
      const reply = await request({ method: 'POST', url, headers, body, signal, timeoutMs });
      return template === 'discord' ? (valueIn(reply, 'id') ?? null) : null;
    },
  };
  if (template !== 'discord') return channel;
  return {
    ...channel,
    async takeBack({ message }, signal) {
      if (message === null || !/^\d{1,30}$/.test(message))
        throw new NoticeNotSentError('reply', 'Discord did not return the id of the message');
      const url = new URL(address());
      url.pathname = `${url.pathname.replace(/\/+$/, '')}/messages/${message}`;
      await request({ method: 'DELETE', url: url.href, signal, timeoutMs });
    },
  };
}

/** Whether the address is given as the place that holds it. */
function isPlace(url: string): boolean {
  return /^(env|file):/.test(url);
}

/** The receiver computes the same over `<timestamp>.<body>`, and rejects old timestamps. */
function signed(secret: string, seconds: string, body: string): Record<string, string> {
  const mac = createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex');
  return { 'x-holdfast-timestamp': seconds, 'x-holdfast-signature': `sha256=${mac}` };
}

/** Discord returns the id of the message only with this. */
function withWait(address: string): string {
  try {
    const url = new URL(address);
    url.searchParams.set('wait', 'true');
    return url.href;
  } catch {
    throw new NoticeNotSentError('connection', 'the address is not a URL');
  }
}

const BODIES: Readonly<Record<NonNullable<WebhookSettings['template']>, (message: Message) => unknown>> = {
  json: ({ id, title, body, notices }) => ({
    version: 1,
    id,
    title,
    body,
    notices: notices.map((notice) => ({
      id: notice.id,
      kind: notice.kind,
      at: notice.at,
      machine: notice.machine ?? null,
      project: notice.project,
      agent: notice.agent,
      question: notice.question,
      session: notice.shortId,
      detail: notice.detail,
      text: notice.text,
    })),
  }),
  // Blocks of plain text: nothing in it becomes a link, a mention or formatting.
  slack: ({ title, body }) => ({
    text: escapedForSlack(title),
    blocks: [{ type: 'section', text: { type: 'plain_text', text: `${title}\n${body}`.slice(0, 3_000) } }],
  }),
  discord: ({ title, body }) => ({
    embeds: [{ title: title.slice(0, 256), description: escapedForDiscord(body).slice(0, 4_000) }],
    allowed_mentions: { parse: [] },
  }),
};

function escapedForSlack(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

function escapedForDiscord(text: string): string {
  return text.replaceAll(/[\\*_~`|>#[\]()@<-]/g, (sign) => `\\${sign}`);
}
