import { redact, visibleBlock } from '../foundation/index.js';
import type { NoticeEvent } from './events.js';
import type { ChannelSettings } from './settings.js';

/** No channel shows more. */
const MAX_TEXT = 2_000;

/** The words of an event that a channel may have: none unless the user allowed them, and never a secret. */
export function allowedText({ text }: NoticeEvent, { text: isWanted }: ChannelSettings): string | null {
  // Redacted before it is cut: half a secret would not be recognised.
  return isWanted === true && text !== null
    ? visibleBlock(redact(text.slice(0, 100_000)).slice(0, MAX_TEXT))
    : null;
}
