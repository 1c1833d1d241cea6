import { HoldfastError, visibleExcerpt } from '../foundation/index.js';

/** The user's configuration has no account of that name. */
export class AccountUnknownError extends HoldfastError<'ACCOUNT_UNKNOWN'> {
  readonly code = 'ACCOUNT_UNKNOWN';

  constructor(name: string, known: readonly string[]) {
    super(`There is no account ${JSON.stringify(visibleExcerpt(name, 80))}`, {
      hint:
        known.length === 0
          ? 'None is configured: `holdfast config set accounts.work \'{"agent":"claude"}\'` adds one.'
          : `Known accounts: ${known.join(', ')}.`,
    });
  }
}
