import { findMarked, ProgramRegistry, type ProgramTools } from '../../src/programs/index.js';
import { nodeFileSystem } from '../../src/storage/index.js';
import { storageTools } from './storage-tools.js';

/** What programs need, with a registry in the test's own directory. */
export function programTools(directory: string, overrides: Partial<ProgramTools> = {}): ProgramTools {
  const tools = storageTools();
  return { ...tools, registry: new ProgramRegistry(tools, directory), ...overrides };
}

/** The pids that carry a marker right now. */
export function markedPids(marker: string): number[] {
  return findMarked(nodeFileSystem, marker).map((entry) => entry.pid);
}
