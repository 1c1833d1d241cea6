import { openLoops } from '../../../app/index.js';
import { openRuns } from '../../../app/run/open-runs.js';
import { placeOfRun } from '../../../app/run/run-place.js';
import { runServices } from '../../../app/run/run-services.js';
import { visibleJson, visibleLine } from '../../../foundation/index.js';
import { showRun } from '../../../run/index.js';
import { findStoppedRun } from '../../../run/open/stopped-run.js';
import { LoopNotResumableError, resumeLoop } from '../../../sessions/loop/index.js';
import { type CommandContext, defineCommand, UsageError } from '../../command.js';
import { perform } from '../../command-of.js';
import { ExitCode } from '../../exit-codes.js';
import { alsoElsewhere } from '../../remote-run.js';
import { renderRequest } from '../../render/loop-request.js';
import { permissionMode } from '../agents/exec.js';
import { resumeRun } from './resume-run.js';

const resume = defineCommand({
  operation: resumeLoop,
  usage: 'resume [run]',
  details:
    'A paused run continues, and one that is waiting for a limit, an overloaded\n' +
    'service or the network tries at once. A run without a process is restarted in the\n' +
    'background with the options it had; --permissions bypass has to be typed again. Exit codes: 0 it runs, 3 something\n' +
    'has to be decided first, 4 there is no loop, 6 the breaker halted it (--reset tries again).',
  options: {
    reset: { type: 'boolean', about: 'try again after the breaker halted it' },
    permissions: {
      type: 'string',
      value: '<mode>',
      about: 'edits, ask or bypass, for a restart; as before if absent',
    },
    unattended: {
      type: 'boolean',
      about: 'no one will answer: the restarted run ends when it needs a person',
    },
    recreate: { type: 'boolean', about: 'make its removed worktree again, from its branch' },
  },
  examples: [
    'holdfast resume',
    'holdfast resume 3f2a',
    'holdfast resume --reset',
    'holdfast resume --permissions bypass',
  ],
  async run(given, { positionals: [run], values }) {
    const services = placeOfRun(given.services, run);
    const context = { ...given, services };
    const loops = openLoops(services);
    const loop = loops.get();
    if (loop === undefined) throw loops.notFound();
    const permissions = values.permissions === undefined ? undefined : permissionMode(values.permissions);
    if (loop.owner.hold === 'held') return tellRunning(context, values.reset);
    const stopped = findStoppedRun(runServices(services));
    if (stopped === undefined) {
      const isAborted = loop.status === 'aborted';
      throw new LoopNotResumableError(`it is ${loop.status}`, 'no_resume', { isAborted });
    }
    return resumeRun(context, stopped, {
      permissions,
      isReset: values.reset,
      isUnattended: values.unattended,
      isRecreated: values.recreate,
    });
  },
});

export const commands = [
  alsoElsewhere(resume, ({ positionals: [run], values }) => ({
    run,
    request() {
      // Each option decides something that the person at that machine has to decide.
      if (Object.values<unknown>(values).some((value) => value !== undefined && value !== false))
        throw new UsageError('A run on another machine is resumed as it was: without options', {
          hint: 'Type it on that machine, or leave the options out.',
        });
      return { kind: 'resume' };
    },
  })),
];

/** Sends the request only to a resting run: any request interrupts what a run is doing. */
async function tellRunning(context: CommandContext, isReset: boolean): Promise<ExitCode> {
  const { services, terminal, isJson } = context;
  if (isReset) return tellRequest(context, true);
  const { report } = await perform(context, showRun, { runs: openRuns(services) }, {});
  const waitsFor = report?.waitsFor ?? null;
  if (waitsFor !== null && waitsFor.kind !== 'answer') return tellRequest(context, false);
  const question = waitsFor?.question ?? null;
  if (isJson) terminal.write(visibleJson({ request: null, isRunning: true, waitsFor }));
  else if (question === null)
    terminal.write(
      `The run is already working. Watch: holdfast status${report === null ? '' : ` ${report.sessionId.slice(0, 8)}`} --watch`,
    );
  else {
    const id = question.id.slice(0, 8);
    terminal.write(
      `The run is waiting for your answer: ${visibleLine(question.title)}. Answer it: holdfast answer ${id}`,
    );
  }
  return question === null ? ExitCode.done : ExitCode.needsPerson;
}

async function tellRequest(context: CommandContext, isReset: boolean): Promise<ExitCode> {
  const { services, terminal, isJson } = context;
  const sent = await perform(context, resumeLoop, { loops: openLoops(services) }, { isReset });
  terminal.write(isJson ? visibleJson(sent) : renderRequest(sent));
  return ExitCode.done;
}
