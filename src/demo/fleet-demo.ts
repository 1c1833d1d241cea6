import { dirname, join } from 'node:path';
import { visibleExcerpt } from '../foundation/index.js';
import { type Program, type ProgramTools, runProgram, startProgram } from '../programs/index.js';
import type { AnswerInput, QuestionView } from '../sessions/question/index.js';
import {
  ensureDirectory,
  listDirectory,
  lookAt,
  readFile,
  replaceUserFile,
  type StorageTools,
} from '../storage/index.js';
import { DEMO_FILES, DEMO_PLAN, demoScript, fleetScripts, greetingIn } from './demo-play.js';

export interface FleetDemoOptions {
  /** The command that starts this very program. */
  readonly self: { readonly command: string; readonly args: readonly string[] };
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** An empty directory for the demo's own files. */
  readonly directory: string;
  /** The database that the two machines share. */
  readonly url: string;
  readonly storage: StorageTools;
  readonly programs: ProgramTools;
  /** The person, at the laptop; undefined if they leave. */
  readonly decide: (asked: AskedHere) => Promise<AnswerInput[] | undefined>;
  readonly tell: (line: string) => void;
  readonly signal: AbortSignal;
}

/** A question from the other machine, as the laptop's commands show it. */
export type AskedHere = Pick<QuestionView, 'id' | 'questions'>;

/** Short, so that nobody waits long for the takeover; the usual lease is five minutes. */
const LEASE_SECONDS = 8;
const LOOK_MS = 300;
const COMMAND_MS = 60_000;

/** A machine of the demo: a home directory of its own on this machine. */
interface DemoMachine {
  readonly name: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly script: string;
}

/** The fields of an entry in `queue list --json` that the demo reads. */
interface ShownEntry {
  readonly status?: string;
  readonly runId?: string | null;
  readonly fleet?: { readonly machine?: string | null };
}

/**
 * Two machines on one. The laptop queues a plan and the workstation takes it; the laptop answers its agent's question;
 * then somebody pulls the workstation's plug, and the laptop takes over the run. Returns whether the plan was completed,
 * or the person left.
 */
export async function runFleetDemo(options: FleetDemoOptions): Promise<'completed' | 'failed' | 'left'> {
  const { tell, signal } = options;
  const [laptop, workstation] = [machineOf(options, 'laptop'), machineOf(options, 'workstation')];
  const project = await makeProject(options);
  tell('1. Two machines, one PostgreSQL between them.');
  tell('   laptop$      holdfast fleet init postgres://…');
  await command(options, laptop, ['fleet', 'init', '--name', 'laptop'], project);
  tell('   workstation$ holdfast fleet join postgres://…');
  await command(options, workstation, ['fleet', 'join', '--name', 'workstation'], project);
  const scripts = fleetScripts('');
  put(options, workstation.script, scripts.before);
  tell('   workstation$ holdfast worker');
  await using away = await startWorker(options, workstation, project);
  tell('');
  tell('2. A plan is queued on the laptop; the workstation takes it.');
  tell(`   laptop$ holdfast queue add ${DEMO_PLAN} --agent scripted --verify "node --test"`);
  const words = ['queue', 'add', DEMO_PLAN, '--agent', 'scripted', '--verify', 'node --test'];
  await command(options, laptop, words, project);
  const asked = await poll(options, () => pendingQuestion(options, laptop, project));
  if (asked === undefined) return 'left';
  tell('   ? On the workstation, its agent asks a question. The laptop’s inbox has it:');
  for (const line of questionLines(asked)) tell(`     ${line}`);
  const answers = await options.decide(asked);
  if (answers === undefined) return 'left';
  const greeting = greetingIn(answers);
  put(options, laptop.script, fleetScripts(greeting).after);
  const given = answers[0]?.selectedOption ?? '';
  const chosen = ['answer', asked.id, ...(given === '' ? ['--text', greeting] : ['--option', given])];
  await command(options, laptop, chosen, project);
  tell('   The answer arrived on the workstation; the agent continues there.');
  await poll(options, async () => away.hasBegun());
  if (signal.aborted) return 'left';
  tell('');
  tell('3. Somebody pulls the workstation’s plug, in the middle of a turn.');
  await away.pull();
  tell('   workstation$ (nothing left: worker, guard, run and agent are gone)');
  tell('   laptop$ holdfast worker');
  await using _here = await startWorker(options, laptop, project);
  tell(
    `   Its lease ends after ${LEASE_SECONDS} seconds; then the laptop continues from the last checkpoint …`,
  );
  const moved = await poll(options, () => entryOn(options, laptop, project, 'laptop'));
  if (moved === undefined) return 'left';
  tell('   The laptop has it: same tree, same conversation, same answer; the agent is told what is known.');
  const over = await poll(options, async () => {
    const entry = await shownEntry(options, laptop, project);
    return entry?.status === 'done' || entry?.status === 'failed' ? entry : undefined;
  });
  if (over === undefined) return 'left';
  tell(`   ${over.status === 'done' ? 'completed' : 'failed'}`);
  tell('');
  tell('4. The workstation comes back and finds what it did after its last checkpoint:');
  tell('   workstation$ holdfast fleet left-behind');
  const left = await command(options, workstation, ['fleet', 'left-behind'], project);
  for (const line of left.lines.slice(0, 4)) tell(`   ${visibleExcerpt(line, 160)}`);
  return over.status === 'done' ? 'completed' : 'failed';
}

function questionLines({ questions }: AskedHere): string[] {
  return questions.flatMap(({ title, prompt, options }) => [
    `${visibleExcerpt(title, 60)}: ${visibleExcerpt(prompt, 120)}`,
    ...options.map(({ label }, index) => `  ${index + 1}  ${visibleExcerpt(label, 60)}`),
  ]);
}

function machineOf(options: FleetDemoOptions, name: string): DemoMachine {
  const home = join(options.directory, name);
  const script = join(options.directory, `${name}.json`);
  put(
    options,
    join(home, 'config', 'config.json'),
    JSON.stringify({ mcp: { handBackSeconds: { other: 0 } }, fleet: { leaseSeconds: LEASE_SECONDS } }),
  );
  put(options, script, demoScript(''));
  const environment = {
    ...options.environment,
    HOME: home,
    HOLDFAST_HOME: home,
    HOLDFAST_FLEET_URL: options.url,
    HOLDFAST_SCRIPTED_SCRIPT: script,
  };
  return { name, environment, script };
}

/** A repository that contains the plan, and the server from which both machines fetch it. */
async function makeProject(options: FleetDemoOptions): Promise<string> {
  const project = join(options.directory, 'project');
  const server = join(options.directory, 'server.git');
  for (const [path, text] of Object.entries(DEMO_FILES)) put(options, join(project, path), text);
  const who = ['-c', 'user.name=demo', '-c', 'user.email=demo@localhost'];
  const steps = [
    ['init', '--quiet', '--bare', server],
    ['init', '--quiet', '-b', 'main'],
    ['add', '-A'],
    [...who, 'commit', '--quiet', '-m', 'A plan'],
    ['remote', 'add', 'origin', server],
    ['push', '--quiet', 'origin', 'main'],
  ];
  for (const args of steps) {
    const spec = { command: 'git', args, workingDirectory: project, environment: options.environment };
    const { exit, stderr } = await runProgram(options.programs, spec, COMMAND_MS);
    if (exit.code !== 0) throw new Error(`git ${args[0]}: ${stderr}`);
  }
  return project;
}

function put({ storage }: Pick<FleetDemoOptions, 'storage'>, path: string, text: string): void {
  ensureDirectory(storage.fileSystem, dirname(path));
  replaceUserFile(storage, path, text);
}

async function command(
  { self, programs }: FleetDemoOptions,
  { environment }: DemoMachine,
  args: readonly string[],
  project: string,
) {
  const spec = {
    command: self.command,
    args: [...self.args, ...args],
    workingDirectory: project,
    environment,
  };
  return runProgram(programs, spec, COMMAND_MS);
}

async function pendingQuestion(
  options: FleetDemoOptions,
  machine: DemoMachine,
  project: string,
): Promise<AskedHere | undefined> {
  const { lines } = await command(options, machine, ['questions', 'list', '--json'], project);
  const found = parse<readonly ShownQuestion[]>(lines) ?? [];
  const asked = found.find((one) => one.machine === 'workstation' && one.status === 'pending');
  return asked && { id: asked.sessionId, questions: asked.questions };
}

/** The fields of a set in `questions list --json` that the demo reads. */
interface ShownQuestion {
  readonly sessionId: string;
  readonly status: string;
  readonly machine?: string;
  readonly questions: QuestionView['questions'];
}

async function shownEntry(
  options: FleetDemoOptions,
  machine: DemoMachine,
  project: string,
): Promise<ShownEntry | undefined> {
  const { lines } = await command(options, machine, ['queue', 'list', '--all', '--json'], project);
  return parse<{ entries?: ShownEntry[] }>(lines)?.entries?.[0];
}

async function entryOn(
  options: FleetDemoOptions,
  machine: DemoMachine,
  project: string,
  name: string,
): Promise<ShownEntry | undefined> {
  const entry = await shownEntry(options, machine, project);
  return entry?.fleet?.machine === name ? entry : undefined;
}

function parse<Value>(lines: readonly string[]): Value | undefined {
  try {
    return JSON.parse(lines.join('\n')) as Value;
  } catch {
    return undefined; // the command printed something else; it will run again
  }
}

/** Waits until something is found, or the person leaves. */
async function poll<Found>(
  { programs, signal }: FleetDemoOptions,
  look: () => Promise<Found | undefined | false>,
): Promise<Found | undefined> {
  while (!signal.aborted) {
    const found = await look();
    if (found !== undefined && found !== false) return found;
    await programs.clock.sleep(LOOK_MS, signal).catch(() => {});
  }
  return undefined;
}

interface DemoWorker extends AsyncDisposable {
  /** Whether the agent has begun to write the code and said so. */
  hasBegun(): boolean | undefined;
  /** Ends every process at once, as when the machine loses power. */
  pull(): Promise<void>;
}

async function startWorker(
  options: FleetDemoOptions,
  { name, environment }: DemoMachine,
  project: string,
): Promise<DemoWorker> {
  const { self, programs, tell } = options;
  const program: Program = await startProgram(programs, {
    command: self.command,
    args: [...self.args, 'worker'],
    workingDirectory: project,
    environment,
    input: 'closed',
    // Like an agent, it starts programs that a model chose: the whole process tree ends with it.
    isAgent: true,
    onLine: (line) => tell(`   ${name} | ${visibleExcerpt(line, 120)}`),
  });
  const runs = join(environment.HOLDFAST_HOME ?? '', 'state', 'runs');
  return {
    hasBegun: () => (hasSaid(options, runs) ? true : undefined),
    async pull() {
      await program.stop({ graceMs: 0, termMs: 0 });
    },
    async [Symbol.asyncDispose]() {
      await program.stop({ graceMs: 1, termMs: 15_000 });
    },
  };
}

/** Whether the agent of the current run said that it begins with the code. */
function hasSaid({ storage: { fileSystem } }: FleetDemoOptions, runs: string): boolean {
  if (lookAt(fileSystem, runs) === undefined) return false;
  return listDirectory(fileSystem, runs).some((name) =>
    (readFile(fileSystem, join(runs, name, 'events.jsonl')) ?? '').includes('I begin with the function'),
  );
}
