// Packs the package, installs the tarball into an empty directory without scripts, and uses what a user would:
// the binary, the library under both names, and its types.
//   node scripts/check-package.mjs            with the zod of the tree, compiled by the newest compiler
//   node scripts/check-package.mjs --floor    the library alone, by the compiler before that one: with the zod of the tree, and
//                                             with the oldest that package.json allows
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cacheDirectory, installBeside } from './install-beside.mjs';
import { checkContents } from './package/check-contents.mjs';

const PLUGIN = [
  '.claude-plugin/plugin.json',
  '.claude-plugin/marketplace.json',
  '.mcp.json',
  'commands/autonomous.md',
  'skills/holdfast/SKILL.md',
  'README.md',
];

/** What users compile with; see docs/decisions/0273. */
const COMPILERS = { newest: 'typescript-native', floor: 'typescript' };

const root = fileURLToPath(new URL('..', import.meta.url));
process.chdir(root);
const work = mkdtempSync(join(tmpdir(), 'holdfast pack-'));
const [packed] = JSON.parse(npm(root, ['pack', '--json', '--ignore-scripts', '--pack-destination', work]));
try {
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  assert(Object.keys(manifest.dependencies).join() === 'zod', 'zod is the only runtime dependency');
  const hooks = ['preinstall', 'install', 'postinstall', 'prepare'].filter(
    (name) => name in manifest.scripts,
  );
  assert(hooks.length === 0, `no install scripts (found ${hooks.join()})`);
  const foreign = packed.files
    .map((file) => file.path)
    .filter((path) => !/^(dist\/|integrations\/|README|CHANGELOG|LICENSE|package\.json)/.test(path));
  assert(foreign.length === 0, `only dist, integrations and documents are packed (found ${foreign.join()})`);

  const marks = packed.files.filter(({ path }) => path.includes('.holdfast-'));
  assert(marks.length === 0, 'what the build keeps for itself is not packed');

  if (process.argv.includes('--floor')) checkFloor(manifest);
  else checkPackage(manifest);
} finally {
  rmSync(work, { recursive: true, force: true });
}

function checkPackage(manifest) {
  // Unpacked by hand and zod linked from here, so that the check needs no network.
  const target = unpack('newest', join(root, 'node_modules', 'zod'));
  checkContents(target, manifest);
  assert(
    Object.keys(manifest.bin).join() === 'aur,holdfast,ralphtool',
    'the programs are aur, holdfast and ralphtool',
  );
  for (const [name, path] of Object.entries(manifest.bin)) {
    const version = run(join(target, path), ['--version']).trim();
    assert(version === manifest.version, `${name} --version prints the version`);
  }
  // A name that starts with a dot is easily left out of a package.
  for (const path of PLUGIN) {
    const isPacked = existsSync(join(target, 'integrations', 'claude-code', path));
    assert(isPacked, `the plugin for Claude Code has its ${path}`);
  }
  runExamples('newest', COMPILERS.newest);
}

function checkFloor(manifest) {
  unpack('newest', join(root, 'node_modules', 'zod'));
  runExamples('newest', COMPILERS.floor);
  const { version, directory, reason } = zodFloor(manifest.dependencies.zod);
  if (reason !== undefined) {
    console.log(`skipped: the library with zod ${version}: ${reason}`);
    return;
  }
  unpack('floor', directory);
  runExamples('floor', COMPILERS.floor);
}

/** Unpacks the tarball into a project of its own, beside a zod. */
function unpack(project, zod) {
  const modules = join(work, project, 'node_modules');
  const target = join(modules, 'holdfast');
  mkdirSync(target, { recursive: true });
  execFileSync('tar', ['xzf', join(work, packed.filename), '--strip-components=1', '-C', target]);
  symlinkSync(zod, join(modules, 'zod'));
  mkdirSync(join(modules, '@types'));
  symlinkSync(join(root, 'node_modules', '@types', 'node'), join(modules, '@types', 'node'));
  return target;
}

/** Compiles and runs every example of the documents. */
function runExamples(project, compiler) {
  const directory = join(work, project);
  writeFileSync(join(directory, 'package.json'), '{"type":"module"}');
  const files = examples().map(({ name, text }) => {
    writeFileSync(join(directory, name), text);
    return name;
  });
  const compilerOptions = {
    strict: true,
    module: 'NodeNext',
    target: 'ES2023',
    lib: ['ES2023', 'ESNext.Disposable'],
    types: ['node'],
    outDir: 'out',
  };
  writeFileSync(join(directory, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }));
  execFileSync(process.execPath, [join(root, 'node_modules', compiler, 'bin/tsc'), '-p', directory], {
    stdio: 'inherit',
  });
  for (const name of files) run(join(directory, 'out', name.replace(/\.ts$/, '.js')), []);
}

/** The oldest zod that we promise to work with, or why it cannot be had. */
function zodFloor(range) {
  const version = /^\^(\d+\.\d+\.\d+)$/.exec(range)?.[1];
  assert(version !== undefined, `zod is a range with a floor (${range})`);
  const place = join(cacheDirectory('zod'), version);
  const directory = join(place, 'node_modules', 'zod');
  const isThere = () => existsSync(join(directory, 'package.json'));
  const fault = (installed) =>
    existsSync(join(installed, 'node_modules', 'zod', 'package.json')) ? undefined : 'it is not there';
  const reason = isThere() ? undefined : installBeside(place, [`zod@${version}`], fault);
  return { version, directory, reason };
}

/** Every complete TypeScript example of the documents: a block that starts with an import. */
function examples() {
  const documents = [
    'README.md',
    ...readdirSync(join(root, 'docs'))
      .filter((name) => name.endsWith('.md'))
      .map((name) => `docs/${name}`),
  ];
  return documents.flatMap((path) => {
    const text = readFileSync(join(root, path), 'utf8');
    return [...text.matchAll(/```ts\n(import [\s\S]*?)```/g)].map((match, index) => ({
      name: `${path.replaceAll(/[/.]/g, '-')}-${index}.ts`,
      text: match[1],
    }));
  });
}

function run(file, args) {
  const env = { ...process.env, HOLDFAST_HOME: join(work, 'home') };
  return execFileSync(process.execPath, [file, ...args], { encoding: 'utf8', env, cwd: work });
}

function npm(cwd, args) {
  return execFileSync('npm', args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
}

function assert(isTrue, claim) {
  if (isTrue) return;
  console.error(`not true: ${claim}`);
  process.exitCode = 1;
  throw new Error(claim);
}
