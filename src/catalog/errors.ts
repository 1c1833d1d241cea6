import { HoldfastError, visibleExcerpt, visibleLine } from '../foundation/index.js';
import type { SessionKind } from './kind.js';

/** A session's kind and id. */
export interface SessionRef {
  readonly kind: SessionKind;
  readonly id: string;
}

/** The id is not valid for a session of any kind; no path was built from it. */
export class InvalidCatalogIdError extends HoldfastError<'INVALID_SESSION_ID'> {
  readonly code = 'INVALID_SESSION_ID';

  constructor(id: string) {
    super(`Invalid session id: ${visibleExcerpt(id, 80)}`, {
      hint: 'Give an id as `holdfast sessions list --all` shows it, or its first 4 or more characters.',
    });
  }
}

/** Something is in the place where a session from the trash belongs; both are untouched. */
export class RestoreBlockedError extends HoldfastError<'RESTORE_BLOCKED'> {
  readonly code = 'RESTORE_BLOCKED';

  constructor({ kind, id }: SessionRef) {
    super(`The ${kind} session ${visibleLine(id)} cannot be restored: there is another one in its place`, {
      hint:
        kind === 'loop'
          ? 'Nothing was changed. A project has one loop: delete that one first.'
          : 'Nothing was changed. Delete that one first.',
    });
  }
}
