import { execFileSync } from 'node:child_process';
import { renameSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BuildOptions, build } from 'esbuild';
import { madeOnce } from './shared-directory.js';

/**
 * A program built from its TypeScript file once per test run. It is started hundreds of times, so it is small, and
 * CommonJS unless the options say otherwise: Node loads its module machinery only when it meets a module. V8's compiled
 * code is kept beside it.
 */
export async function bundled(file: URL, options: BuildOptions = {}): Promise<string> {
  const isModule = options.format === 'esm';
  const source = fileURLToPath(file);
  const name = basename(source, '.ts');
  // Two files may have the same name.
  const directory = await madeOnce(source.replaceAll('/', '+'), async (outdir) => {
    await buildLight({
      entryPoints: { [name]: source },
      outdir,
      outExtension: { '.js': isModule ? '.mjs' : '.cjs' },
      bundle: true,
      platform: 'node',
      target: 'node20.19',
      format: 'cjs',
      minify: true,
      logLevel: 'warning',
      ...(isModule ? {} : WRAPPED),
      ...options,
    });
    if (!isModule) keepCode(join(outdir, `${name}.cjs`));
  });
  return join(directory, `${name}${isModule ? '.mjs' : '.cjs'}`);
}

/**
 * Builds with the small `node:crypto` of commands that start often, or with Node's own if a program needs more of it: a
 * name missing from the small one fails the first build. Any other fault fails the second build too, which reports it.
 */
async function buildLight(options: BuildOptions): Promise<void> {
  try {
    await build({
      ...options,
      alias: { 'node:crypto': LIGHT_CRYPTO },
      logOverride: { 'import-is-undefined': 'error' },
      logLevel: 'silent',
    });
  } catch {
    await build(options);
  }
}

const LIGHT_CRYPTO = fileURLToPath(new URL('../../src/cli/programs/light-crypto.ts', import.meta.url));

/** Wrapped as Node does it, so that another file can run it. */
const WRAPPED: BuildOptions = {
  banner: { js: '(function(exports,require,module,__filename,__dirname){' },
  footer: { js: '})' },
};

/** Replaces a program with a small file that runs its cached code; running it once creates the cache. */
function keepCode(program: string): void {
  renameSync(program, `${program}.js`);
  writeFileSync(program, `(${runByKeptCode})(require,module,__filename,__dirname)`);
  execFileSync(process.execPath, [program], {
    env: { HOLDFAST_TEST_KEEP_CODE: '1' },
    input: '',
    stdio: ['pipe', 'ignore', 'inherit'],
  });
}

/** Copied into a file of its own as text, so it cannot use anything from here. */
function runByKeptCode(
  require: NodeJS.Require,
  module: NodeJS.Module,
  file: string,
  directory: string,
): void {
  const { existsSync, readFileSync, writeFileSync } = require('node:fs') as typeof import('node:fs');
  const { constants, Script } = require('node:vm') as typeof import('node:vm');
  const kept = `${file}.code`;
  const script = new Script(readFileSync(`${file}.js`, 'latin1'), {
    filename: file,
    cachedData: existsSync(kept) ? readFileSync(kept) : undefined,
    importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  });
  if (process.env.HOLDFAST_TEST_KEEP_CODE === '1')
    process.on('exit', () => writeFileSync(kept, script.createCachedData()));
  script.runInThisContext()(module.exports, require, module, file, directory);
}
