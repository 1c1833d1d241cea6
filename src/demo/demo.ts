import { dirname, join } from 'node:path';
import { visibleExcerpt } from '../foundation/index.js';
import { type Program, type ProgramTools, startProgram } from '../programs/index.js';
import type { RunEvent } from '../run/index.js';
import type { AnswerInput, QuestionSessions, QuestionView } from '../sessions/question/index.js';
import { ensureDirectory, readUserFile, replaceUserFile, type StorageTools } from '../storage/index.js';
import {
  DEMO_CODE,
  DEMO_DECISION,
  DEMO_FILES,
  DEMO_PLAN,
  DEMO_SETTINGS,
  demoScript,
  greetingIn,
} from './demo-play.js';

export interface DemoOptions {
  /** The command that starts this very program. */
  readonly self: { readonly command: string; readonly args: readonly string[] };
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** An empty directory for the project, and one for the demo's own files. */
  readonly project: string;
  readonly directory: string;
  readonly storage: StorageTools;
  readonly programs: ProgramTools;
  /** The run's own question sessions, seen from the person's side. */
  readonly questions: QuestionSessions;
  /** The person: gets a pending set and decides; undefined if they leave, which ends the demo. */
  readonly decide: (view: QuestionView) => Promise<AnswerInput[] | undefined>;
  readonly tell: (line: string) => void;
  readonly signal: AbortSignal;
}

/** How one start of the run ended; `left` if the person did not want to answer. */
type Ending = 'killed' | 'completed' | 'failed' | 'left';

/** What the person decided. */
interface DemoStory {
  greeting: string | undefined;
}

/**
 * The whole story with the real program: a plan, an agent that works through four phases, a question, and a run that is
 * killed in the middle and resumed. Returns whether the plan was completed, or the person left.
 */
export async function runDemo(options: DemoOptions): Promise<Exclude<Ending, 'killed'>> {
  const { tell } = options;
  for (const [path, text] of Object.entries(DEMO_FILES)) put(options, join(options.project, path), text);
  put(options, join(options.directory, 'config', 'config.json'), DEMO_SETTINGS);
  put(options, scriptOf(options), demoScript(''));
  const story: DemoStory = { greeting: undefined };
  tell(`1. A plan with two criteria, ${DEMO_PLAN}, and an agent on its own.`);
  tell('   $ holdfast run docs/prps/greeter.md --agent scripted --verify "node --test"');
  const first = await run(options, story, { args: [], isToBeKilled: true });
  if (first !== 'killed') return first;
  tell('');
  tell('2. It resumes where it left off:');
  tell('   $ (the same command) --resume');
  const second = await run(options, story, { args: ['--resume'], isToBeKilled: false });
  if (second === 'completed' && story.greeting !== undefined) showAnswer(options, story.greeting);
  return second === 'killed' ? 'failed' : second;
}

/** Shows the one thing that a demo of questions must prove: the agent built what was answered. */
function showAnswer({ project, storage, tell }: DemoOptions, greeting: string): void {
  tell('');
  tell(`3. You chose "${visibleExcerpt(greeting, 60)}". This is what the agent wrote:`);
  for (const path of [DEMO_CODE, DEMO_DECISION]) {
    tell(`   $ cat ${path}`);
    const text = readUserFile(storage.fileSystem, join(project, path)) ?? '';
    for (const line of text.trimEnd().split('\n')) tell(`   ${visibleExcerpt(line, 100)}`);
  }
}

function scriptOf({ directory }: DemoOptions): string {
  return join(directory, 'script.json');
}

function put({ storage }: DemoOptions, path: string, text: string): void {
  ensureDirectory(storage.fileSystem, dirname(path));
  replaceUserFile(storage, path, text);
}

async function run(
  options: DemoOptions,
  story: DemoStory,
  how: { readonly args: readonly string[]; readonly isToBeKilled: boolean },
): Promise<Ending> {
  const { self, environment, project, programs, signal, tell } = options;
  let program: Program | undefined;
  let ending = 'failed' as Ending;
  const leaving = new AbortController();
  const deciding: Promise<void>[] = [];
  const onEvent = (event: RunEvent) => {
    // What a run says while it is being stopped is not part of the story.
    if (leaving.signal.aborted || signal.aborted) return;
    const line = describeEvent(event);
    if (line !== undefined) options.tell(`   ${line}`);
    if (event.type === 'question') {
      const decided = answer(options, story, event.sessionId).then((isAnswered) => {
        if (isAnswered) return;
        ending = 'left';
        leaving.abort();
      });
      deciding.push(decided);
    }
    if (event.type === 'run-end') ending = event.outcome === 'completed' ? 'completed' : 'failed';
    if (how.isToBeKilled && isWorkingOnCode(event) && program !== undefined) {
      ending = 'killed';
      tell('');
      tell(`   $ kill -9 ${program.pid}   (that is the run, in the middle of a turn)`);
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
      '--idle',
      '0',
      '--json',
      ...how.args,
    ],
    workingDirectory: project,
    environment: { ...environment, HOLDFAST_SCRIPTED_SCRIPT: scriptOf(options) },
    input: 'closed',
    onLine: (line) => onEvent(JSON.parse(line) as RunEvent),
  });
  const stop = AbortSignal.any([signal, leaving.signal]);
  const stopped = new Promise<void>((resolve) =>
    stop.addEventListener('abort', () => resolve(), { once: true }),
  );
  await Promise.race([program.exited, stopped]);
  // A run that is asked to stop ends its agent first.
  const exit = await program.stop({ graceMs: 1, termMs: STOP_MS });
  await Promise.all(deciding);
  if (signal.aborted) return 'left';
  if (ending === 'killed')
    tell(`   Process ${program.pid} is gone: ${exit.signal ?? `exit code ${exit.code}`}.`);
  return ending;
}

const STOP_MS = 15_000;

/** False if the person left instead. */
async function answer(options: DemoOptions, story: DemoStory, id: string): Promise<boolean> {
  const { questions, decide } = options;
  const answers = await decide(await questions.get(id));
  if (answers === undefined) return false;
  story.greeting = greetingIn(answers);
  // The running agent gets the greeting from the answer; the one started after the kill gets it from this script.
  put(options, scriptOf(options), demoScript(story.greeting));
  await questions.answer(id, answers);
  return true;
}

/** The agent has begun to write the code, and says so. */
function isWorkingOnCode(event: RunEvent): boolean {
  return event.type === 'agent' && event.event.type === 'text' && event.event.text.startsWith('I begin');
}

function describeEvent(event: RunEvent): string | undefined {
  switch (event.type) {
    case 'iteration-start':
      return `${event.phase} ${event.iteration}: the agent is working …`;
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
        ? `  ${event.phase} is done: measured, and the agent says so`
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
