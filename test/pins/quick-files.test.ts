import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const RECORD = fileURLToPath(new URL('../../dist/.holdfast-bundles.json', import.meta.url));

/** The files of commands that start often; what else is in dist/cli loads as it is needed. */
const QUICK = ['quick', 'hook', 'change', 'runs', 'queue', 'lists'];

it.each(QUICK)('what starts often (%s.cjs) carries no package and nothing that drives an agent', (name) => {
  const inputs = inputsOf(name);
  expect(inputs.length).toBeGreaterThan(50);
  const heavy =
    /^node_modules\/|^src\/agents\/(claude|codex|acp|line)\/|^src\/(tui|web|mcp)\/|^src\/run\/run-loop/;
  expect(inputs.filter((path) => heavy.test(path))).toEqual([]);
});

it('the inbox carries what draws, and neither zod nor commander nor anything that drives an agent', () => {
  const inputs = inputsOf('inbox');
  expect(inputs).toContain('node_modules/ink/build/ink.js');
  const heavy =
    /^node_modules\/(zod|commander)\/|^src\/agents\/(claude|codex|acp|line)\/|^src\/(web|mcp)\/|^src\/run\/run-loop/;
  expect(inputs.filter((path) => heavy.test(path))).toEqual([]);
});

function inputsOf(name: string): string[] {
  const bundles: Record<string, { inputs: Record<string, number> }> = JSON.parse(
    readFileSync(RECORD, 'utf8'),
  );
  return Object.keys(bundles[`dist/cli/${name}.cjs`]?.inputs ?? {});
}
