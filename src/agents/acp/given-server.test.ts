import { expect, it } from 'vitest';
import { isOfGivenServer } from './given-server.js';
import { ACP_PRESETS, type AcpPresetName } from './presets.js';
import { ToolCallFields } from './schema.js';

const SERVER = { name: 'hold fast', command: 'holdfast', args: [], environment: {} };

it.each<[AcpPresetName, object, boolean]>([
  ['claude-acp', { name: 'mcp__hold_fast__ask', kind: 'other' }, true],
  ['claude-acp', { title: 'Ask', _meta: { claudeCode: { toolName: 'mcp__hold_fast__ask' } } }, true],
  ['claude-acp', { name: 'mcp__other__ask' }, false],
  ['claude-acp', { name: 'Bash', title: 'mcp__hold_fast__ask', kind: 'execute' }, false],
  ['claude-acp', { name: 'Write', title: 'mcp__hold_fast__ask a file', kind: 'edit' }, false],
  ['gemini', { title: 'mcp_hold_fast_ask', kind: 'other' }, true],
  ['gemini', { title: 'ask (hold fast MCP Server)', kind: 'other' }, true],
  ['gemini', { title: 'rm -rf / (hold fast MCP Server)', kind: 'other' }, false],
  ['gemini', { title: 'ask (hold fast MCP Server)', kind: 'execute' }, false],
  ['opencode', { title: 'hold_fast_ask', kind: 'other' }, true],
  ['opencode', { title: 'bash', kind: 'execute' }, false],
  ['codex-acp', { title: 'mcp.hold_fast.ask', kind: 'execute', _meta: { is_mcp_tool_call: true } }, true],
  ['codex-acp', { title: 'mcp.hold_fast.ask', kind: 'execute' }, false],
  ['acp', {}, false],
])('for %s, %j belongs to the given server: %s', (preset, fields, expected) => {
  expect(isOfGivenServer(ToolCallFields.parse(fields), [SERVER], ACP_PRESETS[preset])).toBe(expected);
  expect(isOfGivenServer(ToolCallFields.parse(fields), [], ACP_PRESETS[preset])).toBe(false);
});
