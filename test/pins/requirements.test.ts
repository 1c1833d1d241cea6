import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { REQUIREMENTS } from '../requirements.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const CITATION = /\bverifies\w*\(\s*'([^']+)'/g;

describe('requirements', () => {
  const cited = citedRequirements();

  it.each(Object.entries(REQUIREMENTS))('%s has a test: %s', (id) => {
    expect(cited.get(id) ?? [], `no test cites ${id}`).not.toEqual([]);
  });

  it('are the only ones that tests cite', () => {
    const unknown = [...cited].filter(([id]) => !(id in REQUIREMENTS));
    expect(unknown).toEqual([]);
  });
});

/** Which test files cite which requirement. */
function citedRequirements(): Map<string, string[]> {
  const cited = new Map<string, string[]>();
  for (const file of testFiles()) {
    for (const [, id = ''] of readFileSync(join(ROOT, file), 'utf8').matchAll(CITATION)) {
      cited.set(id, [...(cited.get(id) ?? []), file]);
    }
  }
  return cited;
}

function testFiles(): string[] {
  return ['src', 'test'].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.test\.tsx?$/.test(name))
      .map((name) => join(folder, name)),
  );
}
