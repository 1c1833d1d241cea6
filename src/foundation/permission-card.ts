/** What a question for a permission says in its asker: agents cannot write that, their questions come through our server. */
export const ASKS_PERMISSION = 'permission';

/**
 * The choices of a question for a permission: who asks, who shows it and who reads the answer must mean the same words.
 * Own words without a choice deny it, too, and are told to the agent. `always` is there only where the agent offers it.
 */
export const PERMISSION_CHOICES = { allow: 'Allow once', deny: 'Deny', always: 'Allow always' } as const;

/** Whether a set is a question for a permission: an answer counts only while the asker waits. */
export function isPermission({
  asker,
}: {
  readonly asker?: { readonly asks?: unknown } | null | undefined;
}): boolean {
  return asker?.asks === ASKS_PERMISSION;
}
