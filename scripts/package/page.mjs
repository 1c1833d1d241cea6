// The page of the browser, built before the command line and embedded in the chunk of its server: no path is ever read from a
// URL. See src/web/server/assets.ts.
import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from './metafiles.mjs';
import { pocketFiles } from './pocket.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const FOLDER = 'src/web/page';
/** Where places that load late begin; `/` at the end: with something behind it. */
const LATE = {
  '/s/': 'reader/transcript.tsx',
  '/s': 'sessions/session-list.tsx',
  '/r/': 'runs/run-page.tsx',
  '/devices': 'devices/devices.tsx',
};
const TARGET = ['chrome125', 'firefox128', 'safari17.5'];
const BUNDLE = {
  absWorkingDir: root,
  bundle: true,
  write: false,
  platform: 'browser',
  target: TARGET,
  minify: true,
  charset: 'utf8',
  legalComments: 'none',
  logLevel: 'warning',
};

/**
 * Every file of the page as { path, type, text, gzip, isImmutable }, the shell as `/` with what each late place needs; which of
 * them the shell loads by itself; and what is embedded of them. Bundled as if they were below `outdir`; nothing is written.
 */
export async function buildPage(outdir) {
  const booted = await build({
    ...BUNDLE,
    format: 'iife', // no module: those wait until the document was read
    entryPoints: { boot: `${FOLDER}/boot.ts` },
    entryNames: '[name]-[hash]',
    outdir: `${outdir}/page`,
  });
  const { outputFiles, metafile } = await build({
    ...BUNDLE,
    format: 'esm',
    splitting: true,
    jsx: 'automatic',
    jsxImportSource: 'preact',
    define: { 'process.env.NODE_ENV': '"production"' },
    plugins: [oneShared],
    entryPoints: { app: `${FOLDER}/main.tsx`, style: `${FOLDER}/page.css` },
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    outdir: `${outdir}/page`,
  });
  const text = new Map([...booted.outputFiles, ...outputFiles].map((file) => [nameOf(file.path), file.text]));
  const outputs = Object.entries(metafile.outputs);
  const made = (entry) =>
    outputs.find(([, { entryPoint }]) => entryPoint === `${FOLDER}/${entry}`)?.[0] ?? '';
  const app = made('main.tsx');
  const preloads = staticImports(metafile.outputs, app);
  const [boot, style] = [booted.outputFiles[0]?.path ?? '', made('page.css')];
  const shell = readFileSync(`${root}${FOLDER}/shell.html`, 'utf8')
    .replace('%boot%', `/${nameOf(boot)}`)
    .replace('%style%', `/${nameOf(style)}`)
    .replace('%app%', `/${nameOf(app)}`)
    .replace(
      '%preloads%',
      preloads.map((path) => `<link rel="modulepreload" href="/${nameOf(path)}">`).join(''),
    )
    .replaceAll(/>\s+</g, '><');
  const files = [...text].map(([name, content]) => ({
    path: `/${name}`,
    type: name.endsWith('.css') ? 'text/css; charset=utf-8' : 'text/javascript; charset=utf-8',
    content,
    isImmutable: true,
  }));
  const first = ['/', ...[boot, style, app, ...preloads].map((path) => `/${nameOf(path)}`)];
  // The place that is shown without a server needs what makes it so, too.
  const carry = made('pocket/carry.ts');
  const kept = [carry, ...staticImports(metafile.outputs, carry)].map((path) => `/${nameOf(path)}`);
  const late = Object.entries(LATE).map(([place, entry]) => {
    const needed = [made(entry), ...staticImports(metafile.outputs, made(entry))];
    return [place, needed.map((path) => `/${nameOf(path)}`).filter((path) => !first.includes(path))];
  });
  const pocket = await pocketFiles({
    root,
    folder: FOLDER,
    target: TARGET,
    outdir,
    shell: [...new Set([...first, ...kept])],
    text: shell,
  });
  const all = [
    {
      path: '/',
      type: 'text/html; charset=utf-8',
      content: shell,
      isImmutable: false,
      late: Object.fromEntries(late),
    },
    ...files,
    ...pocket,
  ].map((file) => ({ ...file, text: String(file.content), gzip: gzipSync(file.content, { level: 9 }) }));
  return {
    files: all,
    // As base64: what looks like an import would be taken for one of the file that it is embedded in.
    embedded: all.map(({ text: _text, content: _content, gzip, ...file }) => ({
      ...file,
      gzip: gzip.toString('base64'),
    })),
    first,
  };
}

function nameOf(path) {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** What a bundle cannot begin without, however far away. */
function staticImports(outputs, from, found = new Set()) {
  for (const { path, kind } of outputs[from]?.imports ?? [])
    if (kind === 'import-statement' && !found.has(path)) staticImports(outputs, path, found.add(path));
  return [...found];
}

/**
 * What places that load late have in common with the first sight is one file, not one for each combination of them: each such place
 * names the whole of the first sight, so that all of that is shared by all.
 */
const oneShared = {
  name: 'one-shared',
  setup({ onResolve, onLoad }) {
    const late = new Set();
    onResolve({ filter: /^\.{1,2}\// }, ({ kind, resolveDir, path }) => {
      if (kind !== 'dynamic-import') return undefined;
      const source = ['.tsx', '.ts']
        .map((end) => resolve(resolveDir, path.replace(/\.js$/, end)))
        .find(existsSync);
      if (source !== undefined) late.add(source);
      return source === undefined ? undefined : { path: source };
    });
    onLoad({ filter: /src\/web\/page\/.*\.tsx?$/ }, ({ path }) => {
      if (!late.has(path)) return undefined;
      const first = `\nexport { start as firstSight } from ${JSON.stringify(`${root}${FOLDER}/start.tsx`)};\n`;
      return {
        contents: readFileSync(path, 'utf8') + first,
        loader: path.endsWith('x') ? 'tsx' : 'ts',
        resolveDir: resolve(path, '..'),
      };
    });
  },
};
