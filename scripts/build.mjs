// Builds dist/: the command line (a small CommonJS entry and lazily loaded ESM chunks), the library, its types.
import { createHash } from 'node:crypto';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { finishPackage } from './package/finish.mjs';
import { build } from './package/metafiles.mjs';
import { buildPage } from './package/page.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));

export const common = {
  absWorkingDir: root,
  bundle: true,
  platform: 'node',
  target: 'node20.19',
  logLevel: 'warning',
  legalComments: 'none',
  // jsonc-parser's "main" is UMD, which a bundle cannot follow.
  mainFields: ['module', 'main'],
  jsx: 'automatic',
  // The driver's own bindings to libpq are not used, and not there.
  external: ['pg-native'],
  alias: {
    // Ink draws nothing when a variable called CI is set; we decide by the terminal alone.
    'is-in-ci': './src/tui/stand-ins/not-in-ci.ts',
    // Ink measures every text; ours asks the package only where it must.
    'string-width': './src/tui/stand-ins/string-width.ts',
    // So does the cutting of each text that it draws.
    'slice-ansi': './src/tui/stand-ins/slice-ansi.ts',
    // And the putting together of each row.
    '@alcalzone/ansi-tokenize': './src/tui/stand-ins/styled-text.ts',
    // Ink's layout engine is waited for where it is imported, which only a module can do; see layout-engine.ts.
    'yoga-layout': './src/tui/stand-ins/layout-engine.ts',
    // Only ever loaded for debugging Ink itself.
    'react-devtools-core': './src/tui/stand-ins/not-in-ci.ts',
    ws: './src/tui/stand-ins/not-in-ci.ts',
  },
  define: { __HOLDFAST_VERSION__: JSON.stringify(version), 'process.env.NODE_ENV': '"production"' },
};

const ENTRIES = {
  holdfast: 'src/cli/programs/holdfast.ts',
  aur: 'src/cli/programs/aur.ts',
  ralphtool: 'src/cli/programs/ralphtool.ts',
};
/** What the files with commands that start often load only when they need it; see late-zod.ts and late-require.ts. */
const LATE = { zod: 'src/cli/programs/loaded-zod.ts', commander: 'src/cli/programs/loaded-commander.ts' };
/** What commands that start often load only now and then: beside them, not in them, or it would cost every start. */
const BESIDE_QUICK = {
  'ask-notices': 'src/cli/commands/questions/ask-notices.ts',
  'check-cost': 'src/app/queue/check-cost.ts',
  'hook-notices': 'src/cli/commands/agents/hook-notices.ts',
  'look-at-worktree': 'src/app/sessions/look-at-worktree.ts',
  'open-notices': 'src/app/notices/open-notices.ts',
  'prompt-answers': 'src/cli/commands/questions/prompt-answers.ts',
  'resume-run': 'src/cli/commands/run/resume-run.ts',
  'top-screen': 'src/cli/commands/overview/top-screen.ts',
};
/** The fleet and its driver: beside everything, loaded only where a fleet is set. */
const BESIDE_ALL = {
  'lease-holds': 'src/app/fleet/lease-holds.ts',
  'open-fleet': 'src/app/fleet/open-fleet.ts',
  'open-fleet-queue': 'src/app/fleet/open-fleet-queue.ts',
  'run-checkpoint': 'src/app/fleet/run-checkpoint.ts',
};
const MODULES = { main: 'src/cli/programs/main.ts', ...BESIDE_QUICK, ...BESIDE_ALL };

const besideQuick = {
  name: 'beside-quick',
  setup(build) {
    build.onResolve(
      {
        filter:
          /\/(ask-notices|check-cost|hook-notices|look-at-worktree|open-notices|prompt-answers|resume-run|top-screen)\.js$/,
      },
      ({ path, kind }) => {
        const name = path.replace(/^.*\//, './');
        return kind === 'dynamic-import' ? { path: name, external: true } : undefined;
      },
    );
  },
};

const besideAll = {
  name: 'beside-all',
  setup(build) {
    build.onResolve(
      { filter: /\/(?:lease-holds|open-fleet(?:-queue)?|run-checkpoint)\.js$/ },
      ({ path, kind }) =>
        kind === 'dynamic-import' ? { path: path.replace(/^.*\//, './'), external: true } : undefined,
    );
  },
};

/**
 * Ink debugs itself where a variable called DEV is set, which many have for their own programs: with a package that we do not
 * ship. And it waits for that package where it is imported, which only a module can do.
 */
const INK_DEBUGGING = {
  'utils.js': [["process.env['DEV'] === 'true'", 'false']],
  'reconciler.js': [
    ["await import('./devtools.js')", 'undefined'],
    ['await loadPackageJson()', 'undefined'],
  ],
};
const withoutInkDebugging = {
  name: 'without-ink-debugging',
  setup(build) {
    const changed = new Set();
    build.onLoad({ filter: /\/ink\/build\/(?:utils|reconciler)\.js$/ }, ({ path }) => {
      const contents = INK_DEBUGGING[basename(path)].reduce(
        (text, [found, put]) => {
          if (!text.includes(found)) throw new Error(`${path} has no ${found}: Ink has changed`);
          return text.replaceAll(found, put);
        },
        readFileSync(path, 'utf8'),
      );
      changed.add(basename(path));
      return { contents };
    });
    build.onEnd(({ errors }) => {
      const missing = Object.keys(INK_DEBUGGING).filter((name) => !changed.has(name));
      if (errors.length === 0 && missing.length > 0)
        throw new Error(`Ink has no ${missing.join(' and no ')} any more: see how it debugs itself now`);
    });
  },
};

const besideScripted = {
  name: 'beside-scripted',
  setup(build) {
    build.onResolve({ filter: /^\.\/acp\.js$/ }, ({ kind }) =>
      kind === 'dynamic-import' ? { path: './scripted-acp.cjs', external: true } : undefined,
    );
  },
};

const lightCrypto = {
  name: 'light-crypto',
  setup(build) {
    build.onResolve({ filter: /^node:crypto$/ }, () => ({
      path: join(root, 'src/cli/programs/light-crypto.ts'),
    }));
  },
};

const latePackages = {
  name: 'late-packages',
  setup(build) {
    build.onResolve({ filter: /^zod$/ }, () => ({ path: join(root, 'src/cli/programs/late-zod.ts') }));
    lightCrypto.setup(build);
    build.onResolve({ filter: /^commander$/ }, () => ({ path: './commander.cjs', external: true }));
  },
};

/** The files that are loaded with cached code are made from the lines of the tables in src/cli/programs. */
const quickFiles = {
  name: 'quick-files',
  setup(build) {
    build.onResolve({ filter: /^(?:quick|screen|work)-table:/ }, ({ path }) => ({
      path,
      namespace: 'quick-file',
    }));
    build.onLoad({ filter: /./, namespace: 'quick-file' }, ({ path }) => {
      const [table, name] = path.split(':');
      return {
        contents: `
          import { quickMain } from './quick-main.js';
          import { ${name} as words } from './${table}.js';
          export const main = quickMain(words);
          export const isLongLived = words.isLongLived === true;`,
        resolveDir: join(root, 'src/cli/programs'),
      };
    });
  },
};

/** Bundled CommonJS packages call require; ESM has none of its own. */
const REQUIRE =
  "import{createRequire as __createRequire}from'node:module';const require=__createRequire(import.meta.url);";

/**
 * What the entries answer without loading anything, made from the commands: the help and the words of those that start
 * often; and the names of the files that those are in. Evaluated from a bundle beside the packages that it names; see docs/decisions/0140.
 */
async function entryTexts() {
  const directory = mkdtempSync(join(root, 'node_modules', '.holdfast-build-'));
  try {
    const outfile = join(directory, 'entry-texts.mjs');
    await build({
      ...common,
      entryPoints: ['src/cli/programs/entry-texts.ts'],
      outfile,
      format: 'esm',
      packages: 'external',
    });
    const made = await import(pathToFileURL(outfile).href);
    const texts = Object.entries(await made.entryTexts());
    return {
      texts: Object.fromEntries(texts.map(([name, text]) => [name, JSON.stringify(text)])),
      files: Object.entries(made.TABLES).flatMap(([table, files]) =>
        Object.keys(files).map((name) => ({ name, table })),
      ),
    };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/**
 * The command line: three entries, the files with the commands that are started often, and `main`, which loads each of all
 * commands on its own.
 */
export async function buildCli(
  outdir,
  { entries = ENTRIES, quick = {}, screens = {}, modules = MODULES } = {},
) {
  const asSmall = { outdir, format: 'cjs', outExtension: { '.js': '.cjs' }, minify: true };
  const small = { ...common, ...asSmall };
  const { texts, files } = await entryTexts();
  const { embedded } = await buildPage(outdir);
  // What may draw on a screen; see late-segmenter.ts.
  const whole = {
    ...common,
    inject: ['./src/tui/stand-ins/late-segmenter.ts'],
    define: {
      ...common.define,
      'Intl.Segmenter': 'LateSegmenter',
      // A text within a text: of anything else the bundler would make a value that every chunk loads.
      __HOLDFAST_PAGE__: JSON.stringify(JSON.stringify(embedded)),
    },
  };
  const asQuick = {
    plugins: [quickFiles, besideQuick, besideAll, latePackages],
    external: Object.keys(LATE).map((name) => `./${name}.cjs`),
    logOverride: { 'import-is-undefined': 'error' },
  };
  await build({
    ...small,
    ...asQuick,
    entryPoints: { ...entryPointsOf('quick-table', files), ...quick },
  });
  // For the layout engine, which looks at where it is.
  const drawing = { ...whole, ...asSmall, define: { ...whole.define, 'import.meta.url': '__filename' } };
  await build({
    ...drawing,
    ...asQuick,
    entryPoints: { ...entryPointsOf('screen-table', files), ...screens },
    plugins: [...asQuick.plugins, withoutInkDebugging],
  });
  await build({
    ...drawing,
    entryPoints: entryPointsOf('work-table', files),
    plugins: [quickFiles, besideAll, withoutInkDebugging],
  });
  for (const { name } of files) wrapForCache(resolve(root, outdir, `${name}.cjs`));
  await build({ ...small, entryPoints: LATE });
  // Last: they know what the files of the quick commands were when they were built.
  const digests = files.map(({ name }) => [name, digestOf(resolve(root, outdir, `${name}.cjs`))]);
  await build({
    ...small,
    entryPoints: entries,
    define: {
      ...common.define,
      ...texts,
      __HOLDFAST_DIGESTS__: JSON.stringify(Object.fromEntries(digests)),
    },
    banner: { js: '#!/usr/bin/env node' },
    external: ['./main.js'],
  });
  await build({
    ...whole,
    entryPoints: modules,
    outdir,
    format: 'esm',
    splitting: true,
    minify: true,
    chunkNames: 'chunks/[name]-[hash]',
    banner: { js: REQUIRE },
    plugins: [withoutInkDebugging],
  });
}

function entryPointsOf(table, files) {
  const own = files.filter((file) => file.table === table);
  return Object.fromEntries(own.map(({ name }) => [name, `${table}:${name}`]));
}

/**
 * What is loaded with its cached code is a function, as Node wraps a CommonJS file: whoever loads it need not copy it. It asks its
 * loader for what stands beside it; see code-cache.ts.
 */
function wrapForCache(path) {
  // The bundler leaves regular expressions as they are, and a character must be a byte: see code-cache.ts.
  const text = readFileSync(path, 'utf8').replaceAll(
    /[^\0-\x7f]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  const asking = text.replaceAll(/\bimport\(("\.\/[\w-]+\.js")\)/g, 'module.importBeside($1)');
  if (/\bimport\(/.test(asking)) throw new Error(`${path} imports something that is not beside it`);
  writeFileSync(path, `(function (exports, require, module, __filename, __dirname) {${asking}\n})`);
}

function digestOf(path) {
  return createHash('sha256').update(readFileSync(path)).digest('hex');
}

async function buildLibrary() {
  await build({
    ...common,
    entryPoints: {
      index: 'src/index.ts',
      question: 'src/published/question.ts',
      process: 'src/published/process.ts',
      loop: 'src/published/loop.ts',
      conversation: 'src/published/conversation.ts',
      change: 'src/published/change.ts',
      agents: 'src/published/agents.ts',
      testing: 'src/testing/index.ts',
    },
    outdir: 'dist/lib',
    format: 'esm',
    splitting: true,
    chunkNames: 'chunks/[name]-[hash]',
    external: ['zod'],
  });
}

/**
 * Our own agent program, started like any other agent. The library by which it speaks one of its protocols is most of it, and
 * stands beside it, or every start would read it.
 */
export async function buildScriptedAgent(outdir) {
  await build({
    ...common,
    entryPoints: {
      scripted: 'src/agents/scripted/program/main.ts',
      'scripted-acp': 'src/agents/scripted/program/acp.ts',
    },
    outdir,
    format: 'cjs',
    outExtension: { '.js': '.cjs' },
    minify: true,
    plugins: [lightCrypto, besideScripted],
    logOverride: { 'import-is-undefined': 'error' },
    // By `require`: for `import` Node would load what it has for modules.
    supported: { 'dynamic-import': false },
  });
}

/** The guard of a leased run: one small file that needs nothing beside it, for there is one for each run. */
export async function buildGuard(outdir) {
  await build({
    ...common,
    entryPoints: { guard: 'src/programs/guard/program/main.ts' },
    outdir,
    format: 'cjs',
    outExtension: { '.js': '.cjs' },
    minify: true,
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  process.chdir(root);
  rmSync('dist', { recursive: true, force: true });
  await Promise.all([
    buildCli('dist/cli'),
    buildLibrary(),
    buildScriptedAgent('dist/agents'),
    buildGuard('dist/guard'),
  ]);
  for (const name of ['holdfast', 'aur', 'ralphtool']) chmodSync(`dist/cli/${name}.cjs`, 0o755);
  finishPackage();
}
