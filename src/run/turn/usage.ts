import type { Conversation } from '../../sessions/conversation/index.js';
import { sumUsage } from '../../sessions/conversation/index.js';
import type { HeldLoop, Used } from '../../sessions/loop/index.js';
import type { TurnTaker } from './take-turn.js';

interface UsageParts {
  readonly loop: HeldLoop;
  readonly conversation: Pick<Conversation, 'usage'>;
}

/** What the conversation of a run used and the loop has not counted yet. Both are on disk, so nothing counts twice. */
export function uncountedUsage({ loop, conversation }: UsageParts): Used {
  const records = conversation.usage;
  const counted = Math.min(loop.state.usage?.countedRecords ?? 0, records.length);
  return { ...sumUsage(records.slice(counted)), countedRecords: records.length };
}

/** Counts what an earlier process did not live to count, and what its agent did after it. */
export async function countLeftUsage(parts: UsageParts & { readonly taker: TurnTaker }): Promise<void> {
  await parts.taker.settleUsage();
  const used = uncountedUsage(parts);
  if (used.countedRecords !== (parts.loop.state.usage?.countedRecords ?? 0)) parts.loop.recordUsage(used);
}
