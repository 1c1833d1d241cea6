import { loadPrices, type PriceOf } from '../../agents/index.js';
import type { Services } from '../services.js';

/** What models cost, as the user's own configuration or the list that came with us says. */
export function openPrices({ config, clock }: Services): Promise<PriceOf> {
  return loadPrices(config.prices, clock.now());
}
