import { existsSync, readdirSync, realpathSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';

/** Where the programs of PostgreSQL are: on PATH, or where Debian puts them. Undefined if there are none. */
export const POSTGRES = findPostgres();

function findPostgres(): string | undefined {
  const debian = '/usr/lib/postgresql';
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : [];
  const places = [
    ...(process.env.PATH ?? '').split(delimiter),
    ...versions.map((one) => join(debian, one, 'bin')),
  ];
  const found = places.find(
    (place) => existsSync(join(place, 'initdb')) && existsSync(join(place, 'postgres')),
  );
  // A link may lead there from a place with only a few of the tools.
  return found === undefined ? undefined : dirname(realpathSync(join(found, 'postgres')));
}
