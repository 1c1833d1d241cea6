import { throwIfAborted } from '../../foundation/index.js';
import type { AgentCapabilities, AgentDriver, StartOptions } from '../driver.js';
import { AgentNotStartedError } from '../errors.js';
import { CodexConnection } from './connection.js';

const CAPABILITIES: AgentCapabilities = {
  conversation: 'live',
  resume: 'exact',
  cancel: 'protocol',
  streamsText: true,
  asksPermission: true,
  reportsUsage: true,
  reportsContextWindow: true,
  reportsCost: false,
  takesMcpServers: true,
};

/** Codex as one live `codex app-server` process, which reads and writes lines of JSON. */
export const codexDriver: AgentDriver = {
  name: 'codex',
  capabilities: CAPABILITIES,
  async start(tools, options) {
    throwIfAborted(options.signal, 'The start of the agent');
    refuseForeignHandle(options);
    const connection = new CodexConnection(tools, options, CAPABILITIES);
    await connection.start();
    return connection;
  },
};

/** Ids come from files that anybody may have edited. */
function refuseForeignHandle({ name = 'codex', resume: handle }: StartOptions): void {
  if (handle === undefined) return;
  if (handle.driver !== 'codex') {
    throw new AgentNotStartedError(name, `the conversation belongs to ${handle.driver}`);
  }
  if (!/^\w[\w-]*$/.test(handle.id)) throw new AgentNotStartedError(name, 'the id to resume is not one');
}
