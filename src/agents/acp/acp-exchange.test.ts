import { describe, expect, it } from 'vitest';
import { FakeClock } from '../../../test/support/fake-clock.js';
import { AcpExchange } from './acp-exchange.js';
import { ACP_PRESETS } from './presets.js';
import { SessionUpdate } from './schema.js';

const SILENCE_MS = 60_000;

describe('the silence of an agent', () => {
  it('is noticed after the set time, counted from the start', async () => {
    const { clock, verdict } = watch();
    clock.advance(59_999);
    expect(await verdict()).toBe('waiting');
    clock.advance(1);
    expect(await verdict()).toBe(true);
  });

  it.each([
    ['agent_message_chunk', 'waiting'],
    ['agent_thought_chunk', 'waiting'],
    ['tool_call_update', 'waiting'],
    ['plan', 'waiting'],
    ['usage_update', true],
    ['session_info_update', true],
    ['available_commands_update', true],
  ])('is broken by progress, not by mere signs of life: %s', async (sessionUpdate, expected) => {
    const { clock, turn, verdict } = watch();
    clock.advance(30_000);
    turn.receive(SessionUpdate.parse({ sessionUpdate }));
    clock.advance(30_000);
    expect(await verdict()).toBe(expected);
    clock.advance(30_000);
    expect(await verdict()).toBe(true);
  });

  it('means nothing while a tool is running', async () => {
    const { clock, turn, verdict } = watch();
    const call = { toolCallId: 't', title: 'ask', status: 'in_progress' };
    turn.receive(SessionUpdate.parse({ sessionUpdate: 'tool_call', ...call }));
    for (let minute = 0; minute < 120; minute++) {
      clock.advance(SILENCE_MS);
      expect(await verdict()).toBe('waiting');
    }
    turn.receive(SessionUpdate.parse({ sessionUpdate: 'tool_call_update', ...call, status: 'completed' }));
    clock.advance(SILENCE_MS);
    expect(await verdict()).toBe(true);
  });

  it('means nothing while a person is being asked', async () => {
    const { clock, turn, verdict } = watch();
    let answer: (() => void) | undefined;
    const asked = turn.question(
      () =>
        new Promise<void>((resolve) => {
          answer = resolve;
        }),
    );
    clock.advance(SILENCE_MS);
    expect(await verdict()).toBe('waiting');
    clock.advance(SILENCE_MS / 2);
    answer?.();
    await asked;
    clock.advance(SILENCE_MS / 2);
    expect(await verdict()).toBe('waiting');
    clock.advance(SILENCE_MS / 2);
    expect(await verdict()).toBe(true);
  });

  it('no longer matters after the end', async () => {
    const { turn, verdict } = watch();
    turn.settle({ reason: 'completed', message: null, events: [] }, []);
    expect(await verdict()).toBe(false);
    expect(await turn.isSilentFor(SILENCE_MS)).toBe(false);
  });
});

function watch() {
  const clock = new FakeClock();
  const turn = new AcpExchange(clock, ACP_PRESETS.acp, { onAbandon() {}, onCircling() {} });
  let seen: boolean | 'waiting' = 'waiting';
  void turn.isSilentFor(SILENCE_MS).then((isSilent) => {
    seen = isSilent;
  });
  /** What it has found once everything that can happen now has happened. */
  const verdict = async () => {
    await new Promise((resolve) => setImmediate(resolve));
    return seen;
  };
  return { clock, turn, verdict };
}
