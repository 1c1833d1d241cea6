import { basename } from 'node:path';
import { missingVariables } from '../../agents/index.js';
import { messageOf, shellWord, visibleLine } from '../../foundation/index.js';
import { type LoopView, momentOf, reportOf } from '../../sessions/loop/index.js';
import type { QuestionView } from '../../sessions/question/index.js';
import { askRestart, isRestartQuestion, isRestartRefused } from '../questions/ask-restart.js';
import { judgeRestart, type RestartVerdict } from './restart-verdict.js';
import type { RunServices } from './run-services.js';
import { findStoppedRun, resumeStopped, type StoppedRun } from './stopped-run.js';

/** A run without a process, and what the service does about it. */
export interface RestartPlan {
  readonly sessionId: string;
  readonly plan: string;
  readonly project: string;
  readonly does: RestartVerdict['does'];
  readonly why: string;
  /** What a person types to start it. */
  readonly command: string;
}

/** What happened to it: `running` if another process runs it by now. */
export interface RestartOutcome extends Omit<RestartPlan, 'does'> {
  readonly became: 'started' | 'running' | 'waits' | 'asks';
  readonly pid: number | null;
}

/** What the service would do about the run of a project; undefined if there is none, or a process is running it. */
export async function planRestart(services: RunServices): Promise<RestartPlan | undefined> {
  const stopped = findStoppedRun(services);
  return stopped === undefined ? undefined : planOf(stopped);
}

/** Does it. A run that cannot be started becomes a question: it was working, so somebody should know. */
export async function restartRun(services: RunServices): Promise<RestartOutcome | undefined> {
  const stopped = findStoppedRun(services);
  if (stopped === undefined) return undefined;
  const { does, ...plan } = await planOf(stopped);
  if (does === 'wait') return { ...plan, became: 'waits', pid: null };
  if (does === 'ask') return ask(stopped, plan);
  const started = await start(stopped);
  if ('pid' in started) return { ...plan, became: 'started', pid: started.pid };
  // Two processes may start it at once; the lock admits one of them.
  if (services.openLoops().owner().hold === 'held') return { ...plan, became: 'running', pid: null };
  return ask(stopped, { ...plan, why: `it could not be started: ${started.failure}` });
}

async function planOf(stopped: StoppedRun): Promise<RestartPlan> {
  const { services, loop, projectDirectory } = stopped;
  const { sessionId, state } = loop;
  const now = services.clock.now();
  const wait = reportOf(loop, now).calls.wait;
  const { does, why } = judgeRestart({
    loop,
    bootId: services.tools.identity.bootId,
    question: await askedTitle(services, loop),
    limit: wait === null ? undefined : `${wait.reason}, until ${momentOf(wait.until, now)}`,
    isRefused: await isRestartRefused(services.questions, sessionId),
    obstacle: obstacleOf(stopped),
  });
  return {
    sessionId,
    plan: state.prpFile,
    project: projectDirectory,
    does,
    why,
    command: commandOf(stopped),
  };
}

/** The title of an unanswered question from the run or its agent. The question whether to start it again does not count. */
async function askedTitle({ questions }: RunServices, { sessionId, state }: LoopView) {
  const isOpen = ({ id, asker, outcome }: QuestionView) =>
    outcome.status === 'pending' && (asker?.session === sessionId || state.openQuestions.includes(id));
  const [view] = (await questions.list()).filter((one) => isOpen(one) && !isRestartQuestion(one));
  return view === undefined ? undefined : (view.questions[0]?.title ?? '');
}

/** Why only a person can start it. The names of variables are known; their values are not kept anywhere. */
function obstacleOf({ services, start }: StoppedRun): string | undefined {
  if (start === undefined) return 'how it was started is not known here';
  if (start.permissions === 'bypass')
    return 'it had --permissions bypass, which a person must type each time';
  try {
    const agent = services.chooseAgent(start.agent, start.account);
    const missing = missingVariables(start.variables ?? [], agent, services.environment);
    if (missing.length === 0) return undefined;
    return `${missing.join(', ')} ${missing.length === 1 ? 'is' : 'are'} not set here, and its agent had ${missing.length === 1 ? 'it' : 'them'}`;
  } catch (error) {
    return messageOf(error);
  }
}

function commandOf({ start, loop, projectDirectory }: StoppedRun): string {
  const { prpFile, storiesTotal } = loop.state;
  const plan = storiesTotal === undefined ? shellWord(prpFile) : `--change ${shellWord(basename(prpFile))}`;
  const resume =
    start === undefined
      ? `holdfast run ${plan} --resume --detach`
      : `holdfast resume${start.permissions === 'bypass' ? ' --permissions bypass' : ''}`;
  return `cd ${shellWord(projectDirectory)} && ${resume}`;
}

/** A run that started working counts as started, however it has ended since. */
async function start(stopped: StoppedRun): Promise<{ pid: number } | { failure: string }> {
  const { services, loop } = stopped;
  try {
    const { pid, exit } = await resumeStopped(stopped, {
      isReset: false,
      isUnattended: stopped.start?.isUnattended === true,
      actor: 'service',
      // Ending the service must not end a run, so a start that has begun is completed.
      signal: new AbortController().signal,
    });
    const resumedAt = services.openLoops().get()?.state.resumedAt ?? null;
    if (exit === null || exit.code === 0 || resumedAt !== (loop.state.resumedAt ?? null)) return { pid };
    return { failure: visibleLine(exit.stderr.trim().split('\n')[0] ?? '') };
  } catch (error) {
    return { failure: messageOf(error) };
  }
}

async function ask({ services }: StoppedRun, plan: Omit<RestartPlan, 'does'>): Promise<RestartOutcome> {
  const { sessionId, project, why, command } = plan;
  await askRestart(services.questions, {
    sessionId,
    projectDirectory: project,
    plan: plan.plan,
    why,
    command,
  });
  return { ...plan, became: 'asks', pid: null };
}
