import {
  CLIENTS,
  firstVersion,
  type HookClient,
  type HookEntries,
  hookEntries,
  type McpServerEntry,
} from '../client-settings/index.js';
import { HoldfastError, visibleExcerpt } from '../foundation/index.js';
import { openAgents } from './agents.js';
import type { Services } from './services.js';

/** The installed version of a client has no hooks that we know, or does not say which version it is. */
class HooksUnknownError extends HoldfastError<'HOOKS_UNKNOWN'> {
  readonly code = 'HOOKS_UNKNOWN';

  constructor(client: HookClient, version: string | null) {
    const { title } = CLIENTS[client];
    super(
      version === null
        ? `It cannot be told which version of ${title} is installed: \`${client} --version\` gives none`
        : `No hooks are known for ${visibleExcerpt(version, 60)}`,
      {
        hint: `Nothing was written. ${title} ${firstVersion(client)} or later has hooks for permissions; an event that a version does not know could make it ignore its settings.`,
      },
    );
  }
}

/** The entries for the hooks that the installed version of a client knows. Throws HOOKS_UNKNOWN. */
export async function hooksOfInstalled(
  services: Services,
  client: HookClient,
  program: McpServerEntry,
): Promise<HookEntries> {
  const agents = openAgents(services);
  const agent = agents.list().find(({ name }) => name === client);
  const version = agent === undefined ? null : await agents.versionOf(agent);
  const entries = version === null ? {} : hookEntries(client, version, program);
  if (Object.keys(entries).length === 0) throw new HooksUnknownError(client, version);
  return entries;
}
