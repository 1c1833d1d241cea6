import { visibleExcerpt } from '../foundation/index.js';
import type { AgentEvent } from './events.js';
import { EDITS_ARE_ACCEPTED, OF_GIVEN_SERVER } from './permission.js';

const NOT_WORTH_A_LINE: readonly string[] = [OF_GIVEN_SERVER, EDITS_ARE_ACCEPTED];

/** What a person said with a denial. */
function wordsOf(message: string | undefined): string {
  return message === undefined ? '' : `: ${visibleExcerpt(message, 80)}`;
}

/** One line about what the agent does; undefined if the event is not worth one. */
export function describeEvent(event: AgentEvent): string | undefined {
  switch (event.type) {
    case 'tool-call':
      // Many titles begin with the name of the tool.
      if (`${event.title} `.startsWith(`${event.name} `)) return `→ ${visibleExcerpt(event.title, 120)}`;
      return `→ ${visibleExcerpt(event.name, 40)} ${visibleExcerpt(event.title, 120)}`;
    case 'tool-result':
      return event.isError ? `✗ ${visibleExcerpt(event.output, 160)}` : undefined;
    case 'permission':
      // Nobody was asked, and the call itself already shows that the tool is used.
      if (event.decision === 'allowed' && NOT_WORTH_A_LINE.includes(event.by)) return undefined;
      return `${event.decision === 'allowed' ? '✓' : '✗'} ${event.decision} (${event.by}${wordsOf(event.message)}): ${visibleExcerpt(event.title, 120)}`;
    case 'retry':
      return `… retrying (${event.attempt}): ${visibleExcerpt(event.message, 160)}`;
    case 'rate-limit':
      if (event.status === 'allowed') return undefined;
      return `! limit: ${visibleExcerpt(event.message, 160)}${event.resetsAt === null ? '' : ` (until ${event.resetsAt})`}`;
    case 'error':
      return `! ${visibleExcerpt(event.message, 200)}`;
    default:
      return undefined;
  }
}
