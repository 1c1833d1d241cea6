// How large things are, printed by the build. For information: nothing fails by it.
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

export function printSizes(bundles) {
  const chunks = Object.keys(bundles).filter((path) => path.includes('/chunks/'));
  const named = Object.keys(bundles).filter((path) => !path.includes('/chunks/'));
  const rows = [
    ...named.filter((path) => !isInPage(path)).map((path) => [path, kilobytes(statSync(path).size)]),
    ...Object.entries(bundles)
      .filter(([path]) => isInPage(path))
      .map(([path, { bytes }]) => [`${path} (embedded)`, kilobytes(bytes)]),
    ...perFolder(chunks).map(([folder, paths]) => [
      `${folder} (${paths.length} chunks)`,
      kilobytes(sum(paths)),
    ]),
    ['tarball', tarball()],
  ];
  console.log(`\n${table(rows)}\n`);
  console.log(table([['folder of src', 'files', 'lines', 'tests'], ...folders()]));
}

/** The page is within the chunk of its server, and is no file. */
function isInPage(path) {
  return path.startsWith('dist/cli/page/');
}

function perFolder(paths) {
  const names = [...new Set(paths.map((path) => path.slice(0, path.lastIndexOf('/'))))];
  return names.map((name) => [name, paths.filter((path) => path.startsWith(`${name}/`))]);
}

function sum(paths) {
  return paths.reduce((total, path) => total + statSync(path).size, 0);
}

function kilobytes(bytes) {
  return `${(bytes / 1000).toFixed(1)} kB`;
}

function tarball() {
  const { status, stdout } = spawnSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
    encoding: 'utf8',
  });
  if (status !== 0) return 'not known: npm pack failed';
  const [{ size, unpackedSize, files }] = JSON.parse(stdout);
  return `${kilobytes(size)} (${kilobytes(unpackedSize)} unpacked, ${files.length} files)`;
}

/** A folder of src, and below `sessions` each kind: files and lines of the product, and files of tests. */
function folders() {
  const rooms = readdirSync('src', { withFileTypes: true }).filter((entry) => entry.isDirectory());
  const paths = rooms.flatMap(({ name }) =>
    name === 'sessions' ? readdirSync('src/sessions').map((kind) => `sessions/${kind}`) : [name],
  );
  const rows = paths.sort().map((path) => [path, ...countsOf(join('src', path))]);
  const totals = [1, 2, 3].map((column) => rows.reduce((total, row) => total + row[column], 0));
  return [...rows, ['all', ...totals]].map((row) => row.map(String));
}

function countsOf(directory) {
  const files = readdirSync(directory, { recursive: true }).filter((name) => /\.tsx?$/.test(name));
  const tests = files.filter((name) => /\.test\.tsx?$/.test(name));
  const own = files.filter((name) => !tests.includes(name));
  const lines = own.reduce(
    (total, name) => total + readFileSync(join(directory, name), 'utf8').split('\n').length - 1,
    0,
  );
  return [own.length, lines, tests.length];
}

function table(rows) {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  return rows
    .map(([first, ...rest]) =>
      [first.padEnd(widths[0]), ...rest.map((cell, index) => cell.padStart(widths[index + 1]))].join('  '),
    )
    .join('\n');
}
