import { type AgentChoice, type AgentDefinition, loadDriver } from '../../../agents/index.js';
import { openAgents } from '../../../app/index.js';
import { visibleExcerpt, visibleJson } from '../../../foundation/index.js';
import { defineCommand } from '../../command.js';
import { ExitCode } from '../../exit-codes.js';
import { renderTable } from '../../render/table.js';

export const list = defineCommand({
  usage: 'agents list',
  summary: 'List the agents that are known and installed',
  details:
    'Versions come from the programs themselves. Agents of your own go under `agents` in config.json;\n' +
    'prompts of your own go into Markdown files: .claude/agents/*.md or .aurora/agents/*.md, in the project or at home.',
  options: { all: { type: 'boolean', about: 'also list those that are not installed' } },
  examples: ['holdfast agents', 'holdfast agents --all --json'],
  async run({ services, terminal, isJson }, { values }) {
    const agents = openAgents(services);
    const all = [...agents.list(), ...agents.described()];
    const described = await Promise.all(all.map((agent) => describeAgent(agents, agent)));
    const shown = described.filter((agent) => values.all || agent.path !== null);
    if (isJson) {
      terminal.write(visibleJson(shown));
      return ExitCode.done;
    }
    const rows = shown.map(({ name, driver, version, path, capabilities }) => [
      name,
      driver,
      visibleExcerpt(version ?? '-', 24),
      `${capabilities.conversation}, resume ${capabilities.resume}, cancel ${capabilities.cancel}`,
      visibleExcerpt(path ?? 'not installed', 60),
    ]);
    terminal.write(renderTable(['NAME', 'DRIVER', 'VERSION', 'CAN', 'WHERE'], rows));
    const missing = described.length - shown.length;
    if (missing > 0)
      terminal.note(`${missing} more ${missing === 1 ? 'is' : 'are'} known but not installed (--all).`);
    return ExitCode.done;
  },
});

async function describeAgent(agents: AgentChoice, agent: AgentDefinition) {
  const path = agents.locate(agent) ?? null;
  const { capabilities } = await loadDriver(agent);
  const version = path === null ? null : await agents.versionOf(agent);
  return { name: agent.name, driver: agent.driver, path, version, source: agent.source, capabilities };
}
