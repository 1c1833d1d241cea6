// Takes one line of the page's security away at a time and sees whether a test fails: node scripts/web-mutants.mjs. The tree must be
// clean; every file is put back. A line whose loss no test notices is named, and makes the exit code 1.
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const SERVER = 'src/web/server';
const TESTS = ['test/scenarios/web-security.test.ts', 'src/web/server'];

/** File, what is found there, and what is put in its place. */
const MUTANTS = [
  ['gate/check-request.ts', 'if (!isRead && from === null) throw', 'if (false) throw'],
  ['gate/check-request.ts', 'if (from !== null && from !== origin) throw', 'if (false) throw'],
  ['gate/check-request.ts', "if (site !== null && site !== 'same-origin') throw", 'if (false) throw'],
  ['gate/check-request.ts', 'if (cookie === undefined && key === null) throw', 'if (false) throw'],
  ['gate/check-request.ts', '|| device.origin !== own.origin', ''],
  ['gate/check-request.ts', 'if (!isSecretOf(key, device.keyHash)) throw', 'if (false) throw'],
  [
    'app.ts',
    'const own = parts.origins.of(host);',
    "const own = parts.origins.of(host) ?? parts.origins.of('127.0.0.1:' + (host ?? '').split(':').at(-1));",
  ],
  ['app.ts', "    assertOwnPage(c.req.raw, c.get('own'));\n", ''],
  ['app.ts', 'if (!isAllowed(device.can, needed)) throw', 'if (false) throw'],
  ['app.ts', 'if (isWrite && parts.writes.isOver(device.id)) throw', 'if (false) throw'],
  ['app.ts', 'if (isWrite && !isStillSignedIn(parts.place, device.id)) throw', 'if (false) throw'],
  ['app.ts', 'for (const [name, value] of Object.entries(EVERYWHERE)) c.res.headers.set(name, value);', ''],
  ['gate/read-json.ts', 'throw new NotJsonError();', 'void 0;'],
  ['gate/read-json.ts', 'if (length > MAX_BODY_BYTES) throw', 'if (false) throw'],
  ['gate/cookie.ts', 'values.length === 1 && ', ''],
  ['gate/cookie.ts', 'HttpOnly; ', ''],
  ['gate/cookie.ts', 'SameSite=Strict; ', ''],
  ['gate/headers.ts', `    "require-trusted-types-for 'script'",\n`, ''],
  ['gate/headers.ts', `    "frame-ancestors 'none'",\n`, ''],
  [
    'gate/reach.ts',
    "if (tls === undefined && !behind.some((origin) => origin.startsWith('https:')))",
    'if (false)',
  ],
  ['files/codes.ts', 'if (nowMs > expiresMs || nowMs < createdMs) return undefined;', ''],
  [
    'files/codes.ts',
    "return createFile(tools, mark, '') ? known.can : undefined;",
    "createFile(tools, mark, '');\n  return known.can;",
  ],
  ['routes/sign-in.ts', 'if (failures.isOver(EVERYBODY)) throw', 'if (false) throw'],
];

const root = fileURLToPath(new URL('..', import.meta.url));
const dirty = spawnSync('git', ['status', '--porcelain', '--', 'src'], {
  cwd: root,
  encoding: 'utf8',
}).stdout;
if (dirty !== '') {
  console.error('src is not as it was committed; commit or stash it first.');
  process.exit(2);
}
const unnoticed = [];
for (const [file, found, instead] of MUTANTS) {
  const path = `${root}${SERVER}/${file}`;
  const source = readFileSync(path, 'utf8');
  if (!source.includes(found)) throw new Error(`${file} has no such line any more: ${found}`);
  writeFileSync(
    path,
    source.replace(found, () => instead),
  );
  try {
    const { status, stdout } = runTests();
    const name = /(?:×|FAIL).*?(W03[^\n]*|[^\n]{10,})/.exec(stdout)?.[1]?.trim() ?? '';
    console.log(
      `${status === 0 ? 'UNNOTICED' : 'noticed'}  ${file}: ${found.trim().slice(0, 60)}  ${status === 0 ? '' : name.slice(0, 110)}`,
    );
    if (status === 0) unnoticed.push(`${file}: ${found.trim()}`);
  } finally {
    writeFileSync(path, source);
  }
}
console.log(`${MUTANTS.length - unnoticed.length} of ${MUTANTS.length} noticed`);
process.exitCode = unnoticed.length === 0 ? 0 : 1;

function runTests() {
  const vitest = `${root}node_modules/vitest/vitest.mjs`;
  const args = [vitest, 'run', '--bail=1', '--project', 'scenarios', '--project', 'unit', ...TESTS];
  const environment = { ...process.env, NO_COLOR: '1', HOLDFAST_TEST_WEB_HERE: '1' };
  return spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8', env: environment });
}
