import { refuseUnknownCost } from '../../agents/index.js';
import type { EntryOptions } from '../../queue/index.js';
import { withAccount } from '../agents/accounts.js';
import { openAgents } from '../agents/open-agents.js';
import { openPrices } from '../agents/open-prices.js';
import type { Services } from '../services.js';

/** Apart from the queue, because it asks drivers, which no other command of the queue needs. Throws COST_UNKNOWN. */
export function checkCost(
  services: Services,
  { agent, account, model }: Pick<EntryOptions, 'agent' | 'account' | 'model'>,
): Promise<void> {
  // As the run will choose: an account may bring an agent of its own.
  const chosen = withAccount(services, { agent, account }, (name) => openAgents(services).choose(name));
  return refuseUnknownCost(chosen, model, () => openPrices(services));
}
