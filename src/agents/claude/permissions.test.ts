import { describe, expect, it } from 'vitest';
import { eventually } from '../../../test/support/agents.js';
import { collect, fakeAgent } from '../../../test/support/fake-agent.js';
import { claudeDriver } from './driver.js';

/** Asks for permission for whatever the prompt names, and repeats the answer. */
const ASKING = `
let asked = 0;
hear((message) => {
  if (message.type === 'user') {
    const [tool_name, input] = JSON.parse(message.message.content);
    const request = { subtype: 'can_use_tool', tool_name, input, tool_use_id: 'toolu_1' };
    say({ type: 'control_request', request_id: 'r' + ++asked, request });
  } else if (message.type === 'control_response') {
    note(message);
    say({ type: 'result', subtype: 'success', is_error: false });
  } else {
    note(message.request);
    say({ type: 'result', subtype: 'error_during_execution', is_error: true, terminal_reason: 'aborted_tools' });
  }
});
`;

const COMPLETED = { type: 'turn-end', reason: 'completed', message: null };

describe('permissions', () => {
  const bash = ['Bash', { command: 'rm -r x' }] as const;
  const event = {
    type: 'permission',
    id: 'toolu_1',
    name: 'Bash',
    kind: 'execute',
    title: 'rm -r x',
    input: bash[1],
  };
  const response = (answer: object) => ({
    type: 'control_response',
    response: { subtype: 'success', request_id: 'r1', response: answer },
  });

  it('allows edits and denies the rest if nobody is there', async () => {
    await using agent = await fakeAgent(claudeDriver, ASKING);
    const connection = await agent.start();
    expect(await collect(connection.prompt(JSON.stringify(bash)))).toEqual([
      { ...event, decision: 'denied', by: 'only edits are accepted' },
      COMPLETED,
    ]);
    const write = ['Write', { file_path: 'made.txt' }];
    expect(await collect(connection.prompt(JSON.stringify(write)))).toMatchObject([
      { name: 'Write', kind: 'edit', title: 'made.txt', decision: 'allowed' },
      COMPLETED,
    ]);
    expect(agent.notes()).toMatchObject([
      response({ behavior: 'deny', message: 'Not permitted: only edits are accepted' }),
      { response: { request_id: 'r2', response: { behavior: 'allow', updatedInput: write[1] } } },
    ]);
  });

  it.each([
    ['Write', { file_path: '/etc/x' }],
    ['Edit', { file_path: '.git/hooks/pre-commit' }],
    ['NotebookEdit', { notebook_path: '../other.ipynb' }],
    ['Read', { file_path: '/root/.ssh/id_rsa' }],
    ['Write', {}],
  ])('denies %s of %j if nobody is there', async (...wanted) => {
    await using agent = await fakeAgent(claudeDriver, ASKING);
    const connection = await agent.start();
    expect(await collect(connection.prompt(JSON.stringify(wanted)))).toMatchObject([
      { name: wanted[0], decision: 'denied' },
      COMPLETED,
    ]);
  });

  it('tells the agent what a person says with a denial', async () => {
    await using agent = await fakeAgent(claudeDriver, ASKING);
    const ask = async () => ({ isAllowed: false, message: 'Use wget, not curl' });
    const connection = await agent.start({ permissions: { mode: 'ask', ask } });
    expect(await collect(connection.prompt(JSON.stringify(bash)))).toEqual([
      { ...event, decision: 'denied', by: 'a person', message: 'Use wget, not curl' },
      COMPLETED,
    ]);
    const message = 'Not permitted. The person says: Use wget, not curl';
    expect(agent.notes()).toEqual([response({ behavior: 'deny', message })]);
  });

  it('asks a person', async () => {
    await using agent = await fakeAgent(claudeDriver, ASKING);
    const connection = await agent.start({ permissions: { mode: 'ask', ask: async () => true } });
    expect(await collect(connection.prompt(JSON.stringify(bash)))).toEqual([
      { ...event, decision: 'allowed', by: 'a person' },
      COMPLETED,
    ]);
    expect(agent.notes()).toEqual([response({ behavior: 'allow', updatedInput: bash[1] })]);
  });

  it('denies a request when the person could not be asked', async () => {
    await using agent = await fakeAgent(claudeDriver, ASKING);
    const ask = () => Promise.reject(new Error('no inbox'));
    const connection = await agent.start({ permissions: { mode: 'ask', ask } });
    expect(await collect(connection.prompt(JSON.stringify(bash)))).toMatchObject([
      { decision: 'denied', by: 'the person could not be asked: no inbox' },
      COMPLETED,
    ]);
  });

  it('lets the agent use the servers it was given', async () => {
    await using agent = await fakeAgent(claudeDriver, ASKING);
    const mcpServers = [{ name: 'holdfast', command: 'x', args: [], environment: {} }];
    const connection = await agent.start({ mcpServers });
    const call = JSON.stringify(['mcp__holdfast__ask_user_questions', {}]);
    expect(await collect(connection.prompt(call))).toMatchObject([{ decision: 'allowed' }, COMPLETED]);
  });

  it('denies an open request when the turn is cancelled, and tells the person', async () => {
    await using agent = await fakeAgent(
      claudeDriver,
      ASKING.replace(/note\(message\);\n.*\n/, 'note(message);'),
    );
    let tell: (signal: AbortSignal) => void = () => {};
    const asked = new Promise<AbortSignal>((resolve) => {
      tell = resolve;
    });
    const ask = (_: unknown, signal: AbortSignal) => {
      tell(signal);
      return new Promise<boolean>(() => {});
    };
    const connection = await agent.start({ permissions: { mode: 'ask', ask } });
    const events = collect(connection.prompt(JSON.stringify(bash)));
    const signal = await asked;
    await connection.cancel();
    expect(await events).toMatchObject([
      { ...event, decision: 'denied', by: 'the turn was cancelled' },
      { reason: 'cancelled' },
    ]);
    expect(signal.aborted).toBe(true);
    // The turn may end before the agent has read any further.
    await eventually(() => agent.notes().length === 2);
    expect(agent.notes()).toMatchObject([{ subtype: 'interrupt' }, response({ behavior: 'deny' })]);
  });

  it('forgets a request that is taken back, and refuses requests it does not know', async () => {
    const body = `hear((message) => {
      if (message.type !== 'user') {
        note(message);
        return say({ type: 'result', subtype: 'success', is_error: false });
      }
      const ask = (request_id, request) => say({ type: 'control_request', request_id, request });
      ask('r1', { subtype: 'can_use_tool', tool_name: 'Bash', input: {} });
      say({ type: 'control_cancel_request', request_id: 'r1' });
      ask('r2', { subtype: 'hook_callback' });
    });`;
    await using agent = await fakeAgent(claudeDriver, body);
    const ask = (_: unknown, signal: AbortSignal) =>
      new Promise<boolean>((resolve) => signal.addEventListener('abort', () => resolve(true)));
    const connection = await agent.start({ permissions: { mode: 'ask', ask } });
    expect(await collect(connection.prompt('One'))).toEqual([COMPLETED]);
    const error = 'hook_callback is not supported';
    expect(agent.notes()).toEqual([
      { type: 'control_response', response: { subtype: 'error', request_id: 'r2', error } },
    ]);
  });
});
