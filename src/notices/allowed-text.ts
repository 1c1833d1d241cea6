import { redact, visibleBlock } from '../foundation/index.js';
import type { NoticeEvent } from './events.js';
import type { ChannelSettings } from './settings.js';

/** No channel shows more. */
const MAX_TEXT = 2_000;

/** The words of an event that a channel may have: none unless the user said so, and never with a secret. */
export function allowedText({ text }: NoticeEvent, { text: isWanted }: ChannelSettings): string | null {
  // Redacted first: half a secret is not known for one.
  return isWanted === true && text !== null
    ? visibleBlock(redact(text.slice(0, 100_000)).slice(0, MAX_TEXT))
    : null;
}
