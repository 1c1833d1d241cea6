import { runServices } from '../../../app/run/run-services.js';
import { barred, counted, visibleJson, visibleLine } from '../../../foundation/index.js';
import { budgetOf, buildPrompt, type FoundRun, prepareRun, previewState } from '../../../run/index.js';
import { type Budget, conditionOf, phaseOf, presetOf } from '../../../sessions/loop/index.js';
import type { CommandContext } from '../../command.js';
import { ExitCode } from '../../exit-codes.js';

/** `--dry-run`: what the next prompt, the checks and the limits would be. Nothing is started or written. */
export async function showDryRun(
  { services, terminal, isJson }: CommandContext,
  found: FoundRun,
  isNew: boolean,
): Promise<ExitCode> {
  const own = runServices(services);
  const prepared = prepareRun(own, found, isNew);
  const state = previewState(own, prepared, isNew);
  const { agent, checks, wishes, plan, projectDirectory } = prepared;
  const prompt = buildPrompt({
    assignment: await plan.assignment(state),
    phase: phaseOf(state),
    state,
    iteration: state.currentIteration + 1,
    startedAt: services.clock.now().toISOString(),
    checks: checks.map(({ label }) => label),
    measured: {
      tests: null,
      exitCode: null,
      output: '',
      condition: conditionOf(phaseOf(state), state.criteriaCount),
      isFirstGateOpen: false,
    },
    interrupted: state.inFlight ?? state.interrupted ?? null,
    answers: [],
    isFresh: isNew,
    ownWords: own.settings.prompts[phaseOf(state).name],
  });
  const limits = isNew ? budgetOf(own, wishes) : { ...state.budget, ...wishes.budget };
  const facts = {
    agent: agent.name,
    command: [agent.command, ...agent.args].join(' '),
    directory: projectDirectory,
    permissions: wishes.permissions,
    context: wishes.context,
    session: isNew ? 'new' : state.sessionId,
    preset: presetOf(state).name,
    phases: presetOf(state).phases.map(({ name }) => name),
    phase: state.currentStory ?? state.currentPhase,
    checks: checks.map(({ command, args }) => [command, ...args]),
    limits,
  };
  if (isJson) {
    terminal.write(visibleJson({ ...facts, prompt }));
    return ExitCode.done;
  }
  const words = {
    ...facts,
    phases: `${facts.phases.join(', ')} (${facts.preset})`,
    checks: checks.map(({ label }) => label).join(', '),
    limits: limitWords(limits),
  };
  const { preset: _, ...shown } = words;
  for (const [name, text] of Object.entries(shown)) terminal.write(`${name.padEnd(13)}${visibleLine(text)}`);
  terminal.write('\nThe first prompt; what the checks come to before the run is added to it:');
  terminal.write(`\n${barred(prompt)}`);
  return ExitCode.done;
}

/** What the run may use up, in words. */
function limitWords({ iterations, activeMs, tokens, costUsd }: Budget): string {
  const words = [
    ...(iterations === undefined ? [] : [counted(iterations, 'iteration')]),
    ...(activeMs === undefined ? [] : [`${durationWords(activeMs)} of work`]),
    ...(tokens === undefined ? [] : [counted(tokens, 'token')]),
    ...(costUsd === undefined ? [] : [`$${costUsd}`]),
  ];
  return words.length === 0 ? 'none' : words.join(', ');
}

function durationWords(ms: number): string {
  const minutes = ms / 60_000;
  const [value, unit] = minutes < 60 ? [minutes, 'minute'] : [minutes / 60, 'hour'];
  const rounded = Math.round(value * 10) / 10;
  return `${rounded} ${rounded === 1 ? unit : `${unit}s`}`;
}
