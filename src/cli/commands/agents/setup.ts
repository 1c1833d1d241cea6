import { resolve } from 'node:path';
import { loadClientSetup, type SetupFile, type SetupInstead } from '../../../app/base.js';
import { shellWord, visibleExcerpt, visibleJson, visibleLine } from '../../../foundation/index.js';
import { defineCommand, UsageError } from '../../command.js';
import { ExitCode } from '../../exit-codes.js';

const setup = defineCommand({
  usage: 'setup <agent>',
  summary: 'Let an agent ask you questions: its MCP entry and permission for our tools',
  details:
    "Agents: claude, codex, gemini, opencode. Puts the MCP entry into the agent's settings and allows the two tools\n" +
    'ask_user_questions and get_answered_questions by their full names, nothing else. Without --write it only prints what\n' +
    'to paste and where. --remove undoes it: byte for byte if nobody else has written to the file since, otherwise just our\n' +
    'entries.\n' +
    'With --hooks (claude, codex) permission requests of agents that you start yourself become cards in the inbox. With --skill\n' +
    'the agent is told when to ask you, and how. Each is put in place and removed on its own.',
  options: {
    hooks: { type: 'boolean', about: "the agent's hooks instead: its permission requests become cards" },
    skill: { type: 'boolean', about: 'instructions for the agent instead: when to ask, and how' },
    write: { type: 'boolean', about: 'put everything in place' },
    remove: { type: 'boolean', about: 'remove it again' },
    project: { type: 'boolean', about: 'use the settings of this project instead of your own' },
    command: { type: 'string', value: '<path>', about: 'how the agent starts holdfast (default: holdfast)' },
  },
  examples: [
    'holdfast setup claude',
    'holdfast setup codex --write',
    'holdfast setup claude --hooks --write',
    'holdfast setup gemini --remove',
  ],
  async run({ services, terminal, isJson }, { positionals: [agent = ''], values }) {
    const { CLIENT_NAMES, HOOK_CLIENTS, hooksOfInstalled, inspectClient, installClient, removeClient } =
      await loadClientSetup();
    const client = nameIn(CLIENT_NAMES, agent);
    if (values.hooks && values.skill) throw new UsageError('Use --hooks or --skill, not both');
    if (values.write && values.remove) throw new UsageError('Use --write or --remove, not both');
    const { HOLDFAST_HOME } = services.environment;
    const entry = {
      command: values.command ?? 'holdfast',
      args: ['mcp'],
      // The agent's server must find the same inbox.
      ...(HOLDFAST_HOME ? { env: { HOLDFAST_HOME: resolve(services.workingDirectory, HOLDFAST_HOME) } } : {}),
    };
    const place = {
      entry,
      project: values.project ? services.workingDirectory : undefined,
      instead: await insteadOf(),
    };
    const changed = values.write
      ? installClient(services, client, place)
      : values.remove
        ? removeClient(services, client, place)
        : [];
    const setup = inspectClient(services, client, place);
    const again = [
      `holdfast setup ${client}`,
      ...(values.hooks ? ['--hooks'] : values.skill ? ['--skill'] : []),
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

    async function insteadOf(): Promise<SetupInstead | undefined> {
      if (values.skill) return { purpose: 'skill' };
      if (!values.hooks) return undefined;
      const hooked = nameIn(HOOK_CLIENTS, client);
      // Removing needs no entries: ours are recognized whatever version is installed by now.
      const entries = values.remove ? {} : await hooksOfInstalled(services, hooked, entry);
      return { purpose: 'hooks', client: hooked, entries };
    }
  },
});

export const commands = [setup];

function tell({ path, hasEntry, allows, holds }: SetupFile, changed: readonly string[]): string {
  const what = [
    ...holds,
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
