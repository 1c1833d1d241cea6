// Packs the package, installs the tarball into an empty directory without scripts, and uses what a user would:
// the binary, the library under both names, and its types.
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
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const PLUGIN = [
  '.claude-plugin/plugin.json',
  '.claude-plugin/marketplace.json',
  '.mcp.json',
  'commands/autonomous.md',
  'skills/holdfast/SKILL.md',
  'README.md',
];

const root = fileURLToPath(new URL('..', import.meta.url));
const work = mkdtempSync(join(tmpdir(), 'holdfast pack-'));
try {
  const [packed] = JSON.parse(npm(root, ['pack', '--json', '--ignore-scripts', '--pack-destination', work]));
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

  const marks = packed.files.filter(({ path }) => path.includes('.holdfast-built'));
  assert(marks.length === 0, 'the mark of the last build is not packed');

  // Unpacked by hand and zod linked from here, so that the check needs no network.
  const target = join(work, 'node_modules', 'holdfast');
  mkdirSync(target, { recursive: true });
  execFileSync('tar', ['xzf', join(work, packed.filename), '--strip-components=1', '-C', target]);
  symlinkSync(join(root, 'node_modules', 'zod'), join(work, 'node_modules', 'zod'));
  mkdirSync(join(work, 'node_modules', '@types'));
  symlinkSync(join(root, 'node_modules', '@types', 'node'), join(work, 'node_modules', '@types', 'node'));

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
  writeFileSync(join(work, 'package.json'), '{"type":"module"}');
  for (const example of examples()) {
    const file = join(work, example.name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, example.text);
  }
  const files = examples().map((example) => example.name);
  writeFileSync(
    join(work, 'tsconfig.json'),
    JSON.stringify({
      compilerOptions: {
        strict: true,
        module: 'NodeNext',
        target: 'ES2023',
        lib: ['ES2023', 'ESNext.Disposable'],
        types: ['node'],
        outDir: 'out',
      },
      files,
    }),
  );
  execFileSync(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', work], {
    stdio: 'inherit',
  });
  for (const name of files) run(join(work, 'out', name.replace(/\.ts$/, '.js')), []);
} finally {
  rmSync(work, { recursive: true, force: true });
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
