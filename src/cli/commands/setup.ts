import { loadClientSetup } from '../../app/base.js';
import { shellWord, visibleExcerpt, visibleJson, visibleLine } from '../../foundation/index.js';
import { defineCommand, UsageError } from '../command.js';
import { ExitCode } from '../exit-codes.js';

export default defineCommand({
  usage: 'setup <agent>',
  summary: "Put the MCP entry into an agent's settings",
  details:
    'Agents: claude, codex, gemini, opencode. Without --write it only prints what to paste and where. Everything else\n' +
    'in the file stays byte for byte.',
  options: {
    write: { type: 'boolean', about: 'put the entry in place' },
    remove: { type: 'boolean', about: 'take the entry out again' },
    project: { type: 'boolean', about: 'use the settings of this project instead of your own' },
    command: { type: 'string', value: '<path>', about: 'how the agent starts holdfast (default: holdfast)' },
  },
  examples: ['holdfast setup claude', 'holdfast setup codex --write', 'holdfast setup gemini --remove'],
  async run({ services, terminal, isJson }, { positionals: [agent = ''], values }) {
    const { CLIENT_NAMES, inspectClient, installClient, removeClient } = await loadClientSetup();
    const client = nameIn(CLIENT_NAMES, agent);
    if (values.write && values.remove) throw new UsageError('Either --write or --remove, not both');
    const place = {
      entry: { command: values.command ?? 'holdfast', args: ['mcp'] },
      project: values.project ? services.workingDirectory : undefined,
    };
    const changed = values.write
      ? installClient(services, client, place)
      : values.remove && removeClient(services, client, place);
    const setup = inspectClient(services, client, place);
    const path = visibleLine(setup.path);
    if (isJson) terminal.write(visibleJson({ ...setup, changed }));
    else if (values.write)
      terminal.write(`${path}: ${changed ? 'entry added' : 'the entry is there already'}. ${setup.note}`);
    else if (values.remove) terminal.write(`${path}: ${changed ? 'entry removed' : 'there was no entry'}.`);
    else {
      const command =
        values.command === undefined ? '' : ` --command ${visibleLine(shellWord(values.command))}`;
      const again = `${values.project ? ' --project' : ''}${command}`;
      terminal.write(setup.snippet);
      terminal.note(`Belongs into ${path}${setup.isInPlace ? ' (an entry is there already)' : ''}.`);
      terminal.note(`Put it there with: holdfast setup ${client}${again} --write`);
    }
    if (!values.remove && services.environment.HOLDFAST_HOME)
      terminal.note(
        'HOLDFAST_HOME is not in the entry: start the agent with it too, or its inbox is another one.',
      );
    return ExitCode.done;
  },
});

function nameIn<Name extends string>(known: readonly Name[], typed: string): Name {
  const name = known.find((candidate) => candidate === typed);
  if (name !== undefined) return name;
  throw new UsageError(`Unknown agent: ${visibleExcerpt(typed, 40)}`, {
    hint: `Known: ${known.join(', ')}.`,
  });
}
