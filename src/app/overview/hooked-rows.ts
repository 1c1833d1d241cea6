import type { AgentRecord } from '../../hooks/index.js';
import type { OverviewRow, RowSource } from '../../overview/index.js';
import { ensureDirectory } from '../../storage/index.js';
import { openHookedAgents } from '../agents/open-hooks.js';
import type { Services } from '../services.js';

/** The agents that people started and whose hooks report to us, as rows of the overview. */
export function hookedRows(services: Services): RowSource {
  const { tools, config } = services;
  const { agents: directory } = config.layout;
  const agents = openHookedAgents(services);
  return {
    read: () => agents.list().map(rowOf),
    watch(onHint) {
      // A directory that does not exist cannot be watched.
      ensureDirectory(tools.fileSystem, directory);
      return tools.watcher.watch(directory, () => onHint());
    },
  };
}

function rowOf({
  agent,
  session,
  workingDirectory,
  state,
  waitsFor,
  words,
  since,
}: AgentRecord): OverviewRow {
  const isWaiting = state === 'waiting';
  return {
    key: `agent:${agent}:${session}`,
    kind: 'agent',
    id: session,
    project: workingDirectory,
    title: 'at a terminal',
    agent,
    // An agent whose turn is over asks nothing; it continues with the next prompt.
    group: !isWaiting ? 'works' : waitsFor === 'prompt' ? 'rests' : 'asks',
    status: state,
    phase: null,
    tests: [],
    cost: null,
    startedAt: since,
    since,
    why: isWaiting ? (words ?? null) : null,
    question: null,
    isRunning: true,
    isArchived: false,
  };
}
