import { agentAbove, HookedAgents, type HookServices } from '../../hooks/index.js';
import { MARKER_NAME } from '../../programs/index.js';
import type { Services } from '../services.js';

/** Whether this process belongs to an agent that Holdfast itself started; its hooks are then ignored. */
export function isOfOurAgent({ environment }: Pick<Services, 'environment'>): boolean {
  return Boolean(environment[MARKER_NAME]);
}

/** What a hook of an agent needs from us. Throws CONFIG_INVALID. */
export function openHooks(
  services: Services,
  { print, openNotices }: Pick<HookServices, 'print' | 'openNotices'>,
): HookServices {
  const { environment, tools, clock, log, config } = services;
  const told = Number(environment.CLAUDE_PID);
  const isTold = Number.isSafeInteger(told) && told > 1;
  const attended = environment.CLAUDE_CODE_SESSION_ATTENDED;
  return {
    questions: services.questions.as('hook'),
    agents: openHookedAgents(services),
    clock,
    log,
    fileSystem: tools.fileSystem,
    waitSeconds: config.get('hooks.waitSeconds'),
    agentPid: isTold ? told : agentAbove(tools.fileSystem),
    environment:
      attended === undefined
        ? environment.CLAUDE_CODE_ENTRYPOINT === 'sdk-cli'
          ? { isAttended: false }
          : {}
        : { isAttended: attended !== '0' },
    openNotices,
    print,
  };
}

/** The agents that people started, as far as their hooks reported them. */
export function openHookedAgents({ tools, config }: Services): HookedAgents {
  return new HookedAgents(tools, config.layout.agents);
}
