import { visibleExcerpt } from '../foundation/index.js';
import type { AgentEvent } from './events.js';

/** One line about what the agent does; undefined for what is not worth one. */
export function describeEvent(event: AgentEvent): string | undefined {
  switch (event.type) {
    case 'tool-call':
      if (event.title === event.name) return `→ ${visibleExcerpt(event.name, 120)}`;
      return `→ ${visibleExcerpt(event.name, 40)} ${visibleExcerpt(event.title, 120)}`;
    case 'tool-result':
      return event.isError ? `✗ ${visibleExcerpt(event.output, 160)}` : undefined;
    case 'permission':
      return `${event.decision === 'allowed' ? '✓' : '✗'} ${event.decision} (${event.by}): ${visibleExcerpt(event.title, 120)}`;
    case 'retry':
      return `… tries again (${event.attempt}): ${visibleExcerpt(event.message, 160)}`;
    case 'rate-limit':
      return `! limit: ${visibleExcerpt(event.message, 160)}${event.resetsAt === null ? '' : ` (until ${event.resetsAt})`}`;
    case 'error':
      return `! ${visibleExcerpt(event.message, 200)}`;
    default:
      return undefined;
  }
}
