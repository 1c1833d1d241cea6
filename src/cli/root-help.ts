/** The commands by group, with one line each: all that `holdfast --help` needs to know. */
export const COMMAND_GROUPS = [
  {
    title: 'Questions: an agent asks, a person answers',
    commands: [
      ['ask', 'Ask a person and wait for the answer'],
      ['inbox', 'Answer everything that is waiting for you, in one terminal'],
      ['answer', 'Answer a question set, or reject it'],
      ['reject', 'Reject a question set'],
      ['questions list', 'List question sets that are waiting for an answer'],
      ['questions show', 'Show one question set with its answers'],
      ['questions collect', 'Fetch answers that have arrived'],
      ['questions wait', 'Wait for the outcome of a question set'],
      ['questions reject', 'Reject a question set'],
      ['questions cancel', 'Withdraw a question set'],
      ['questions verify', 'Check the files of question sets'],
      ['questions clean', 'Move old question sets to the trash'],
      ['mcp', 'Serve agents over MCP on stdin and stdout'],
      ['setup', "Let an agent ask you questions: its MCP entry and our tools' permission"],
    ],
  },
  {
    title: 'Changes: one session at a time works through an OpenSpec change',
    commands: [
      ['change list', 'List the changes of the project and who holds them'],
      ['change show', 'Show one change with its stories and sessions'],
      ['change init', 'Start a session that holds a change'],
      ['change next-story', 'Take the next story into scope'],
      ['change context', 'Show everything about the story in scope'],
      ['change done', 'Tick a task of the story in scope'],
      ['change undo', 'Untick a task of the story in scope'],
      ['change status', 'Show the progress of the story and the change'],
      ['change learn', 'Keep something learned until the flush'],
      ['change flush', 'Write what was learned into design.md, end the session'],
      ['change release', 'Take a change away from its session'],
      ['change recover', 'Repair what a crash left of a session'],
    ],
  },
  {
    title: 'Runs: an agent works through a plan, unattended',
    commands: [
      ['run', 'Leave an agent alone with a plan until it is measurably done'],
      ['status', 'Show the loop of this project'],
      ['pause', 'Pause the run of this project'],
      ['resume', 'Resume the run of this project, or restart it if no process is running it'],
      ['stop', 'Stop the run of this project; it can be resumed'],
      ['guide', 'Tell the agent something in its next prompt'],
      ['report', 'Show what a run did: files, tests, questions, phases, cost, why it stopped'],
    ],
  },
  {
    title: 'Agents',
    commands: [
      ['agents list', 'List the agents that are known and installed'],
      ['agents probe', 'Test what an agent can really do'],
      ['exec', 'Run one prompt with an agent'],
      ['chat', 'Talk to an agent; every turn is kept'],
      ['processes list', 'List agent processes and their sessions'],
      ['processes show', 'Show one agent process and its session'],
      ['processes stop', 'End an agent process, whoever started it'],
    ],
  },
  {
    title: 'Sessions of every kind',
    commands: [
      ['sessions list', 'List sessions of every kind'],
      ['sessions show', 'Show one session of any kind'],
      ['sessions verify', 'Check the files of one session, or of all'],
      ['sessions recover', 'Repair a damaged session'],
      ['sessions export', 'Write a session as Markdown or JSON'],
      ['sessions delete', 'Move a session to the trash'],
      ['sessions clean', 'Move old sessions to the trash'],
      ['sessions trash', 'List, restore or empty what was deleted'],
    ],
  },
  {
    title: 'Everything else',
    commands: [
      ['demo', 'See it work in a minute, without an agent or an account'],
      ['unlock', 'See who holds the lock of a session, or take it away'],
      ['paths', 'Print every path that belongs to Holdfast'],
      ['config show', 'Print every setting and where it came from'],
      ['config get', 'Print one setting'],
      ['config set', 'Change one setting in your config.json'],
      ['config unset', 'Remove one setting from your config.json'],
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

/** What `holdfast questions --help` prints, and so on; undefined where no command starts with that word. */
export function helpOfGroup(group: string, verb: string | undefined): string | undefined {
  const commands = COMMAND_GROUPS.flatMap((one) =>
    one.commands.filter(([name]) => name.startsWith(`${group} `)),
  );
  if (commands.length === 0) return undefined;
  return [
    `Usage: holdfast ${group} <command> [options]`,
    '',
    ...commands.map(([name, about]) => `  ${name.padEnd(20)}${about}`),
    '',
    ...(verb === undefined ? [] : [`Without a command: ${group} ${verb}.`]),
    `More about each: holdfast ${commands[0]?.[0]} --help`,
  ].join('\n');
}
