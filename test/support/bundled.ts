import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BuildOptions, build } from 'esbuild';
import { madeOnce } from './shared-directory.js';

/**
 * A program from its TypeScript file, built once per run of tests. It is started hundreds of times: small, and CommonJS
 * unless the options say otherwise, because Node loads its machinery for modules only where it meets one.
 */
export async function bundled(file: URL, options: BuildOptions = {}): Promise<string> {
  const extension = options.format === 'esm' ? '.mjs' : '.cjs';
  const source = fileURLToPath(file);
  const name = basename(source, '.ts');
  // Two files may have one name.
  const directory = await madeOnce(source.replaceAll('/', '+'), async (outdir) => {
    await build({
      entryPoints: { [name]: source },
      outdir,
      outExtension: { '.js': extension },
      bundle: true,
      platform: 'node',
      target: 'node20.19',
      format: 'cjs',
      minify: true,
      logLevel: 'warning',
      ...options,
    });
  });
  return join(directory, `${name}${extension}`);
}
