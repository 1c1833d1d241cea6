import { type Clock, isHoldfastError, type Logger, messageOf } from '../foundation/index.js';
import type { QuestionSessions } from '../sessions/question/index.js';
import type { FileSystem } from '../storage/index.js';
import { followAgent } from './agent-signs.js';
import type { HookedAgents } from './agents.js';
import { answerByCard, type CardEnd } from './answer-permission.js';
import { formQuestions, permissionCard } from './card.js';
import {
  type FormAsked,
  type HookAgent,
  type HookEnvironment,
  meaningOf,
  type PermissionAsked,
} from './events.js';
import { patienceMs } from './how-long-to-wait.js';
import { type HookNotices, type HookTold, tellByHook } from './tell.js';
import { formDecision, permissionDecision, verdictIn } from './verdict.js';

/** What a hook needs. */
export interface HookServices {
  readonly questions: QuestionSessions;
  readonly agents: HookedAgents;
  readonly clock: Clock;
  readonly log: Logger;
  readonly fileSystem: FileSystem;
  /** `hooks.waitSeconds`. */
  readonly waitSeconds: number;
  /** The agent's process, if the agent names it. */
  readonly agentPid?: number | undefined;
  readonly environment: HookEnvironment;
  /** Absent if the user has no channel. */
  readonly openNotices?: (() => Promise<HookNotices>) | undefined;
  /** Gives a decision to the agent. */
  print(decision: string): Promise<void>;
}

/** One call of a hook by its agent. */
export interface HookCall {
  readonly agent: HookAgent;
  readonly event: string;
  /** The text from its standard input. */
  readonly input: string;
  /** Fires when the agent ends the hook. */
  readonly signal: AbortSignal;
}

/**
 * Handles an agent's hook. Never throws, and prints nothing but a decision made by a person: if anything goes wrong, the
 * agent continues as if we were not there.
 */
export async function runHook(services: HookServices, call: HookCall): Promise<void> {
  try {
    await act(services, call);
  } catch (error) {
    services.log.debug('hook.failed', { event: call.event, error: messageOf(error) });
  }
}

async function act(services: HookServices, { agent, event, input, signal }: HookCall): Promise<void> {
  const { agents, agentPid } = services;
  const meaning = meaningOf(agent, event, JSON.parse(input), services.environment);
  switch (meaning.does) {
    case 'nothing':
      services.log.debug('hook.nothing', { event, why: meaning.why });
      return;
    case 'note':
      if (meaning.state === 'ended') agents.forget(meaning.facts);
      else agents.note(meaning.facts, undefined, agentPid);
      return;
    case 'tell':
      // The agent's own notification repeats what another event has reported.
      if (event === 'Notification') return tellByHook(agents, { ...meaning, agentPid });
      return tellPerson(services, { ...meaning, agentPid });
    case 'ask':
      return askPermission(services, meaning.asked, signal);
    case 'ask-form':
      return askForm(services, meaning.asked, signal);
  }
}

/** For what we cannot answer ourselves. The end of a turn is no news: anyone who looks sees it. */
async function tellPerson(services: HookServices, told: HookTold): Promise<void> {
  tellByHook(services.agents, told);
  if (told.waitsFor === 'prompt') return;
  await using notices = await services.openNotices?.();
  notices?.tell(told);
}

async function askPermission(
  services: HookServices,
  asked: PermissionAsked,
  signal: AbortSignal,
): Promise<void> {
  const { agents, agentPid, fileSystem } = services;
  const patience = patienceMs(asked, services.waitSeconds);
  // Signs first: what the agent does from now on counts.
  const signs = followAgent(fileSystem, asked, agentPid);
  const told: HookTold = {
    facts: asked,
    waitsFor: 'permission',
    words: `asks to use ${asked.tool.name}`,
    agentPid,
  };
  if (patience === 0) return tellPerson(services, told);
  tellByHook(agents, told);
  // For the card, which is a question like any other.
  await using _notices = await services.openNotices?.();
  const end = await cardOrNothing(services, () =>
    answerByCard(services, {
      facts: asked,
      questions: [permissionCard(asked)],
      patienceMs: patience,
      signs,
      signal,
      decisionIn: (outcome) => {
        const verdict = verdictIn(outcome, asked);
        return verdict === undefined ? undefined : permissionDecision(asked.agent, verdict);
      },
    }),
  );
  if (end === 'given' || end === 'withdrawn') agents.note(asked, undefined, agentPid);
}

async function askForm(services: HookServices, asked: FormAsked, signal: AbortSignal): Promise<void> {
  const { agents, agentPid, fileSystem, waitSeconds } = services;
  const told: HookTold = {
    facts: asked,
    waitsFor: 'form',
    words: `has a form from ${asked.server} for you`,
    agentPid,
  };
  if (waitSeconds === 0) return tellPerson(services, told);
  tellByHook(agents, told);
  await using _notices = await services.openNotices?.();
  const end = await cardOrNothing(services, () =>
    answerByCard(services, {
      facts: asked,
      questions: formQuestions(asked),
      patienceMs: waitSeconds * 1_000,
      signs: followAgent(fileSystem, { ...asked, tool: { name: '', input: {} } }, agentPid),
      signal,
      decisionIn: (outcome) => formDecision(outcome, asked),
    }),
  );
  if (end === 'given') agents.note(asked, undefined, agentPid);
}

/** Asks nothing that is too long to be shown whole: a person must not say yes to what they cannot read. */
async function cardOrNothing(
  services: HookServices,
  ask: () => Promise<CardEnd>,
): Promise<CardEnd | undefined> {
  try {
    return await ask();
  } catch (error) {
    if (!isHoldfastError(error)) throw error;
    services.log.debug('hook.no-card', { error: messageOf(error) });
    return undefined;
  }
}
