// esbuild's `build`, which also remembers what each bundle was made from: notices, SBOM and sizes are told from it.
import { readFileSync, writeFileSync } from 'node:fs';
import { build as bundle } from 'esbuild';

/** Beside what is packed: the package check looks at what the bundles were made from. */
export const RECORD = 'dist/.holdfast-bundles.json';

const built = {};

export async function build(options) {
  const result = await bundle({ ...options, metafile: true });
  Object.assign(built, result.metafile.outputs);
  return result;
}

/** Keeps, for each bundle in dist, the files in it with their bytes. */
export function keepRecord() {
  const bundles = Object.entries(built)
    .filter(([path]) => path.startsWith('dist/'))
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([path, { bytes, inputs }]) => [path, { bytes, inputs: bytesOf(inputs) }]);
  writeFileSync(RECORD, `${JSON.stringify(Object.fromEntries(bundles), null, 1)}\n`);
  return readRecord();
}

export function readRecord() {
  return JSON.parse(readFileSync(RECORD, 'utf8'));
}

/** Every file of which a bundle has at least one byte. */
export function filesIn(bundles) {
  return [...new Set(Object.values(bundles).flatMap(({ inputs }) => Object.keys(inputs)))].sort();
}

/** What was left out of a bundle altogether is none of its files, and neither is a value that the build put in. */
function bytesOf(inputs) {
  const kept = Object.entries(inputs).filter(
    ([path, { bytesInOutput }]) => bytesInOutput > 0 && !/^(?:[<(]|quick-file:)/.test(path),
  );
  return Object.fromEntries(kept.map(([path, { bytesInOutput }]) => [path, bytesInOutput]));
}
