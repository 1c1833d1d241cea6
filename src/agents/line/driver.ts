import { throwIfAborted } from '../../foundation/index.js';
import type { AgentCapabilities, AgentDriver } from '../driver.js';
import { AgentNotStartedError } from '../errors.js';
import { LineConnection } from './connection.js';
import { decideRules, type LineOptions } from './options.js';

/**
 * Any program that reads prompts as lines and writes answers as text. It knows no tools, permissions, MCP servers or
 * models, so options about them do not reach it. The system prompt is sent ahead of the first prompt.
 */
export function lineDriver(options: LineOptions = {}): AgentDriver {
  const rules = decideRules(options);
  const capabilities: AgentCapabilities = {
    conversation: 'live',
    resume: 'none',
    cancel: 'kill',
    streamsText: true,
    asksPermission: false,
    reportsUsage: false,
    reportsContextWindow: rules.context !== null,
    reportsCost: false,
    takesMcpServers: false,
  };
  return {
    name: 'line',
    capabilities,
    async start(tools, start) {
      throwIfAborted(start.signal, 'Starting the agent');
      if (start.resume !== undefined) {
        throw new AgentNotStartedError(
          start.name ?? start.command,
          'a program without a protocol cannot resume a conversation',
        );
      }
      return LineConnection.start(tools, rules, capabilities, start);
    },
  };
}
