import { HoldfastError, messageOf, visibleExcerpt } from '../foundation/index.js';
import { FleetRefusedError, FleetRuleError, FleetSchemaError, FleetUnreachableError } from './errors.js';
import { ruleError } from './rule-words.js';

/** Puts a failure of the driver into our words. They cannot contain a password, because the driver never repeats it. */
export function describeFailure(error: unknown, place: string): HoldfastError {
  if (error instanceof HoldfastError) return error;
  const { code, detail } = factsOf(error);
  const said = visibleExcerpt(messageOf(error), 300);
  if (code === 'HFR01') return ruleError(messageOf(error), detail);
  const known = BY_CODE.find(([pattern]) => pattern.test(code));
  if (known !== undefined) return known[1](said, place);
  if (/SASL|password must be/i.test(said))
    return refused('no password is known for this role', PASSWORD_HINT);
  if (/does not support SSL/i.test(said)) return refused(`${place} does not speak TLS`, TLS_HINT);
  if (/certificate|TLS|SSL/i.test(said)) return refused(`TLS with ${place}: ${said}`, TLS_HINT);
  return new FleetUnreachableError(`${place}: ${withoutPlace(said)}`);
}

/** `connect ECONNREFUSED 127.0.0.1:5432` repeats the place, or the address its name resolves to. */
function withoutPlace(said: string): string {
  return said.replace(/^(connect|getaddrinfo) (E[A-Z]+) .*$/s, '$1 $2');
}

const PASSWORD_HINT =
  'The password comes from HOLDFAST_FLEET_URL, from the file that fleet.urlFile names (mode 600), or from ~/.pgpass.';
const TLS_HINT =
  'The certificate must be for this name and signed by somebody this machine trusts; ?sslrootcert=<file> names a signer of your own. docs/fleet.md has more.';
const RIGHTS_HINT =
  'Ask for a role of the fleet (`holdfast fleet invite`), or let the owner of the database do it.';
const SCHEMA_HINT =
  'Make it with `holdfast fleet init`, or bring it up to date with `holdfast fleet migrate`.';

const FAULT_HINT =
  'That should not happen: look for a newer Holdfast, or report it with this message. `holdfast fleet doctor` says what else is wrong.';

/** The server itself undid the statement. That is not certain of a server that is shutting down: it may have kept it. */
const CERTAIN = { isCertain: true };

type Meaning = (said: string, place: string) => HoldfastError;

/** By PostgreSQL's state or Node's error code. */
const BY_CODE: readonly [RegExp, Meaning][] = [
  [/^28/, (said) => refused(said, PASSWORD_HINT)],
  [/^3D000$/, (said) => refused(said, 'Make it first: createdb holdfast.')],
  [/^42710$/, (said) => refused(said, 'Choose another name, or drop that role first.')],
  [/^42501$/, (said) => refused(said, RIGHTS_HINT)],
  [/^(3F000|42P01|42883|42703)$/, (said) => new FleetSchemaError(said, SCHEMA_HINT)],
  [/^25006$/, (_, place) => new FleetUnreachableError(`${place} is read-only`, CERTAIN)],
  [
    /^(53100|53200|57014|40001|40P01)$/,
    (said, place) => new FleetUnreachableError(`${place}: ${said}`, CERTAIN),
  ],
  [/^(53|57|58|08|40)/, (said, place) => new FleetUnreachableError(`${place}: ${said}`)],
  // A statement that this server rejects now will be rejected a second later, too.
  [/^(42|P0|0A)/, (said) => refused(said, FAULT_HINT)],
  [
    /^(22|23)/,
    (said) =>
      new FleetRuleError('not-taken', `The fleet does not accept this: ${said}`, 'Nothing was stored.'),
  ],
  [
    /^(ERR_TLS|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO)/,
    (said, place) => refused(`TLS with ${place}: ${said}`, TLS_HINT),
  ],
];

function refused(reason: string, hint: string): FleetRefusedError {
  return new FleetRefusedError(reason, hint);
}

function factsOf(error: unknown): { readonly code: string; readonly detail: string } {
  const { code, detail } = (typeof error === 'object' && error !== null ? error : {}) as Record<
    string,
    unknown
  >;
  return { code: typeof code === 'string' ? code : '', detail: typeof detail === 'string' ? detail : '' };
}
