/** Our own ids are UUIDs; a person's own is a short plain name. Nothing else may become part of a path. */
const SESSION_ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/** Names with a special meaning on some file systems. */
const RESERVED = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;

/** Whether a text can be the id of a change session. */
export function isSessionId(text: string): boolean {
  return SESSION_ID.test(text) && !RESERVED.test(text);
}

/** Whether a text would otherwise be an id, but some file systems reserve it. */
export function isReservedName(text: string): boolean {
  return SESSION_ID.test(text) && RESERVED.test(text);
}
