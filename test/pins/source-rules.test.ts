import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const SRC = fileURLToPath(new URL('../../src', import.meta.url));

/** What only some files may use, and which: a file, or a folder with its slash. */
const RULES: readonly (readonly [what: string, pattern: RegExp, allowed: readonly string[]])[] = [
  [
    'the environment',
    /\bprocess\.env\b/,
    ['app/config.ts', 'agents/scripted/program/', 'cli/programs/entry.ts', 'cli/programs/code-cache.ts'],
  ],
  ['standard error', /\bprocess\.stderr\b/, ['cli/', 'published/process.ts', 'agents/scripted/program/']],
  ['standard output', /\bprocess\.stdout\b/, ['cli/', 'agents/scripted/program/', 'programs/guard/program/']],
  [
    'the end of the process',
    /\bprocess\.exit(Code)?\b/,
    ['cli/', 'agents/scripted/program/', 'programs/guard/program/'],
  ],
];

const FILES = readdirSync(SRC, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name) && !/\.test\.tsx?$/.test(entry.name))
  .map((entry) => join(entry.parentPath, entry.name));

describe('what only some files may use', () => {
  it.each(RULES)('%s', (_what, pattern, allowed) => {
    const users = FILES.filter((path) => pattern.test(readFileSync(path, 'utf8'))).map((path) =>
      relative(SRC, path),
    );
    const isAllowed = (path: string) =>
      allowed.some((place) => (place.endsWith('/') ? path.startsWith(place) : path === place));
    expect(users.filter((path) => !isAllowed(path))).toEqual([]);
    expect(users).not.toEqual([]);
  });
});

/** Where the published spelling is what is told, or another format than our files. */
const PUBLISHED_SPELLING = [
  'agents/',
  'cli/commands/change/',
  'cli/render/changes.ts',
  'client-settings/',
  // Columns of the database, which happen to be called like keys of our files.
  'fleet/queue/entry-of-row.ts',
  'fleet/questions/mirrored-question.ts',
  'hub/',
  'mcp/tools.ts',
  'published/',
];

describe('the spelling on disk', () => {
  const schemas = FILES.filter((path) => /sessions\/[a-z]+\/schema\.ts$/.test(path));
  const diskNames = new Set(
    schemas.flatMap((path) =>
      [...readFileSync(path, 'utf8').matchAll(/named\(\s*'(\w+_\w+)'/g)].map(([, name]) => name ?? ''),
    ),
  );
  // The name of a number that an agent reports, beside being a key of a record.
  diskNames.delete('files_changed');

  it('is seen by the schema of a kind alone', () => {
    const access = new RegExp(`\\??\\.(?:${[...diskNames].join('|')})\\b`);
    const users = FILES.filter((path) => !schemas.includes(path) && access.test(readFileSync(path, 'utf8')))
      .map((path) => relative(SRC, path))
      .filter((path) => !PUBLISHED_SPELLING.some((place) => path.startsWith(place)));
    expect([diskNames.size > 50, users]).toEqual([true, []]);
  });
});
