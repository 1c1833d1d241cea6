import { defineCommand } from '../../command.js';
import { ExitCode } from '../../exit-codes.js';
import { holdLink } from '../../fleet.js';
import { openNotices } from '../../open-notices.js';
import { VERSION } from '../../programs/version.js';

const mcp = defineCommand({
  usage: 'mcp',
  summary: 'Serve agents over MCP on stdin and stdout',
  details:
    'Started by the agent, not by you: `holdfast setup <agent> --write` puts it into the agent’s settings. It offers\n' +
    'ask_user_questions and get_answered_questions. A question outlives the server.',
  options: {},
  examples: ['holdfast setup claude --write', 'holdfast mcp'],
  async run(context) {
    const { services, signal } = context;
    await using _link = await holdLink(context);
    await using _notices = await openNotices(context);
    const { serveMcp } = await import('../../../mcp/serve.js');
    await serveMcp(services, { stdin: process.stdin, stdout: process.stdout, version: VERSION, signal });
    return signal.aborted ? ExitCode.interrupted : ExitCode.done;
  },
});

export const commands = [mcp];
