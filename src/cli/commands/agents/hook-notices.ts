import type { HookNotices, HookTold } from '../../../hooks/index.js';
import { AT_TERMINAL, type NoticeEvent } from '../../../notices/index.js';
import type { CommandContext } from '../../command.js';
import { openNotices } from '../../open-notices.js';

/** What `hook` needs for notices when a channel is configured: in a separate file that commands that start often do not load. */
export async function openHookNotices(context: CommandContext): Promise<HookNotices> {
  const notices = await openNotices(context, { isBrief: true });
  return {
    tell: (told) => notices.tell(eventOf(told, context.services.clock.now())),
    [Symbol.asyncDispose]: () => notices[Symbol.asyncDispose](),
  };
}

/** Each wait of an agent is an event of its own; only the agent's own hook sees it. */
function eventOf({ facts, waitsFor }: HookTold, now: Date): NoticeEvent {
  const at = now.toISOString();
  return {
    key: `hook:${facts.agent}:${facts.session}:${at}`,
    kind: waitsFor === 'permission' ? 'permission' : 'question',
    at,
    question: null,
    directory: facts.workingDirectory,
    agent: facts.agent,
    shortId: facts.session.slice(0, 8),
    detail: AT_TERMINAL,
    text: null,
  };
}
