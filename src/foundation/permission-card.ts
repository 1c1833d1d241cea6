/** The asker of a question about a permission. Agents cannot set it themselves: their questions come through our server. */
export const ASKS_PERMISSION = 'permission';

/**
 * The choices of a question about a permission. The side that asks, the side that shows it and the side that reads the
 * answer must mean the same words. Free text without a choice also denies, and is passed on to the agent. `always` is
 * there only if the agent offers it.
 */
export const PERMISSION_CHOICES = { allow: 'Allow once', deny: 'Deny', always: 'Allow always' } as const;

/** Whether a set is a question about a permission: an answer counts only while the asker is waiting. */
export function isPermission({
  asker,
}: {
  readonly asker?: { readonly asks?: unknown } | null | undefined;
}): boolean {
  return asker?.asks === ASKS_PERMISSION;
}
