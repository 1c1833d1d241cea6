// Records anew what the real agents say when their service does not answer: test/fixtures/agent-limits/<agent>.json.
//   node scripts/record-agent-limits.mjs            all four
//   node scripts/record-agent-limits.mjs codex      one of them
// They talk to the stand-in alone, where nobody else can be reached. Look at the differences before you keep them:
// `becomes` is what test/agents/limit-cases.ts wants of each, and src/agents/service-errors.test.ts tells where it is not so.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { isolation } from './agents-cache.mjs';

process.chdir(fileURLToPath(new URL('..', import.meta.url)));
const way = isolation();
if (way === undefined) {
  console.error('This machine has no network namespaces: real agents would reach more than the stand-in.');
  process.exit(1);
}
const only = process.argv[2] === undefined ? [] : ['-t', `what ${process.argv[2]} says`];
const tests = ['run', '--project', 'agents', 'test/agents/limits.test.ts', '--maxConcurrency=3', ...only];
const [command, ...args] = [...way, process.execPath, 'node_modules/vitest/vitest.mjs', ...tests];
const env = { ...process.env, HOLDFAST_RECORD_LIMITS: '1' };
const { status } = spawnSync(command, args, { stdio: 'inherit', env });
process.exit(status ?? 1);
