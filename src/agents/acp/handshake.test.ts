import { describe, expect, it } from 'vitest';
import { collect, fakeAcpWorld } from '../../../test/support/fake-acp-agent.js';
import { ACP_PRESETS } from './presets.js';

describe('an ACP agent that is started', () => {
  describe('in a permission mode', () => {
    it.each([
      ['edits', 'claude-acp', 'acceptEdits'],
      ['bypass', 'claude-acp', 'bypassPermissions'],
      ['ask', 'gemini', undefined],
      ['edits', 'gemini', undefined],
      ['bypass', 'gemini', 'yolo'],
      ['edits', 'codex-acp', 'workspace-write'],
      ['ask', 'codex-acp', 'read-only'],
      ['bypass', 'codex-acp', 'agent-full-access'],
      ['bypass', 'opencode', undefined],
      ['bypass', 'acp', 'bypassPermissions'],
    ] as const)('%s sets the matching mode of %s: %s', async (mode, name, expected) => {
      await using world = await fakeAcpWorld({
        'session/new': () => ({
          sessionId: 's1',
          modes: {
            currentModeId: 'default',
            availableModes:
              'default acceptEdits bypassPermissions autoEdit yolo read-only workspace-write agent-full-access'
                .split(' ')
                .map((id) => ({ id, name: id })),
          },
        }),
        'session/set_mode': () => ({}),
      });
      await world.start({ permissions: { mode } }, ACP_PRESETS[name]);
      const set = expected === undefined ? [] : [{ sessionId: 's1', modeId: expected }];
      expect(await world.receivedOf('session/set_mode')).toEqual(set);
    });

    it('is set as an option of the session if the agent has it as one', async () => {
      await using world = await fakeAcpWorld({
        'session/new': () => ({
          sessionId: 's1',
          configOptions: [
            { id: 'x', type: 'boolean', currentValue: true, name: 'X' },
            {
              id: 'approval',
              category: 'mode',
              type: 'select',
              currentValue: 'default',
              options: [{ group: 'g', name: 'G', options: [{ value: 'acceptEdits', name: 'Edits' }] }],
            },
          ],
        }),
        'session/set_config_option': () => ({ configOptions: [] }),
      });
      await world.start();
      expect(await world.receivedOf('session/set_config_option')).toEqual([
        { sessionId: 's1', configId: 'approval', value: 'acceptEdits' },
      ]);
    });

    it('fails when the agent refuses a mode it offers, because its current one may allow more', async () => {
      await using world = await fakeAcpWorld({
        'session/new': () => ({
          sessionId: 's1',
          modes: { currentModeId: 'yolo', availableModes: [{ id: 'acceptEdits' }] },
        }),
        'session/set_mode': () => {
          throw { code: -32602, message: 'not today' };
        },
      });
      await expect(world.start()).rejects.toMatchObject({
        code: 'AGENT_NOT_STARTED',
        message: expect.stringContaining('session/set_mode: not today'),
      });
    });

    it('ask and edits make opencode ask although it has no modes', async () => {
      await using world = await fakeAcpWorld({
        'session/new': () => ({ sessionId: process.env.OPENCODE_CONFIG_CONTENT ?? 'none' }),
      });
      const asking = await world.start({ permissions: { mode: 'ask' } }, ACP_PRESETS.opencode);
      expect(asking.resumeHandle?.id).toBe('{"permission":"ask"}');
      const editing = await world.start({ permissions: { mode: 'edits' } }, ACP_PRESETS.opencode);
      expect(JSON.parse(editing.resumeHandle?.id ?? '')).toMatchObject({
        permission: { edit: 'ask', bash: 'ask', external_directory: 'ask' },
      });
      const free = await world.start({ permissions: { mode: 'bypass' } }, ACP_PRESETS.opencode);
      expect(free.resumeHandle?.id).toBe('none');
    });
  });

  describe('with a model', () => {
    it('chooses it by the option of the session, by name too', async () => {
      await using world = await fakeAcpWorld({
        'session/new': () => ({
          sessionId: 's1',
          configOptions: [
            {
              id: 'model',
              category: 'model',
              type: 'select',
              currentValue: 'a',
              options: [{ value: 'opus-5', name: 'Opus' }],
            },
          ],
        }),
        'session/set_config_option': () => ({ configOptions: [] }),
      });
      const connection = await world.start({ model: 'opus' });
      const [set] = await world.receivedOf('session/set_config_option');
      expect(set).toEqual({ sessionId: 's1', configId: 'model', value: 'opus-5' });
      expect(connection.facts.model).toBe('opus');
      expect((await world.start()).facts.model).toBe('a');
    });

    it('chooses it by session/set_model if the agent has models', async () => {
      await using world = await fakeAcpWorld({
        'session/new': () => ({
          sessionId: 's1',
          models: { currentModelId: 'auto', availableModels: [{ modelId: 'flash' }] },
        }),
        'session/set_model': () => ({}),
      });
      await world.start({ model: 'flash' });
      expect(await world.receivedOf('session/set_model')).toEqual([{ sessionId: 's1', modelId: 'flash' }]);
    });

    it('is refused under the name that people use for the agent', async () => {
      await using world = await fakeAcpWorld();
      await expect(world.start({ name: 'mine', model: 'opus' })).rejects.toMatchObject({
        message: expect.stringContaining('The agent mine did not start'),
        hint: expect.stringContaining('holdfast agents probe mine'),
      });
    });

    it('fails if it cannot be chosen, rather than using another', async () => {
      await using world = await fakeAcpWorld();
      await expect(world.start({ model: 'opus' })).rejects.toMatchObject({
        code: 'AGENT_NOT_STARTED',
        message: expect.stringContaining('no way to choose the model opus'),
      });
    });
  });

  describe('with a system prompt', () => {
    it('gives it to an agent that takes one', async () => {
      await using world = await fakeAcpWorld({
        initialize: () => ({
          protocolVersion: 1,
          agentCapabilities: { sessionCapabilities: { systemPrompt: {} } },
        }),
      });
      const connection = await world.start({ systemPrompt: 'Be brief.' });
      await collect(connection.prompt('hi'));
      expect(await world.receivedOf('session/new')).toMatchObject([
        { systemPrompt: { mode: 'append', content: [{ type: 'text', text: 'Be brief.' }] } },
      ]);
      expect(await world.receivedOf('session/prompt')).toEqual([
        { sessionId: 's1', prompt: [{ type: 'text', text: 'hi' }] },
      ]);
    });

    it('otherwise puts it before the first prompt of a new session', async () => {
      await using world = await fakeAcpWorld();
      const connection = await world.start({ systemPrompt: 'Be brief.' });
      await collect(connection.prompt('one'));
      await collect(connection.prompt('two'));
      const prompts = (await world.receivedOf('session/prompt')).map(({ prompt }) => prompt);
      expect(prompts).toEqual([
        [
          { type: 'text', text: 'Be brief.' },
          { type: 'text', text: 'one' },
        ],
        [{ type: 'text', text: 'two' }],
      ]);
    });
  });

  describe('that must authenticate', () => {
    const handlers = {
      initialize: () => ({
        protocolVersion: 1,
        authMethods: [
          { id: 'gemini-api-key', name: 'Key' },
          { id: 'login', name: 'Login', description: 'Log in with Google' },
        ],
      }),
      'session/new': () => {
        if ((globalThis as { isKnown?: boolean }).isKnown !== true)
          throw { code: -32000, message: 'Authentication required' };
        return { sessionId: 's1' };
      },
      authenticate: () => {
        (globalThis as { isKnown?: boolean }).isKnown = true;
        return {};
      },
    };

    it('does so if that takes no person', async () => {
      await using world = await fakeAcpWorld(handlers);
      const environment = { PATH: process.env.PATH, GEMINI_API_KEY: 'k' };
      const connection = await world.start({ environment }, ACP_PRESETS.gemini);
      expect(connection.resumeHandle).toBe(null);
      expect(await world.receivedOf('authenticate')).toEqual([{ methodId: 'gemini-api-key' }]);
    });

    it('otherwise says what the agent offers', async () => {
      await using world = await fakeAcpWorld(handlers);
      await expect(world.start({}, ACP_PRESETS.gemini)).rejects.toMatchObject({
        code: 'AGENT_NOT_STARTED',
        message: expect.stringContaining('Authentication required; it offers: Key; Log in with Google'),
      });
      expect(await world.receivedOf('authenticate')).toEqual([]);
    });
  });
});
