import type { AgentDefinition, PriceOf } from '../agents/index.js';
import { loadDriver, loadPrices, NO_TOKENS } from '../agents/index.js';
import { HoldfastError } from '../foundation/index.js';
import type { Budget } from '../sessions/loop/index.js';
import type { Services } from './services.js';

/** What models cost, as the user's own configuration or the list that came with us says. */
export function openPrices({ config, clock }: Services): Promise<PriceOf> {
  return loadPrices(config.prices, clock.now());
}

/** A limit in dollars that nobody could keep: the agent tells no cost, and there is no price for its model. */
export class CostUnknownError extends HoldfastError<'COST_UNKNOWN'> {
  readonly code = 'COST_UNKNOWN';

  constructor(agent: string, model: string | null) {
    super(
      model === null
        ? `${agent} does not report its cost, and its model is not named, so a limit in dollars cannot be enforced`
        : `${agent} does not report its cost, and there is no price for ${model}, so a limit in dollars cannot be enforced`,
      {
        hint:
          model === null
            ? 'Name the model with --model, or limit the tokens: --max-tokens.'
            : `Set prices.${model} in config.json, or limit the tokens: --max-tokens.`,
      },
    );
  }
}

/** Refuses a limit that could not be kept, before anybody is paid. Throws COST_UNKNOWN. */
export async function refuseUnknownCost(
  services: Services,
  agent: AgentDefinition,
  { budget, model }: { readonly budget: Budget; readonly model: string | undefined },
): Promise<void> {
  if (budget.costUsd === undefined) return;
  const { capabilities } = await loadDriver(agent);
  if (capabilities.reportsCost) return;
  const name = model ?? agent.model ?? null;
  const priceOf = await openPrices(services);
  if (priceOf(name, NO_TOKENS) === null) throw new CostUnknownError(agent.name, name);
}
