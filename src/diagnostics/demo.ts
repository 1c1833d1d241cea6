import { dirname, join } from 'node:path';
import { visibleExcerpt } from '../foundation/index.js';
import { type Program, type ProgramTools, startProgram } from '../programs/index.js';
import type { RunEvent } from '../runner/index.js';
import type { AnswerInput, QuestionSessions, QuestionView } from '../sessions/question/index.js';
import { ensureDirectory, replaceUserFile, type StorageTools } from '../storage/index.js';
import { DEMO_FILES, DEMO_PLAN, DEMO_SCRIPT } from './demo-play.js';

export interface DemoOptions {
  /** How this very program is started. */
  readonly self: { readonly command: string; readonly args: readonly string[] };
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** An empty directory for the project, and one for what the demo itself needs. */
  readonly project: string;
  readonly directory: string;
  readonly storage: StorageTools;
  readonly programs: ProgramTools;
  /** The same question sessions that the run uses, as the person's side sees them. */
  readonly questions: QuestionSessions;
  /** The person: gets a pending set and decides. */
  readonly decide: (view: QuestionView) => Promise<AnswerInput[] | undefined>;
  readonly tell: (line: string) => void;
  readonly signal: AbortSignal;
}

/** How the run is killed once, and what it came to in the end. */
type Ending = 'killed' | 'completed' | 'failed';

/**
 * The whole story with the real program: a plan, an agent that works through four phases, a question, a run that is killed
 * in the middle and resumed. True when the plan was completed.
 */
export async function runDemo(options: DemoOptions): Promise<boolean> {
  const { tell, signal } = options;
  for (const [path, text] of Object.entries(DEMO_FILES)) put(options, join(options.project, path), text);
  const script = join(options.directory, 'script.json');
  put(options, script, DEMO_SCRIPT);
  tell(`1. A plan with two criteria, ${DEMO_PLAN}, and an agent alone with it.`);
  tell('   $ holdfast run docs/prps/greeter.md --agent scripted --verify "node --test"');
  const first = await run(options, script, { args: [], isToBeKilled: true });
  if (first !== 'killed') return first === 'completed';
  signal.throwIfAborted();
  tell('');
  tell('2. The run is killed with SIGKILL in the middle of a turn, and goes on:');
  tell('   $ (the same command) --resume');
  return (await run(options, script, { args: ['--resume'], isToBeKilled: false })) === 'completed';
}

function put({ storage }: DemoOptions, path: string, text: string): void {
  ensureDirectory(storage.fileSystem, dirname(path));
  replaceUserFile(storage, path, text);
}

async function run(
  options: DemoOptions,
  script: string,
  how: { readonly args: readonly string[]; readonly isToBeKilled: boolean },
): Promise<Ending> {
  const { self, environment, project, programs, signal } = options;
  let program: Program | undefined;
  let ending: Ending = 'failed';
  const deciding: Promise<void>[] = [];
  const onEvent = (event: RunEvent) => {
    const line = describe(event);
    if (line !== undefined) options.tell(`   ${line}`);
    if (event.type === 'question') deciding.push(answer(options, event.sessionId));
    if (event.type === 'run-end') ending = event.outcome === 'completed' ? 'completed' : 'failed';
    if (how.isToBeKilled && isWorkingOnCode(event) && program !== undefined) {
      ending = 'killed';
      process.kill(program.pid, 'SIGKILL');
    }
  };
  program = await startProgram(programs, {
    command: self.command,
    args: [
      ...self.args,
      'run',
      DEMO_PLAN,
      '--agent',
      'scripted',
      '--verify',
      'node --test',
      '--attended',
      '--json',
      ...how.args,
    ],
    workingDirectory: project,
    environment: { ...environment, HOLDFAST_SCRIPTED_SCRIPT: script },
    input: 'closed',
    onLine: (line) => onEvent(JSON.parse(line) as RunEvent),
  });
  const stopped = new Promise<void>((resolve) =>
    signal.addEventListener('abort', () => resolve(), { once: true }),
  );
  await Promise.race([program.exited, stopped]);
  // A run that was asked to stop ends its agent first.
  await program.stop({ graceMs: 1, termMs: STOP_MS });
  await Promise.all(deciding);
  signal.throwIfAborted();
  return ending;
}

const STOP_MS = 15_000;

async function answer({ questions, decide, tell }: DemoOptions, id: string): Promise<void> {
  const answers = await decide(await questions.get(id));
  if (answers !== undefined) {
    await questions.answer(id, answers);
    return;
  }
  await questions.reject(id, 'left the demo');
  tell('   (You left the question, so it is rejected: the agent is told that, too.)');
}

/** The agent has begun with the code, and says so. */
function isWorkingOnCode(event: RunEvent): boolean {
  return event.type === 'agent' && event.event.type === 'text' && event.event.text.startsWith('I begin');
}

function describe(event: RunEvent): string | undefined {
  switch (event.type) {
    case 'iteration-start':
      return `${event.phase} ${event.iteration}: the agent works …`;
    case 'question':
      return `? The agent asks a person: ${visibleExcerpt(event.title, 60)}`;
    case 'agent':
      return event.event.type === 'tool-call' && event.event.kind === 'edit'
        ? `  → ${visibleExcerpt(event.event.title, 80)}`
        : undefined;
    case 'verify-end':
      return event.tests === null ? undefined : `  we run ${event.command}: ${countOf(event.tests)}`;
    case 'iteration-end':
      return event.decision.next === 'enter-phase'
        ? `  measured, and the agent says so: ${event.phase} is done`
        : undefined;
    case 'run-end':
      return event.outcome;
    default:
      return undefined;
  }
}

function countOf({ total, passing }: { readonly total: number; readonly passing: number }): string {
  return total === 0 ? 'there are no tests yet' : `${passing} of ${total} pass`;
}
