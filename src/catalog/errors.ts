import { HoldfastError, visibleExcerpt, visibleLine } from '../foundation/index.js';
import type { SessionKind } from './kind.js';

/** A session of a kind. */
export interface SessionRef {
  readonly kind: SessionKind;
  readonly id: string;
}

/** The id can be that of no session of any kind; no path was built from it. */
export class InvalidCatalogIdError extends HoldfastError<'INVALID_SESSION_ID'> {
  readonly code = 'INVALID_SESSION_ID';

  constructor(id: string) {
    super(`Invalid session id: ${visibleExcerpt(id, 80)}`, {
      hint: 'Give an id as `holdfast sessions list --all` shows it, or its first 4 or more characters.',
    });
  }
}

/** What was typed fits several sessions, perhaps of different kinds. */
export class AmbiguousSessionError extends HoldfastError<'AMBIGUOUS_ID'> {
  readonly code = 'AMBIGUOUS_ID';
  readonly candidates: readonly SessionRef[];

  constructor(typed: string, candidates: readonly SessionRef[]) {
    const shown = candidates
      .slice(0, MAX_SHOWN)
      .map(({ kind, id }) => `${visibleLine(id)} (${kind})`)
      .join(', ');
    const more = candidates.length > MAX_SHOWN ? ` and ${candidates.length - MAX_SHOWN} more` : '';
    super(`${visibleExcerpt(typed, 80)} fits ${candidates.length} sessions: ${shown}${more}`, {
      hint: 'Give more characters of the id, or say which kind with --kind.',
    });
    this.candidates = candidates;
  }
}

const MAX_SHOWN = 10;

/** Something stands where a session from the trash belongs; both are untouched. */
export class RestoreBlockedError extends HoldfastError<'RESTORE_BLOCKED'> {
  readonly code = 'RESTORE_BLOCKED';

  constructor({ kind, id }: SessionRef) {
    super(`The ${kind} session ${visibleLine(id)} cannot be put back: there is another one in its place`, {
      hint:
        kind === 'loop'
          ? 'Nothing was changed. A project has one loop: delete that one first.'
          : 'Nothing was changed. Delete that one first.',
    });
  }
}
