import type { OwnPrice, PriceOf } from './price.js';

/** What models cost, by the user's own prices or the list that came with us. The list is loaded only here. */
export async function loadPrices(own: Readonly<Record<string, OwnPrice>>, today: Date): Promise<PriceOf> {
  const { priceBy } = await import('./price.js');
  const { LISTED_MODELS, PRICE_SOURCE } = await import('./list.js');
  return priceBy({ source: PRICE_SOURCE, models: LISTED_MODELS, own, today });
}
