// What the scripts of this folder share: our code as it is in `src/` now, and CPU times.
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';

const FILE = fileURLToPath(
  new URL('../../node_modules/.cache/holdfast-fleet/test/ours.mjs', import.meta.url),
);

/** Bundles once, in the process that starts the others. Packages are loaded from where they are. */
export async function buildOurs() {
  const { build } = await import('esbuild');
  await build({
    entryPoints: [fileURLToPath(new URL('ours.ts', import.meta.url))],
    outfile: FILE,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    packages: 'external',
    define: { __HOLDFAST_VERSION__: '"scripts"' },
    logLevel: 'warning',
  });
  return loadOurs();
}

export const loadOurs = () => import(pathToFileURL(FILE).href);

export const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[sorted.length >> 1];
}

/** The time that all threads of a process were on a core. */
export function cpuMsOf(pid) {
  try {
    return readdirSync(`/proc/${pid}/task`).reduce(
      (sum, id) =>
        sum + Number(readFileSync(`/proc/${pid}/task/${id}/schedstat`, 'utf8').split(' ')[0]) / 1e6,
      0,
    );
  } catch {
    return 0; // it ended meanwhile
  }
}

export function childrenOf(parent) {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
        return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]) === parent;
      } catch {
        return false; // it ended while we looked
      }
    })
    .map(Number);
}
