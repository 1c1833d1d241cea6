import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const DOCUMENT = readFileSync(join(ROOT, 'docs/architecture.md'), 'utf8');
/** A folder with more files than this is a drawer, unless the document says why it is not. */
const ROOMY = 20;

interface Rule {
  readonly name: string;
  readonly from: { readonly path?: string };
  readonly to: { readonly pathNot?: readonly string[] };
}

describe('docs/architecture.md', () => {
  it('has the import table of the linter, row by row', () => {
    expect(tableOfDocument()).toEqual(tableOfLinter());
  });

  it('names no file or folder of src that is not there', () => {
    const paths = [...DOCUMENT.matchAll(/`(?:src\/)?([a-z][\w-]*\/[\w./-]*)`/g)].map(
      ([, path]) => path ?? '',
    );
    const ours = paths.filter((path) => folders().includes(path.split('/')[0] ?? ''));
    expect(ours.length).toBeGreaterThan(20);
    expect(ours.filter((path) => !existsSync(join(ROOT, 'src', path)))).toEqual([]);
  });

  it('explains every folder that has more than twenty files', () => {
    const crowded = directories().filter((path) => filesIn(path).length > ROOMY);
    const section = DOCUMENT.split(/^## /m).find((part) =>
      part.startsWith('Rooms with more than twenty files'),
    );
    expect(crowded.filter((path) => !section?.includes(`\`${relative(join(ROOT, 'src'), path)}\``))).toEqual(
      [],
    );
  });

  it('draws every folder of src', () => {
    const drawing = /```\nsrc\/\n([\s\S]*?)```/.exec(DOCUMENT)?.[1] ?? '';
    expect(folders().filter((name) => !new RegExp(`^ {2}${name}/`, 'm').test(drawing))).toEqual([]);
  });
});

/** Which folder may import which, as `dependency-cruiser` refuses everything else. */
function tableOfLinter(): Record<string, readonly string[]> {
  const { forbidden } = createRequire(import.meta.url)(join(ROOT, '.dependency-cruiser.cjs')) as {
    forbidden: readonly Rule[];
  };
  const rows = forbidden
    .filter(({ name }) => name.startsWith('imports-of-'))
    .map(({ from, to }) => {
      const [own = '', ...allowed] = [from.path ?? '', ...(to.pathNot ?? [])].map((path) =>
        path
          .replace(/^\^src\//, '')
          .replace(/\/$/, '')
          .replace('[^/]+', '*'),
      );
      return [own, allowed.filter((name) => name !== own).sort()] as const;
    });
  return Object.fromEntries(rows.sort());
}

function tableOfDocument(): Record<string, readonly string[]> {
  const section = DOCUMENT.split(/^## /m).find((part) => part.startsWith('Who may import whom')) ?? '';
  const rows = [...section.matchAll(/^\| `([^`]+)` +\| (.+?) *\|$/gm)].map(([, own = '', cell = '']) => {
    const allowed = [...cell.matchAll(/`([^`]+)`/g)].map(([, name]) => name ?? '').sort();
    return [own, allowed] as const;
  });
  return Object.fromEntries(rows.sort());
}

function folders(): string[] {
  return readdirSync(join(ROOT, 'src'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);
}

function directories(): string[] {
  return readdirSync(join(ROOT, 'src'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name));
}

function filesIn(path: string): string[] {
  return readdirSync(path).filter((name) => /\.tsx?$/.test(name) && !/\.test\.tsx?$/.test(name));
}
