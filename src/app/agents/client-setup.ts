import {
  type HookClient,
  type HookEntries,
  hooksOfVersion,
  type McpServerEntry,
} from '../../client-settings/index.js';
import type { Services } from '../services.js';
import { openAgents } from './open-agents.js';

export {
  CLIENT_NAMES,
  HOOK_CLIENTS,
  inspectClient,
  installClient,
  removeClient,
} from '../../client-settings/index.js';

/** The entries for the hooks that the installed version of a client knows. Throws HOOKS_UNKNOWN. */
export async function hooksOfInstalled(
  services: Services,
  client: HookClient,
  program: McpServerEntry,
): Promise<HookEntries> {
  const agents = openAgents(services);
  const agent = agents.list().find(({ name }) => name === client);
  return hooksOfVersion(client, agent === undefined ? null : await agents.versionOf(agent), program);
}
