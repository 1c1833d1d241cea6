import { join } from 'node:path';
import type { AgentDefinition } from '../agents/index.js';
import { messageOf } from '../foundation/index.js';
import { ensureDirectory, type FileSystem, listDirectory, Trash } from '../storage/index.js';
import type { Services } from './services.js';

const DAY_MS = 24 * 60 * 60 * 1_000;
/** How long the output of an agent is kept, and then again in the trash. */
const RETENTION_MS = 7 * DAY_MS;

/** Where the output of a new run of an agent goes: a file in a directory of its own. Throws STORAGE_FAILED, UNSAFE_PATH. */
export function newAgentLog(services: Services, agent: AgentDefinition): string {
  const { fileSystem, ids } = services.tools;
  const startedAt = services.clock.now().toISOString().replaceAll(/[-:.]/g, '');
  const directory = join(
    services.config.layout.logs,
    `${startedAt}-${agent.name}-${ids.token().slice(0, 8)}`,
  );
  ensureDirectory(fileSystem, directory);
  return join(directory, 'output.log');
}

/** What was cleaned, by the names of the runs. */
export interface LogCleaning {
  /** Moved to the trash. */
  readonly retired: readonly string[];
  /** Removed from the trash for good. */
  readonly purged: readonly string[];
}

/**
 * Moves the output of runs that nobody has written to for seven days to the trash, and removes what has lain there for
 * seven more. Never throws: it comes after other work, and what cannot be cleaned today can be tomorrow.
 */
export function cleanAgentLogs({ clock, log, config, tools }: Services): LogCleaning {
  const { logs, logTrash } = config.layout;
  const { fileSystem } = tools;
  const trash = new Trash({ fileSystem, clock }, logTrash);
  const limit = clock.now().getTime() - RETENTION_MS;
  const retired: string[] = [];
  try {
    for (const name of listDirectory(fileSystem, logs)) {
      const path = join(logs, name);
      if (lastWriteMs(fileSystem, path) >= limit) continue;
      trash.take(name, path);
      retired.push(name);
    }
    return { retired, purged: trash.purge(RETENTION_MS).map(({ id }) => id) };
  } catch (error) {
    log.warn('agent.logs-not-cleaned', { error: messageOf(error) });
    return { retired, purged: [] };
  }
}

/** Of the directory or a file in it; what is gone, or no directory of ours, is left alone. */
function lastWriteMs(fileSystem: FileSystem, path: string): number {
  const facts = fileSystem.look(path);
  if (facts?.kind !== 'directory') return Number.POSITIVE_INFINITY;
  const files = fileSystem.list(path).map((name) => fileSystem.look(join(path, name))?.modifiedMs ?? 0);
  return Math.max(facts.modifiedMs, ...files);
}
