import { throwIfAborted } from '../../foundation/index.js';
import type { AgentCapabilities, AgentDriver } from '../driver.js';
import { refuseForeignHandle } from '../foreign-handle.js';
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

/** Codex as one live `codex app-server` process that reads and writes JSON lines. */
export const codexDriver: AgentDriver = {
  name: 'codex',
  capabilities: CAPABILITIES,
  async start(tools, options) {
    throwIfAborted(options.signal, 'The start of the agent');
    refuseForeignHandle('codex', options);
    const connection = new CodexConnection(tools, options, CAPABILITIES);
    await connection.start();
    return connection;
  },
};
