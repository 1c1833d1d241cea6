import { join } from 'node:path';
import { PROJECT_KEYS } from '../foundation/index.js';
import { type FileSystem, readUserFile } from '../storage/index.js';

/** The likely checks of a project, as a person would type them. Nothing here is run. */
export interface VerifyCommands {
  readonly checks: readonly string[];
  readonly tests: string;
}

/** Guesses the checks of a project from the files at its root; empty if there is no sign of any. */
export function guessVerifyCommands(fileSystem: FileSystem, root: string): VerifyCommands {
  const read = (name: string) => readUserFile(fileSystem, join(root, name));
  if (read('Cargo.toml') !== undefined)
    return { checks: ['cargo check', 'cargo clippy -- -D warnings'], tests: 'cargo test' };
  const manifest = read('package.json');
  if (manifest !== undefined) return scriptsOf(manifest);
  if (read('pyproject.toml') !== undefined || read('setup.py') !== undefined)
    return { checks: ['python -m mypy .'], tests: 'python -m pytest' };
  if (read('go.mod') !== undefined) return { checks: ['go vet ./...'], tests: 'go test ./...' };
  return NOTHING;
}

const NOTHING: VerifyCommands = { checks: [], tests: '' };
const TESTS = 'test';
const CHECKS = PROJECT_KEYS.packageScripts.filter((name) => name !== TESTS);

/** Only scripts that exist; a manifest that is not JSON gives none. */
function scriptsOf(manifest: string): VerifyCommands {
  let scripts: unknown;
  try {
    scripts = (JSON.parse(manifest) as { scripts?: unknown } | null)?.scripts;
  } catch {
    return NOTHING;
  }
  if (typeof scripts !== 'object' || scripts === null) return NOTHING;
  const checks = CHECKS.filter((name) => Object.hasOwn(scripts, name)).map((name) => `npm run ${name}`);
  return { checks, tests: Object.hasOwn(scripts, TESTS) ? 'npm test' : '' };
}
