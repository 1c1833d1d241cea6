import type { OwnPrice, PriceOf } from './price.js';

/** Model prices from the user's own list, or from the list we ship. That list is loaded only here. */
export async function loadPrices(own: Readonly<Record<string, OwnPrice>>, today: Date): Promise<PriceOf> {
  const { priceBy } = await import('./price.js');
  const { LISTED_MODELS, PRICE_SOURCE } = await import('./list.js');
  return priceBy({ source: PRICE_SOURCE, models: LISTED_MODELS, own, today });
}
