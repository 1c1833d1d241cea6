import { loadPrices, type PriceOf } from '../../agents/index.js';
import type { Services } from '../services.js';

/** What models cost, from the user's own configuration or our bundled price list. */
export function openPrices({ config, clock }: Services): Promise<PriceOf> {
  return loadPrices(config.prices, clock.now());
}
