import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { madeOnce } from './shared-directory.js';

/**
 * A `PATH` on which `node --test` says about the files of a project what the real one said about the same files before.
 * Most runs of an agent go through the same few states of one small project, with the checks run on each of them, and
 * the two or three processes that they take cost more than everything that the tests of runs are about. Everything else
 * that `node` is asked is asked of the real one.
 */
export async function pathWithRememberedChecks(path: string): Promise<string> {
  const directory = await madeOnce('remembered-checks', async (made) => {
    const program = join(made, 'node');
    mkdirSync(join(made, 'said'));
    writeFileSync(program, REMEMBERING.replaceAll('NODE', quoted(process.execPath)));
    chmodSync(program, 0o755);
  });
  return `${directory}${delimiter}${path}`;
}

/** What was said is moved into place last, so that whoever finds it finds all of it. */
const REMEMBERING = `#!/bin/sh
[ "$*" = --test ] || exec NODE "$@"
said=\${0%/*}/said
key=$(find . -name .git -prune -o -type f \\( -name '*.js' -o -name '*.[cm]js' -o -name package.json \\) -exec cksum {} + | LC_ALL=C sort | cksum | tr ' ' -)
if [ ! -d "$said/$key" ]; then
  draft=$(mktemp -d "$said/.XXXXXX")
  NODE --test > "$draft/out" 2> "$draft/err"
  echo $? > "$draft/code"
  mv "$draft" "$said/$key"
fi
cat "$said/$key/err" >&2
cat "$said/$key/out"
exit "$(cat "$said/$key/code")"
`;

function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
