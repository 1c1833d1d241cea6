import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { HOLDFAST } from '../../src/cli/programs/holdfast-table.js';
import { checkCommandLine, quotedCommands } from '../support/command-lines.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

const DOCUMENTS = [
  'README.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  ...readdirSync(join(ROOT, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];

const COMMANDS = ((await HOLDFAST.groups?.()) ?? []).flatMap(({ commands }) => commands);

/** What a person copies from: console blocks, without what stands behind `#`. */
function typed(path: string): string[] {
  const blocks = [...read(path).matchAll(/^```console\n([\s\S]*?)^```/gm)].map(([, block = '']) => block);
  return quotedCommands(blocks.join('').replaceAll(/ +#[^\n]*$/gm, ''));
}

describe('the documents', () => {
  it.each(['README.md', 'docs/guide.md'].flatMap((path) => typed(path).map((line) => [path, line])))(
    '%s names a command that exists: %s',
    async (_path, line) => {
      await expect(checkCommandLine(line ?? '')).resolves.toBeUndefined();
    },
  );

  it.each(COMMANDS.map((command) => [command.usage, command] as const))(
    'docs/cli.md has the command %s with each of its options',
    (usage, command) => {
      const text = read('docs/cli.md');
      const words = usage.replaceAll(/ [<[].*$/g, '').split(' ');
      expect(text).toMatch(new RegExp(`holdfast ${words[0]}\\b`));
      expect(text).toContain(words.at(-1));
      const missing = Object.keys(command.options)
        .map((option) => `--${option.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`)
        .filter((option) => !new RegExp(`${option}(?![\\w-])`).test(text));
      expect(missing).toEqual([]);
    },
  );

  it.each(DOCUMENTS)('%s links to files and headings that exist', (path) => {
    const broken = [...read(path).matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)/g)].filter(
      ([, file = '', anchor]) => {
        const target = file === '' ? path : join(dirname(path), file);
        if (!existsSync(join(ROOT, target))) return true;
        return anchor !== undefined && !anchorsOf(read(target)).includes(anchor);
      },
    );
    expect(broken.map(([link]) => link)).toEqual([]);
  });
});

/** The headings of a document as links name them. */
function anchorsOf(text: string): string[] {
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  );
}
