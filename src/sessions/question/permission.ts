import type { Asker } from './schema.js';

/** What a question for a permission says in its asker: agents cannot write that, their questions come through our server. */
const ASKS_PERMISSION = 'permission';

/** The choices of a question for a permission. Own words without a choice deny it, too, and are told to the agent. */
export const PERMISSION_CHOICES = { allow: 'Allow once', deny: 'Deny' } as const;

/** The asker of a question for a permission. */
export function permissionAsker(asker: Asker): Asker {
  return { ...asker, asks: ASKS_PERMISSION };
}

/** Whether a set is a question for a permission: an answer counts only while the asker waits. */
export function isPermission({ asker }: { readonly asker?: Asker | null | undefined }): boolean {
  return asker?.asks === ASKS_PERMISSION;
}
