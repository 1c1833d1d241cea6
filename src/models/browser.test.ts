import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { expect, it } from 'vitest';

const ENTRIES = ['inbox', 'report', 'run-view', 'top'];

it.each(ENTRIES)(
  'the model of the %s is bundled for a browser: no node built-ins, no packages',
  async (name) => {
    const { metafile, warnings } = await build({
      entryPoints: [fileURLToPath(new URL(`./${name}/index.ts`, import.meta.url))],
      bundle: true,
      write: false,
      platform: 'browser',
      format: 'esm',
      metafile: true,
      logLevel: 'silent',
    });
    expect(warnings).toEqual([]);
    const folders = Object.keys(metafile.inputs).map((path) => path.replace(/^src\/([^/]+)\/.*$/, '$1'));
    expect([...new Set(folders)].sort()).toEqual(['foundation', 'models']);
  },
);
