import { mkdirSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { storageTools } from '../../../test/support/storage-tools.js';
import { tempDir } from '../../../test/support/temp-dir.js';
import { openPrpPlan } from './prp-plan.js';

describe('a PRP as the plan of a run', () => {
  it('must be a file: a directory is refused with a message about plans', async () => {
    await using dir = await tempDir();
    mkdirSync(dir.at('prps'));
    const open = (shownPath: string) => openPrpPlan(storageTools().fileSystem, dir.at('prps'), shownPath);
    expect(() => open('docs/prps')).toThrow(
      expect.objectContaining({
        code: 'PLAN_NOT_FOUND',
        message: 'There is no plan at docs/prps: it is not a regular file but a directory',
        hint: expect.stringContaining('Give the path of a PRP (a Markdown file'),
      }),
    );
    expect(() => open('')).toThrow(`There is no plan at ${dir.at('prps')}: `);
  });

  it.each(['', ' \n\t\n'])('must say something: an empty file is refused (%j)', async (text) => {
    await using dir = await tempDir();
    writeFileSync(dir.at('login.md'), text);
    expect(() => openPrpPlan(storageTools().fileSystem, dir.at('login.md'), 'login.md')).toThrow(
      expect.objectContaining({
        code: 'PLAN_NOT_FOUND',
        message: 'There is no plan at login.md: the file is empty',
      }),
    );
  });

  it('warns if it has no criteria', async () => {
    await using dir = await tempDir();
    const warningsOn = (text: string) => {
      writeFileSync(dir.at('login.md'), text);
      return openPrpPlan(storageTools().fileSystem, dir.at('login.md'), 'login.md').warnings;
    };
    expect(warningsOn('# Login\n\nSome text')).toEqual([
      expect.stringContaining('login.md has no success criteria'),
    ]);
    expect(warningsOn('# Login\n\n## Success Criteria\n\n- [ ] a form')).toEqual([]);
  });
});
