import { NoticeNotSentError } from '../errors.js';
import type { ChannelSettings } from '../settings.js';
import type { Channel } from './channel.js';
import { request, valueIn } from './http.js';
import { faultOf, readSecret, type SecretTools } from './secrets.js';

const HIGH = 8;
const NORMAL = 5;

/** Gotify. It numbers its messages itself. Deleting one needs a client token, because an application may only send. */
export function gotifyChannel(
  tools: SecretTools & { readonly timeoutMs: number },
  settings: Extract<ChannelSettings, { type: 'gotify' }>,
): Channel {
  const { token, clientToken } = settings;
  const base = settings.url.replace(/\/+$/, '');
  const { timeoutMs } = tools;
  return {
    unfit: () => faultOf(tools, token),
    async send({ id, title, body, isUrgent }, signal) {
      const reply = await request({
        method: 'POST',
        url: `${base}/message`,
        headers: { 'content-type': 'application/json', 'x-gotify-key': readSecret(tools, token) },
        body: JSON.stringify({
          title,
          message: body,
          priority: isUrgent ? HIGH : NORMAL,
          extras: { 'holdfast::notice': { id } },
        }),
        signal,
        timeoutMs,
      });
      return valueIn(reply, 'id') ?? null;
    },
    async takeBack({ message }, signal) {
      if (message === null || !/^\d{1,20}$/.test(message))
        throw new NoticeNotSentError('reply', 'Gotify did not return the id of the message');
      if (clientToken === undefined)
        throw new NoticeNotSentError(
          'secret',
          'deleting a message needs clientToken, which is not configured',
        );
      await request({
        method: 'DELETE',
        url: `${base}/message/${message}`,
        headers: { 'x-gotify-key': readSecret(tools, clientToken) },
        signal,
        timeoutMs,
      });
    },
  };
}
