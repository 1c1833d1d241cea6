/** The commands of `ralphtool`, with one line each. */
const COMMANDS = [
  ['agent session init', 'Start a session that holds a change (--change <name>)'],
  ['agent session next-story', 'Take the next unfinished story into scope'],
  ['agent session flush', 'Write what was learned into design.md and end the session'],
  ['agent context', 'Print everything about the story in scope'],
  ['agent task done <id>', 'Tick a task of the story in scope'],
  ['agent task undo <id>', 'Untick a task of the story in scope'],
  ['agent task list', 'Print the tasks of the change, story by story'],
  ['agent status', 'Print the progress of the story and the change'],
  ['agent learn <text>', 'Keep something learned until the flush (--task <id>)'],
] as const;

/** What `ralphtool --help` prints. */
export const RALPHTOOL_HELP = renderHelp('agent', COMMANDS);

/** What `ralphtool agent session --help` prints, and so on; undefined where no command starts with these words. */
export function helpOfGroup(group: string): string | undefined {
  const commands = COMMANDS.filter(([name]) => name.startsWith(`${group} `));
  return commands.length === 0 ? undefined : renderHelp(group, commands);
}

function renderHelp(group: string, commands: readonly (readonly [string, string])[]): string {
  return `ralphtool: the agent's side of change sessions

Usage: ralphtool ${group} <command> [options]

Commands:
${commands.map(([name, summary]) => `  ${name.padEnd(26)}${summary}`).join('\n')}

Every command prints JSON on stdout, or {"success":false,"error","code"} on stderr. A warning
is a line of its own on stderr, before that: {"warning","event"}.
The session is --session <id>, else RALPH_SESSION, else the only active one of the project.
The story is --story <id>, else RALPH_STORY, else the one that next-story took.

For people there is 'holdfast change': see holdfast --help`;
}
