import type { Command } from '../command.js';

/** What `ralphtool --help` prints, and `ralphtool agent session --help` for its part; the build puts the first into the entry. */
export function ralphtoolHelp(group: string, commands: readonly Command[]): string {
  return `ralphtool: the agent's side of change sessions

Usage: ralphtool ${group} <command> [options]

Commands:
${commands.map(line).join('\n')}

Every command prints JSON on stdout, or {"success":false,"error","code"} on stderr. A warning
is a line of its own on stderr, before that: {"warning","event"}.
The session is --session <id>, else RALPH_SESSION, else the only active one of the project.
The story is --story <id>, else RALPH_STORY, else the one that next-story took.

For people there is 'holdfast change': see holdfast --help`;
}

function line({ usage, summary, aside }: Command): string {
  return `  ${usage.replace(/ \[.*$/, '').padEnd(26)}${summary}${aside === undefined ? '' : ` ${aside}`}`;
}
