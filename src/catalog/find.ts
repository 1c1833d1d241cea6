import { AmbiguousIdError, SessionNotFoundError } from '../foundation/index.js';
import { InvalidCatalogIdError, type SessionRef } from './errors.js';
import { LISTED_BY } from './kind.js';

/** What the ids of all kinds and the names of changes have in common. Made only when needed: its tables cost every start. */
const shape = () => /^[\p{L}\p{N}][\p{L}\p{M}\p{N}._ -]{0,199}$/u;
const MIN_PREFIX = 4;
/** Every process session id starts like this, so these characters do not tell ids apart. */
const PROCESS = 'ses_';

/**
 * The session that was meant: an exact id of any length, or the only one that starts with the 4 or more characters
 * given. Throws INVALID_SESSION_ID, SESSION_NOT_FOUND, AMBIGUOUS_ID.
 */
export function findSession<Ref extends SessionRef>(
  known: readonly Ref[],
  typed: string,
  listedBy = LISTED_BY,
): Ref {
  if (!shape().test(typed)) throw new InvalidCatalogIdError(typed);
  const exact = known.filter(({ id }) => id === typed);
  const fitting = exact.length > 0 ? exact : known.filter(({ id }) => startsWith(id, typed));
  if (fitting.length > 1) throw ambiguous(typed, fitting);
  const [found] = fitting;
  if (found === undefined) throw new SessionNotFoundError(typed, listedBy);
  return found;
}

function ambiguous(typed: string, fitting: readonly SessionRef[]): AmbiguousIdError {
  const ids = fitting.map(({ id }) => id);
  return new AmbiguousIdError(typed, ids, {
    hint: 'Give more characters of the id; `holdfast sessions` also takes --kind.',
    describe: (index) => ` (${fitting[index]?.kind})`,
  });
}

/** Generated ids are in lower case, however they are typed. */
function startsWith(id: string, typed: string): boolean {
  const [name, start] = id.startsWith(PROCESS) ? [bare(id), bare(typed)] : [id, typed];
  if (start.length < MIN_PREFIX) return false;
  return name.startsWith(start) || name.startsWith(start.toLowerCase());
}

function bare(id: string): string {
  return id.startsWith(PROCESS) ? id.slice(PROCESS.length) : id;
}
