import { HoldfastError } from '../../foundation/index.js';
import { type AgentDefinition, loadDriver } from '../definitions.js';
import { NO_TOKENS } from '../usage.js';
import type { PriceOf } from './price.js';

/** A limit in dollars that cannot be enforced: the agent reports no cost, and there is no price for its model. */
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

/** Refuses a limit in dollars that cannot be enforced, before any money is spent. Throws COST_UNKNOWN. */
export async function refuseUnknownCost(
  agent: AgentDefinition,
  model: string | undefined,
  openPrices: () => Promise<PriceOf>,
): Promise<void> {
  const { capabilities } = await loadDriver(agent);
  if (capabilities.reportsCost) return;
  const name = model ?? agent.model ?? null;
  const priceOf = await openPrices();
  if (priceOf(name, NO_TOKENS) === null) throw new CostUnknownError(agent.name, name);
}
