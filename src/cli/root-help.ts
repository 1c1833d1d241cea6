/** The commands by group, with one line each: all that `holdfast --help` needs to know. */
export const COMMAND_GROUPS = [
  {
    title: 'Questions: an agent asks, a person answers',
    commands: [
      ['ask', 'Ask a person and wait for the answer'],
      ['inbox', 'Answer everything that waits on you, in one terminal'],
      ['answer', 'Answer a question set, or reject it'],
      ['questions list', 'List question sets that wait for an answer'],
      ['questions show', 'Show one question set with its answers'],
      ['questions collect', 'Take answers that have arrived'],
      ['questions cancel', 'Withdraw a question set'],
      ['questions verify', 'Check the files of question sets'],
      ['questions clean', 'Move old question sets to the trash'],
      ['mcp', 'Serve agents over MCP on stdin and stdout'],
      ['setup', "Put the MCP entry into an agent's settings"],
    ],
  },
  {
    title: 'Loops: an unattended run over a plan',
    commands: [['status', 'Show the loop of this project']],
  },
  {
    title: 'Agents',
    commands: [
      ['agents list', 'List the agents that are known and installed'],
      ['agents probe', 'Try what an agent can really do'],
      ['exec', 'Run one prompt with an agent'],
    ],
  },
  {
    title: 'Everything else',
    commands: [
      ['demo', 'See it work in a minute, without an agent or an account'],
      ['unlock', 'See who holds the lock of a session, or take it away'],
      ['paths', 'Print every path that belongs to Holdfast'],
      ['config show', 'Print every setting and where it came from'],
      ['completion', 'Print a completion script for bash, zsh or fish'],
    ],
  },
] as const;

/** What `holdfast --help` prints. */
export const ROOT_HELP = renderRootHelp();

function renderRootHelp(): string {
  const lines = ['holdfast: durable sessions for coding agents', '', 'Usage: holdfast <command> [options]'];
  for (const group of COMMAND_GROUPS) {
    lines.push('', `${group.title}:`);
    for (const [name, summary] of group.commands) lines.push(`  ${name.padEnd(20)}${summary}`);
  }
  lines.push(
    '',
    'Options of every command:',
    '  --json              Print data as JSON',
    '  --quiet             Print no progress and no notes',
    '  --color, --no-color Force or forbid colours (NO_COLOR is honoured)',
    '  --help              Show the help of a command, with examples',
    '',
    'Example: holdfast ask \'{"questions":[{"title":"Deploy","prompt":"Deploy now?",',
    '         "options":[{"label":"Yes"},{"label":"No"}]}]}\'',
  );
  return lines.join('\n');
}
