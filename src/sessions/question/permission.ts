import { ASKS_PERMISSION } from '../../foundation/index.js';
import type { Asker } from './schema.js';

export { isPermission, PERMISSION_CHOICES } from '../../foundation/index.js';

/** The asker of a question for a permission. */
export function permissionAsker(asker: Asker): Asker {
  return { ...asker, asks: ASKS_PERMISSION };
}
