import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { madeOnce } from './shared-directory.js';

/**
 * A `PATH` on which `node --test` repeats what the real one said earlier about the same project files. Most runs of an
 * agent go through the same few states of one small project and check each of them. The two or three processes per
 * check cost more than everything the tests of runs are about. Any other use of `node` reaches the real one.
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

/** The result is moved into place last, so a reader finds all of it. */
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
