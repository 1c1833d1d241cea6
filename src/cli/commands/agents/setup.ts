import { resolve } from 'node:path';
import { loadClientSetup, type SetupFile } from '../../../app/base.js';
import { shellWord, visibleExcerpt, visibleJson, visibleLine } from '../../../foundation/index.js';
import { defineCommand, UsageError } from '../../command.js';
import { ExitCode } from '../../exit-codes.js';

const setup = defineCommand({
  usage: 'setup <agent>',
  summary: "Let an agent ask you questions: its MCP entry and our tools' permission",
  details:
    "Agents: claude, codex, gemini, opencode. Puts the MCP entry into the agent's settings and allows the two tools\n" +
    'ask_user_questions and get_answered_questions by their full names, nothing else. Without --write it only prints what\n' +
    'to paste and where. --remove undoes it: byte for byte if nobody else wrote to the file since, else exactly our\n' +
    'entries.',
  options: {
    write: { type: 'boolean', about: 'put everything in place' },
    remove: { type: 'boolean', about: 'remove it again' },
    project: { type: 'boolean', about: 'use the settings of this project instead of your own' },
    command: { type: 'string', value: '<path>', about: 'how the agent starts holdfast (default: holdfast)' },
  },
  examples: ['holdfast setup claude', 'holdfast setup codex --write', 'holdfast setup gemini --remove'],
  async run({ services, terminal, isJson }, { positionals: [agent = ''], values }) {
    const { CLIENT_NAMES, inspectClient, installClient, removeClient } = await loadClientSetup();
    const client = nameIn(CLIENT_NAMES, agent);
    if (values.write && values.remove) throw new UsageError('Either --write or --remove, not both');
    const { HOLDFAST_HOME } = services.environment;
    const place = {
      entry: {
        command: values.command ?? 'holdfast',
        args: ['mcp'],
        // The agent's server must find the same inbox.
        ...(HOLDFAST_HOME
          ? { env: { HOLDFAST_HOME: resolve(services.workingDirectory, HOLDFAST_HOME) } }
          : {}),
      },
      project: values.project ? services.workingDirectory : undefined,
    };
    const changed = values.write
      ? installClient(services, client, place)
      : values.remove
        ? removeClient(services, client, place)
        : [];
    const setup = inspectClient(services, client, place);
    const again = [
      `holdfast setup ${client}`,
      ...(values.project ? ['--project'] : []),
      ...(values.command === undefined || values.write
        ? []
        : ['--command', visibleLine(shellWord(values.command))]),
    ].join(' ');
    if (isJson) terminal.write(visibleJson({ ...setup, changed }));
    else if (values.remove) {
      for (const path of changed) terminal.write(`${visibleLine(path)}: taken out.`);
      if (changed.length === 0) terminal.write('There was nothing of ours in the settings.');
    } else if (values.write) {
      for (const file of setup.files) terminal.write(`${visibleLine(file.path)}: ${tell(file, changed)}.`);
      for (const word of setup.files.flatMap(({ otherwise }) => otherwise))
        terminal.write(`Left as you set it: ${visibleLine(word)}.`);
      terminal.write(setup.note);
      terminal.note(`Take it back with: ${again} --remove`);
    } else {
      for (const file of setup.files) {
        terminal.print(`${file.snippet}\n`);
        const isThere = file.isInPlace ? ' (already there)' : '';
        terminal.note(`Goes into ${visibleLine(file.path)}${isThere}.`);
      }
      terminal.note(`Put it there with: ${again} --write`);
    }
    return ExitCode.done;
  },
});

export const commands = [setup];

function tell({ path, hasEntry, allows }: SetupFile, changed: readonly string[]): string {
  const what = [
    ...(hasEntry ? ['the MCP server "holdfast"'] : []),
    ...(allows.length > 0 ? [`permission for ${allows.join(' and ')}`] : []),
  ].join(', ');
  return changed.includes(path) ? `added ${what}` : `has ${what} already`;
}

function nameIn<Name extends string>(known: readonly Name[], typed: string): Name {
  const name = known.find((candidate) => candidate === typed);
  if (name !== undefined) return name;
  throw new UsageError(`Unknown agent: ${visibleExcerpt(typed, 40)}`, {
    hint: `Known: ${known.join(', ')}.`,
  });
}
