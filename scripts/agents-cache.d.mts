/** Where each agent program is, and in which version; an agent that is not installed is missing. */
export function agentPaths(): Partial<
  Record<
    'claude' | 'codex' | 'gemini' | 'opencode' | 'openspec' | 'minimist',
    { readonly command: string; readonly version: string }
  >
>;
