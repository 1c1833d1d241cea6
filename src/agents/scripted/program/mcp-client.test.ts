import { describe, expect, it } from 'vitest';
import { McpClient } from './mcp-client.js';

/** A server that reports what it heard: each tool does one of the things a server can do to its client. */
const SERVER = `
const heard = [];
let pending;
const say = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n');
const text = (id, value) => say({ id, result: { content: [{ type: 'text', text: JSON.stringify(value) }] } });
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params, result, error } = JSON.parse(line);
  heard.push(method ?? (error ? error.code : result));
  if (method === 'initialize') return say({ id, result: { protocolVersion: params.protocolVersion } });
  if (id === 'p') return say({ id: 'q', method: 'roots/list' });
  if (id === 'q') return text(pending, heard);
  if (method !== 'tools/call') return;
  if (params.name === 'heard') text(id, heard);
  if (params.name === 'refuse') say({ id, error: { code: -32602, message: 'not like that' } });
  if (params.name === 'leave') process.exit(0);
  if (params.name === 'question') {
    pending = id;
    process.stdout.write('no message\\n');
    say({ method: 'notifications/progress' });
    say({ id: 'p', method: 'ping' });
  }
});`;

const connect = () => McpClient.connect({ command: process.execPath, args: ['-e', SERVER], env: {} });
const never = new AbortController().signal;

async function call(client: McpClient, name: string, signal = never): Promise<unknown> {
  const { content = [] } = await client.callTool(name, {}, signal);
  return JSON.parse(content[0]?.text ?? 'null');
}

describe('the MCP client of the scripted agent', () => {
  it('shakes hands, answers a ping and refuses everything else', async () => {
    const client = await connect();
    expect(await call(client, 'question')).toEqual([
      'initialize',
      'notifications/initialized',
      'tools/call',
      {},
      -32601,
    ]);
    await expect(call(client, 'leave')).rejects.toThrow('closed');
  });

  it('tells the server that a call is cancelled, and continues', async () => {
    const client = await connect();
    const cancel = new AbortController();
    const waiting = call(client, 'nothing', cancel.signal);
    cancel.abort();
    await expect(waiting).rejects.toThrow('cancelled');
    expect(await call(client, 'heard')).toContain('notifications/cancelled');
    await expect(call(client, 'refuse')).rejects.toThrow('not like that');
    await expect(call(client, 'leave')).rejects.toThrow('closed');
    await expect(call(client, 'heard')).rejects.toThrow('closed');
  });

  it('says why a server cannot be started', async () => {
    const missing = { command: '/does/not/exist', args: [], env: {} };
    await expect(McpClient.connect(missing)).rejects.toThrow('ENOENT');
  });
});
