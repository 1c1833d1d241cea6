/**
 * Everything that the files of a project may decide. They may come with a clone, so nothing here names a program, a
 * path, a permission, a channel, or how long something is kept. Code that reads such a file takes only these keys from
 * it. The table for people is docs/projects.md; a test keeps the two in step.
 */
export const PROJECT_KEYS = {
  /** Front matter of `.claude/agents/*.md` and `.aurora/agents/*.md`; the text below it is the prompt. */
  agentFile: ['name', 'description', 'model'],
  /** Front matter of a plan. */
  plan: ['title', 'phases'],
  /** `.aurora/config.json` in a project; the one in the home directory may say more. */
  auroraConfig: [],
  /** The names in `scripts` of package.json that are proposed as checks. They are announced before they run. */
  packageScripts: ['lint', 'typecheck', 'check', 'test'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

/** The keys a project's file gives that it may not decide. */
export function keysNotTaken(file: keyof typeof PROJECT_KEYS, given: Iterable<string>): string[] {
  const taken: readonly string[] = PROJECT_KEYS[file];
  return [...given].filter((key) => !taken.includes(key));
}
