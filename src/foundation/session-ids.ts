import { HoldfastError } from './errors.js';
import { visibleExcerpt, visibleLine } from './text/visible-text.js';

/** There is no session with this id. */
export class SessionNotFoundError extends HoldfastError<'SESSION_NOT_FOUND'> {
  readonly code = 'SESSION_NOT_FOUND';

  /** `listedBy` is the command that lists the known sessions. */
  constructor(sessionId: string, listedBy = 'holdfast questions list --all') {
    super(`Session not found: ${visibleExcerpt(sessionId, 80)}`, {
      hint: `List the known ones with \`${listedBy}\`.`,
    });
  }
}

/** The typed id fits several sessions. */
export class AmbiguousIdError extends HoldfastError<'AMBIGUOUS_ID'> {
  readonly code = 'AMBIGUOUS_ID';
  /** Their full ids. */
  readonly candidates: readonly string[];

  /** `describe` adds to the id of a candidate, for example its kind. */
  constructor(
    typed: string,
    candidates: readonly string[],
    options: { readonly hint?: string; readonly describe?: (index: number) => string } = {},
  ) {
    const { hint = 'Give more characters of the id.', describe = () => '' } = options;
    const shown = candidates.slice(0, MAX_SHOWN).map((id, index) => `${visibleLine(id)}${describe(index)}`);
    const more = candidates.length > MAX_SHOWN ? ` and ${candidates.length - MAX_SHOWN} more` : '';
    super(`${visibleExcerpt(typed, 80)} fits ${candidates.length} sessions: ${shown.join(', ')}${more}`, {
      hint,
    });
    this.candidates = candidates;
  }
}

const MAX_SHOWN = 10;

const MIN_PREFIX = 4;

/**
 * The one id that was meant: an exact match of any length, or the only id that starts with the 4 or more typed
 * characters. Undefined if none fits. Throws AMBIGUOUS_ID.
 */
export function findId(ids: readonly string[], typed: string): string | undefined {
  if (ids.includes(typed)) return typed;
  if (typed.length < MIN_PREFIX) return undefined;
  const candidates = ids.filter((id) => id.startsWith(typed));
  if (candidates.length > 1) throw new AmbiguousIdError(typed, candidates);
  return candidates[0];
}
