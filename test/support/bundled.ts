import { execFileSync } from 'node:child_process';
import { renameSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BuildOptions, build } from 'esbuild';
import { madeOnce } from './shared-directory.js';

/**
 * A program from its TypeScript file, built once per run of tests. It is started hundreds of times: small, and CommonJS
 * unless the options say otherwise, because Node loads its machinery for modules only where it meets one, with the code that
 * V8 made of it kept beside it.
 */
export async function bundled(file: URL, options: BuildOptions = {}): Promise<string> {
  const isModule = options.format === 'esm';
  const source = fileURLToPath(file);
  const name = basename(source, '.ts');
  // Two files may have one name.
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
 * With the small `node:crypto` of commands that start often, or with Node's own where a program needs more of it: a name that
 * the small one lacks fails the first build, and whatever else is wrong fails the second, which says so.
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

/** As Node does it, so that it can be run by another file. */
const WRAPPED: BuildOptions = {
  banner: { js: '(function(exports,require,module,__filename,__dirname){' },
  footer: { js: '})' },
};

/** Puts a small file in the place of a program, which runs it by its kept code; that is made by running it once. */
function keepCode(program: string): void {
  renameSync(program, `${program}.js`);
  writeFileSync(program, `(${runByKeptCode})(require,module,__filename,__dirname)`);
  execFileSync(process.execPath, [program], {
    env: { HOLDFAST_TEST_KEEP_CODE: '1' },
    input: '',
    stdio: ['pipe', 'ignore', 'inherit'],
  });
}

/** Stands in a file of its own, by its text: it knows nothing from here. */
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
