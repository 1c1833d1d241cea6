import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { crc32 } from 'node:zlib';
import {
  DIST,
  type Json,
  type Machine,
  machine,
  type Outcome,
  type Running,
  type RunOptions,
} from './holdfast-binary.js';

const FIXTURES = fileURLToPath(new URL('../fixtures/0.1', import.meta.url));

const NOT_DONE = `I go on.

---PRP_PHASE_STATUS---
STATUS: IN_PROGRESS
EXIT_SIGNAL: false
---END_PRP_PHASE_STATUS---
`;

/** A machine that worked with release 0.1 and now has today's programs installed. */
export interface ReleasedMachine extends AsyncDisposable {
  readonly root: string;
  readonly machine: Machine;
  /** The id behind a name in the fixtures. */
  id(name: string): string;
  project(name: string): string;
  /** A file below the root, as text. */
  text(...path: string[]): string;
  run(project: string, args: readonly string[], options?: RunOptions): Promise<Outcome>;
  json(
    project: string,
    args: readonly string[],
    options?: RunOptions,
  ): Promise<{ code: number | null; data: Json }>;
  /** Starts a command and returns at once. */
  start(project: string, args: readonly string[], options?: RunOptions): Running;
}

/** Copies test/fixtures/0.1 into its own home and fills in the facts of this machine. */
export async function releasedMachine(): Promise<ReleasedMachine> {
  const world = await machine();
  const root = world.dir.at('released');
  const words: Readonly<Record<string, string>> = {
    '{{ROOT}}': root,
    '{{DIST}}': DIST,
    '{{NODE}}': process.execPath,
    '{{HOST}}': hostname(),
  };
  copyBelow(FIXTURES, root, (text) => text.replace(/\{\{[A-Z]+\}\}/g, (word) => words[word] ?? word));
  for (const path of JSON.parse(readFileSync(join(root, 'empty-directories.json'), 'utf8'))) {
    mkdirSync(join(root, path), { recursive: true, mode: 0o700 });
  }
  const ids: Readonly<Record<string, string>> = JSON.parse(readFileSync(join(root, 'index.json'), 'utf8'));
  const env = { HOME: join(root, 'home'), HOLDFAST_HOME: join(root, 'holdfast'), TMPDIR: join(root, 'tmp') };
  // An agent that never finishes: a resumed loop shows that it continues, and ends at its limit.
  const script = join(root, 'goes-on.script.json');
  writeFileSync(
    script,
    JSON.stringify({ turns: [{ steps: [{ say: NOT_DONE }] }], onExhausted: 'repeat-last' }),
  );
  const project = (name: string) => join(root, 'projects', name);
  const inProject = (name: string, options: RunOptions = {}): RunOptions => ({
    ...options,
    cwd: project(name),
    env: {
      ...env,
      ...(name.startsWith('loop-') ? { HOLDFAST_SCRIPTED_SCRIPT: script } : {}),
      ...options.env,
    },
  });
  return {
    root,
    machine: world,
    project,
    id(name) {
      const id = ids[name];
      if (id === undefined) throw new Error(`no fixture ${name}`);
      return id;
    },
    text: (...path) => readFileSync(join(root, ...path), 'utf8'),
    run: (name, args, options) => world.run(args, inProject(name, options)),
    json: (name, args, options) => world.json(args, inProject(name, options)),
    start: (name, args, options) => world.start(args, inProject(name, options)),
    [Symbol.asyncDispose]: () => world[Symbol.asyncDispose](),
  };
}

function copyBelow(from: string, to: string, fill: (text: string) => string): void {
  mkdirSync(to, { mode: 0o700 });
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const source = join(from, entry.name);
    // A real .gitignore would have kept the fixtures out of the repository.
    const target = join(to, entry.name === 'gitignore' ? '.gitignore' : entry.name);
    if (entry.isDirectory()) copyBelow(source, target, fill);
    else writeFileSync(target, fillLines(source, fill), { mode: 0o600 });
  }
}

function fillLines(path: string, fill: (text: string) => string): Buffer {
  const id = logIdOf(path);
  // Not UTF-8: damaged parts stay as they are.
  const lines = readFileSync(path, 'latin1').split('\n');
  return Buffer.from(lines.map((line) => fillLine(line, fill, id)).join('\n'), 'latin1');
}

/** Fills in a line; if its checksum was valid, it is valid again. */
function fillLine(line: string, fill: (text: string) => string, id: string | undefined): string {
  const filled = fill(line);
  const match = /,"crc":"([0-9a-f]{8})"\}$/.exec(line);
  if (match === null || id === undefined || filled === line) return filled;
  const sum = (body: string) => crc32(Buffer.from(body, 'latin1'), crc32(id)).toString(16).padStart(8, '0');
  if (sum(line.slice(0, match.index)) !== match[1]) return filled;
  const body = filled.slice(0, -match[0].length);
  return `${body},"crc":"${sum(body)}"}`;
}

/** The id that seeds the checksums of a log. */
function logIdOf(path: string): string | undefined {
  const name = basename(path);
  const trashed = /^\d+T\d+Z-(chat-.*)$/.exec(name);
  if (trashed !== null) return trashed[1];
  if (name === 'requests.jsonl') {
    return JSON.parse(readFileSync(join(dirname(path), 'loop-state.json'), 'utf8')).session_id;
  }
  return name.endsWith('.jsonl') ? basename(name, '.jsonl') : undefined;
}
