/**
 * What the files of a project may decide, all of it: they may come with a clone, so nothing here names a program, a path, a
 * permission, a channel, or how long something is kept. Whatever reads such a file takes only these keys of it. The table
 * for people is docs/projects.md, and a test holds the two together.
 */
export const PROJECT_KEYS = {
  /** Front matter of `.claude/agents/*.md` and `.aurora/agents/*.md`; the text below it is the prompt. */
  agentFile: ['name', 'description', 'model'],
  /** Front matter of a plan. */
  plan: ['title', 'phases'],
  /** `.aurora/config.json` in a project; the one at home has more to say. */
  auroraConfig: [],
  /** `scripts` of package.json: which of them are proposed as checks, by their names. They are announced before they run. */
  packageScripts: ['lint', 'typecheck', 'check', 'test'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

/** The keys that are given in a file of a project and are not its to decide. */
export function keysNotTaken(file: keyof typeof PROJECT_KEYS, given: Iterable<string>): string[] {
  const taken: readonly string[] = PROJECT_KEYS[file];
  return [...given].filter((key) => !taken.includes(key));
}
