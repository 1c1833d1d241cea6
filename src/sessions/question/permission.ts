import type { Asker } from './schema.js';

/** What a question for a permission says in its asker: agents cannot write that, their questions come through our server. */
const ASKS_PERMISSION = 'permission';

/** The choices of a question for a permission. Own words without a choice deny it, too, and are told to the agent. */
export const PERMISSION_CHOICES = { allow: 'Allow once', deny: 'Deny' } as const;

/**
 * A prompt in one line, for a list or a status: without its line breaks and the marks of Markdown, but with every character
 * of what stands between the marks of code, because that may be a command.
 */
export function inOneLine(prompt: string): string {
  return prompt
    .slice(0, 2_000)
    .replaceAll(MARKS, (_marks, _fence, code?: string, bold?: string) => code ?? bold ?? '')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

/** Code up to as many backticks as it began with, bold words, the dash of a list. */
const MARKS = /(?<!`)(`+)(?!`)([\s\S]*?[^`])\1(?!`)|\*\*(.+?)\*\*|^- /gm;

/** The asker of a question for a permission. */
export function permissionAsker(asker: Asker): Asker {
  return { ...asker, asks: ASKS_PERMISSION };
}

/** Whether a set is a question for a permission: an answer counts only while the asker waits. */
export function isPermission({ asker }: { readonly asker?: Asker | null | undefined }): boolean {
  return asker?.asks === ASKS_PERMISSION;
}
