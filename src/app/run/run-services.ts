import type { RunServices } from '../../run/index.js';
import { dayLimits, openSharedLimits, withAccount } from '../agents/accounts.js';
import { driverTools, openAgents } from '../agents/open-agents.js';
import { openPrices } from '../agents/open-prices.js';
import { openCheckpoint } from '../fleet/open-checkpoint.js';
import { createServices, type Services } from '../services.js';
import { openChanges } from '../sessions/open-changes.js';
import { conversationPath, openConversations, turnTaker } from '../sessions/open-conversations.js';
import { configuredBudget, openLoops, projectDirectoryOf } from '../sessions/open-loops.js';
import { workbenchOf } from '../sessions/open-processes.js';
import { runShelf } from './run-shelf.js';

/** Everything that a run needs, taken from the composed services. */
export function runServices(services: Services): RunServices {
  const { config, environment, workingDirectory, self, programs } = services;
  return {
    ...runShelf(services),
    environment,
    workingDirectory,
    get projectDirectory() {
      return projectDirectoryOf(services);
    },
    get worktree() {
      return config.worktree;
    },
    self,
    programs,
    get driverTools() {
      return driverTools(services);
    },
    settings: {
      budget: configuredBudget(services),
      dayCostUsd: dayLimits(services).costUsd,
      idleMinutes: config.get('loop.idleMinutes'),
      prompts: config.get('loop.prompts'),
      worktree: { directory: config.layout.newWorktrees, setup: config.get('worktree.setup') },
      preset: { configured: config.get('loop.preset'), phases: config.get('loop.phases') },
    },
    openLoops: (overrides) => openLoops(services, overrides),
    openConversations: () => openConversations(services),
    conversationPath: (id) => conversationPath(services, id),
    openChanges: () => openChanges(services),
    chooseAgent: (agent, account) =>
      withAccount(services, { agent, account }, (name) => openAgents(services).chooseInstalled(name)),
    openSharedLimits: (agent, sessionId) => openSharedLimits(services, agent, sessionId),
    turnTaker: (agent, conversation, options) => turnTaker(services, agent, conversation, options),
    openCheckpoint: (sessionId, place) => openCheckpoint(services, sessionId, place),
    openPrices: () => openPrices(services),
    workbench: () => workbenchOf(services),
    at: (directory) => runServices(servicesIn(services, directory)),
  };
}

function servicesIn(services: Services, workingDirectory: string): Services {
  const { environment, log, clock, self, tools } = services;
  const { command, ids, fileSystem } = tools;
  return createServices({ environment, workingDirectory, command, self, log, clock, ids, fileSystem });
}
