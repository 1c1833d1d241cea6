import { budgetOf, type FoundRun, prepareRun, previewState } from '../../app/run.js';
import { visibleBlock, visibleJson, visibleLine } from '../../foundation/index.js';
import { buildPrompt } from '../../runner/index.js';
import { phaseOf } from '../../sessions/loop/index.js';
import type { CommandContext } from '../command.js';
import { ExitCode } from '../exit-codes.js';

/** `--dry-run`: what the next prompt, the checks and the limits would be. Nothing is started or written. */
export async function showDryRun(
  { services, terminal, isJson }: CommandContext,
  found: FoundRun,
  isNew: boolean,
): Promise<ExitCode> {
  const prepared = prepareRun(services, found, isNew);
  const state = previewState(services, prepared, isNew);
  const { agent, checks, wishes, plan, projectDirectory } = prepared;
  const prompt = buildPrompt({
    assignment: await plan.assignment(state),
    phase: phaseOf(state),
    state,
    iteration: state.currentIteration + 1,
    startedAt: services.clock.now().toISOString(),
    checks: checks.map(({ label }) => label),
    measured: { tests: null, exitCode: null, output: '', condition: null, isFirstGateOpen: false },
    interrupted: state.inFlight ?? state.interrupted ?? null,
    answers: [],
  });
  const limits = isNew ? budgetOf(services, wishes) : { ...state.budget, ...wishes.budget };
  const facts = {
    agent: agent.name,
    command: [agent.command, ...agent.args].join(' '),
    directory: projectDirectory,
    permissions: wishes.permissions,
    context: wishes.context,
    session: isNew ? 'new' : state.sessionId,
    phase: state.currentStory ?? state.currentPhase,
    checks: checks.map(({ command, args }) => [command, ...args]),
    limits,
  };
  if (isJson) {
    terminal.write(visibleJson({ ...facts, prompt }));
    return ExitCode.done;
  }
  for (const [name, value] of Object.entries(facts)) {
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    terminal.write(`${name.padEnd(13)}${visibleLine(text)}`);
  }
  terminal.write(`\n${visibleBlock(prompt)}`);
  return ExitCode.done;
}
