import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { tempDir } from '../../test/support/temp-dir.js';
import { nodeFileSystem } from '../storage/index.js';
import { countDocuments } from './count-documents.js';

async function count(files: readonly string[]) {
  await using dir = await tempDir();
  for (const file of files) {
    mkdirSync(dirname(dir.at(file)), { recursive: true });
    writeFileSync(dir.at(file), '');
  }
  return countDocuments(nodeFileSystem, dir.path);
}

describe('the documents of a project', () => {
  it('are counted wherever they are, decision records among them', async () => {
    const files = ['README.md', 'docs/usage.rst', 'docs/decisions/0001-x.md', 'docs/adr-2.md', 'src/code.ts'];
    expect(await count(files)).toEqual({ total: 4, decisionRecords: 2 });
  });

  it('leave out what others wrote, our own, and the readme of the records', async () => {
    const files = ['node_modules/a/README.md', '.prp-session/x.md', 'docs/adr/README.md'];
    expect(await count(files)).toEqual({ total: 1, decisionRecords: 0 });
  });

  it('do not include what links lead to', async () => {
    await using dir = await tempDir();
    symlinkSync('..', dir.at('up'));
    symlinkSync('/etc/hostname', dir.at('link.md'));
    expect(countDocuments(nodeFileSystem, dir.path)).toEqual({ total: 0, decisionRecords: 0 });
  });
});
