import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto';
import { InvalidInputError, visibleExcerpt } from '../foundation/index.js';
import type { HubConnection } from './connection.js';

/** What a login may do: send and answer, share its own work, or only look. */
export type FleetRole = 'person' | 'worker' | 'viewer';

export interface NewRole {
  readonly name: string;
  readonly password: string;
  /** The statement that creates it. It contains no password: a verifier is useless to anybody who reads a log. */
  readonly sql: string;
}

const NAME = /^[a-z_][a-z0-9_]{0,62}$/;

/** Makes a login for a person or a machine. Throws INVALID_INPUT if the name cannot be one. */
export function newRole(name: string, role: FleetRole): NewRole {
  if (!NAME.test(name))
    throw new InvalidInputError(
      `${JSON.stringify(visibleExcerpt(name, 80))} cannot be a login: a login consists of a–z, 0–9 and _, does not begin with a digit, and has at most 63 characters`,
      { place: 'name', hint: `For example: holdfast fleet invite ${loginLike(name)}` },
    );
  const password = randomBytes(18).toString('base64url');
  return {
    name,
    password,
    sql: `create role ${name} login password '${verifierOf(password)}' in role holdfast_${role};`,
  };
}

/** The login that a person may have meant. */
function loginLike(name: string): string {
  const login = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9_]+/g, '_')
    .replace(/^[_0-9]+/, '')
    .replace(/_+$/, '')
    .slice(0, 63);
  return login === '' ? 'bob' : login;
}

/** Whether this connection may create roles. */
export async function mayMakeRoles(connection: HubConnection): Promise<boolean> {
  const [row] = await connection.rows(
    'select rolcreaterole or rolsuper as is_allowed from pg_roles where rolname = current_user',
  );
  return row?.is_allowed === true;
}

const ROUNDS = 4_096;

/** SCRAM-SHA-256 as PostgreSQL stores it (RFC 5802). The password is plain ASCII, so it needs no SASLprep. */
function verifierOf(password: string): string {
  const salt = randomBytes(16);
  const salted = pbkdf2Sync(password, salt, ROUNDS, 32, 'sha256');
  const keyOf = (word: string) => createHmac('sha256', salted).update(word).digest();
  const stored = createHash('sha256').update(keyOf('Client Key')).digest('base64');
  return `SCRAM-SHA-256$${ROUNDS}:${salt.toString('base64')}$${stored}:${keyOf('Server Key').toString('base64')}`;
}
