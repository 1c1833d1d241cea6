import type { ChannelSettings } from '../settings.js';
import type { Channel } from './channel.js';
import { request } from './http.js';
import { faultOf, readSecret, type SecretTools } from './secrets.js';

const HIGH = 4;
const NORMAL = 3;

/**
 * ntfy. A message carries our id as its sequence id: from server 2.16 on, a second try replaces the first, and the id can be
 * used to delete the message. An older server answers the deletion with an error, and the message stays.
 */
export function ntfyChannel(
  tools: SecretTools & { readonly timeoutMs: number },
  settings: Extract<ChannelSettings, { type: 'ntfy' }>,
): Channel {
  const { topic, token } = settings;
  const base = settings.url.replace(/\/+$/, '');
  const headers = () => ({
    'content-type': 'application/json',
    ...(token === undefined ? {} : { authorization: `Bearer ${readSecret(tools, token)}` }),
  });
  return {
    unfit: () => faultOf(tools, topic) ?? (token === undefined ? undefined : faultOf(tools, token)),
    async send({ id, title, body, isUrgent }, signal) {
      const message = {
        topic: readSecret(tools, topic),
        title,
        message: body,
        priority: isUrgent ? HIGH : NORMAL,
        sequence_id: id,
      };
      const { timeoutMs } = tools;
      // Sent to the root as JSON: a header cannot carry every character of a title.
      await request({
        method: 'POST',
        url: `${base}/`,
        headers: headers(),
        body: JSON.stringify(message),
        signal,
        timeoutMs,
      });
      return id;
    },
    async takeBack({ id }, signal) {
      const url = `${base}/${encodeURIComponent(readSecret(tools, topic))}/${id}`;
      await request({ method: 'DELETE', url, headers: headers(), signal, timeoutMs: tools.timeoutMs });
    },
  };
}
