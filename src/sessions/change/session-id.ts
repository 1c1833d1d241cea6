/** An id of ours is a UUID; a person's own is a short plain name. Nothing else gets near a path. */
const SESSION_ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/** Names that some file systems give a meaning of their own. */
const RESERVED = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;

/** Whether a text can be the id of a change session. */
export function isSessionId(text: string): boolean {
  return SESSION_ID.test(text) && !RESERVED.test(text);
}

/** Whether a text would be an id, and is kept for something else by some file systems. */
export function isReservedName(text: string): boolean {
  return SESSION_ID.test(text) && RESERVED.test(text);
}
