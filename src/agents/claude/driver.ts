import { throwIfAborted } from '../../foundation/index.js';
import type { AgentCapabilities, AgentDriver } from '../driver.js';
import { refuseForeignHandle } from '../foreign-handle.js';
import { ClaudeConnection } from './connection.js';
import { readClaudeReplies } from './transcript.js';

const CAPABILITIES: AgentCapabilities = {
  conversation: 'live',
  resume: 'exact',
  cancel: 'protocol',
  streamsText: true,
  asksPermission: true,
  reportsUsage: true,
  reportsContextWindow: true,
  reportsCost: true,
  takesMcpServers: true,
};

/**
 * Claude Code as one live process that reads and writes JSON lines. It says nothing before its first prompt. Faulty
 * options, or a conversation it does not know, therefore show only then: as a turn that `died` or `failed`.
 */
export const claudeDriver: AgentDriver = {
  name: 'claude',
  capabilities: CAPABILITIES,
  readReplies: readClaudeReplies,
  async start(tools, options) {
    throwIfAborted(options.signal, 'The start of the agent');
    refuseForeignHandle('claude', options);
    const connection = new ClaudeConnection(tools, options, CAPABILITIES);
    await connection.start();
    return connection;
  },
};
