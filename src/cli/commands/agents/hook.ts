import { isOfOurAgent, openHooks } from '../../../app/agents/open-hooks.js';
import { HOOK_AGENTS, runHook } from '../../../hooks/index.js';
import { defineCommand } from '../../command.js';
import { ExitCode } from '../../exit-codes.js';

const hook = defineCommand({
  usage: 'hook [event]',
  summary: 'Started by an agent that asks for a permission: puts a card in your inbox',
  details:
    'Started by the agent, not by you: `holdfast setup <agent> --hooks --write` puts it into its settings. It reads what the\n' +
    'agent says on stdin, and prints nothing but your decision, in the format of the agent. Without an answer it prints nothing,\n' +
    'and the agent’s own dialog decides. Its exit code is always 0.',
  options: {
    agent: { type: 'string', value: '<name>', about: `who starts it: ${HOOK_AGENTS.join(' or ')}` },
  },
  examples: [
    'holdfast setup claude --hooks --write',
    'holdfast hook PermissionRequest --agent claude < input.json',
  ],
  async run(context, { positionals: [event = ''], values }) {
    try {
      const { services, terminal, signal } = context;
      const agent = HOOK_AGENTS.find((name) => name === values.agent);
      if (agent === undefined || isOfOurAgent(services)) return ExitCode.done;
      const hasChannels = Object.keys(services.config.get('notices.channels')).length > 0;
      const hooks = openHooks(services, {
        print: (decision) => terminal.deliver(decision, { isVerbatim: true }),
        // Notice code is loaded only if the user configured a channel.
        ...(hasChannels
          ? { openNotices: async () => (await import('./hook-notices.js')).openHookNotices(context) }
          : {}),
      });
      await runHook(hooks, { agent, event, input: await terminal.readStandardInput(signal), signal });
    } catch {
      // Unreadable settings or too much input: the agent asks at its own terminal, as it would without us.
    }
    return ExitCode.done;
  },
});

export const commands = [hook];
