import { isOfOurAgent, openHooks } from '../../../app/agents/open-hooks.js';
import { HOOK_AGENTS, runHook } from '../../../hooks/index.js';
import { defineCommand } from '../../command.js';
import { ExitCode } from '../../exit-codes.js';

const hook = defineCommand({
  usage: 'hook [event]',
  summary: 'What an agent starts when it asks for a permission: a card in your inbox',
  details:
    'Started by the agent, not by you: `holdfast setup <agent> --hooks --write` puts it into its settings. It reads what the\n' +
    'agent says on stdin, and prints nothing but your decision, in the format of the agent. Without an answer it prints nothing,\n' +
    'and the dialog of the agent decides. Its exit code is always 0.',
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
        // Nothing of notices is loaded unless the user configured a channel.
        ...(hasChannels
          ? { openNotices: async () => (await import('./hook-notices.js')).openHookNotices(context) }
          : {}),
      });
      await runHook(hooks, { agent, event, input: await terminal.readStandardInput(signal), signal });
    } catch {
      // Settings that cannot be read, input that is too long: the agent asks at its own terminal, as without us.
    }
    return ExitCode.done;
  },
});

export const commands = [hook];
