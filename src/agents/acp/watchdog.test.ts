import { describe, expect, it } from 'vitest';
import { agentWorld, Following, hastyClock } from '../../../test/support/agents.js';
import { type ScriptedStep, scriptedStart } from '../../../test/support/agents-scripted.js';
import { acpDriver } from './index.js';
import { ACP_PRESETS } from './presets.js';

describe('an agent that never finishes, like opencode with a full context', () => {
  it.concurrent.each<[string, readonly ScriptedStep[]]>([
    ['says nothing more', [{ say: 'I begin' }, { hang: true }]],
    ['only tells of its usage', [{ say: 'I begin' }, { usage: { input: 199_000 } }, { hang: true }]],
    ['does not even hear that it is to stop', [{ say: 'I begin' }, { hang: 'deaf' }]],
  ])('and %s is ended by the watchdog, with nothing left of it', async (_what, steps) => {
    await using world = await agentWorld();
    const start = await scriptedStart(world, 'acp', { turns: [steps] });
    const driver = acpDriver(ACP_PRESETS.opencode, { silenceMs: 5_000 });
    const options = { ...start, permissions: { mode: 'edits' }, mcpServers: [] } as const;
    const connection = await world.start(driver, options, { clock: hastyClock });
    const turn = new Following(connection.prompt('go'));
    expect(await turn.end()).toMatchObject({
      reason: 'failed',
      message: 'the agent gave no sign of progress for 5 s',
    });
    expect(turn.text).toContain('I begin');
    await connection.end();
    expect(world.alive()).toEqual([]);
  });

  it('and begins to answer again and again is reported as what it is', async () => {
    await using world = await agentWorld();
    const steps: ScriptedStep[] = Array.from({ length: 40 }, () => ({ say: 'A summary of it all.' }));
    const start = await scriptedStart(world, 'acp', { turns: [[...steps, { hang: true }]] });
    const options = { ...start, permissions: { mode: 'edits' }, mcpServers: [] } as const;
    const connection = await world.start(acpDriver(ACP_PRESETS.opencode), options);
    const turn = new Following(connection.prompt('go'));
    expect(await turn.end()).toMatchObject({
      reason: 'context-overflow',
      message: expect.stringContaining('10 times in a row'),
    });
  });

  it('is not meant if it works between its messages, or if its messages cannot be told apart', async () => {
    await using world = await agentWorld();
    const says: ScriptedStep[] = Array.from({ length: 15 }, (_, at) => ({ say: `Step ${at}. ` }));
    const working = says.flatMap((say): ScriptedStep[] => [say, { run: 'true' }]);
    for (const [preset, steps] of [
      [ACP_PRESETS.opencode, working],
      [ACP_PRESETS.acp, says],
    ] as const) {
      const start = await scriptedStart(world, 'acp', { turns: [steps] });
      const options = { ...start, permissions: { mode: 'bypass' }, mcpServers: [] } as const;
      const connection = await world.start(acpDriver(preset), options);
      const turn = new Following(connection.prompt('go'));
      expect(await turn.end()).toMatchObject({ reason: 'completed' });
    }
  });
});
