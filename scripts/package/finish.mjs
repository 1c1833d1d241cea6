// What the build does once the bundles are there: types, notices, SBOM, and a word about sizes.
import { readFileSync } from 'node:fs';
import { keepRecord } from './metafiles.mjs';
import { writeNotices } from './notices.mjs';
import { printSizes } from './sizes.mjs';
import { thirdParties } from './third-parties.mjs';
import { writeTypes } from './types.mjs';

/** Runs in the root of the tree. */
export function finishPackage() {
  const manifest = JSON.parse(readFileSync('package.json', 'utf8'));
  const bundles = keepRecord();
  writeTypes(manifest);
  writeNotices(thirdParties(bundles), manifest);
  printSizes(bundles);
}
