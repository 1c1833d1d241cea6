import { refuseUnknownCost } from '../../agents/index.js';
import type { EntryOptions } from '../../queue/index.js';
import { openAgents } from '../agents/open-agents.js';
import { openPrices } from '../agents/open-prices.js';
import type { Services } from '../services.js';

/** Apart from the queue, because it asks drivers, which no other command of the queue needs. Throws COST_UNKNOWN. */
export function checkCost(
  services: Services,
  { agent, model }: Pick<EntryOptions, 'agent' | 'model'>,
): Promise<void> {
  return refuseUnknownCost(openAgents(services).choose(agent), model, () => openPrices(services));
}
