import { describe, expect, it } from 'vitest';
import { question, runStart, standing, toolCall } from '../../../test/support/run-events.js';
import type { RunEvent } from '../../run/index.js';
import type { RunViewAction } from './act.js';
import { initialState, type RunViewEffect, type RunViewState } from './state.js';
import { type RunViewEvent, update } from './update.js';

const ID = '7b7d1682-0000-4000-8000-000000000000';
const happened = (event: RunEvent): RunViewEvent => ({ type: 'run', event, lines: [], nowMs: 0 });

function played(from: RunViewState, ...events: (RunViewEvent | RunViewAction)[]) {
  const effects: RunViewEffect[] = [];
  let state = from;
  for (const event of events) {
    const [next, more] = update(state, 'do' in event ? { type: 'act', action: event } : event);
    state = next;
    effects.push(...more);
  }
  return { state, effects };
}

const { state: running } = played(initialState(0), happened(runStart()), happened(standing()));

describe('a person watching a run, on any surface', () => {
  it('answers the first waiting question, and is told if there is none', () => {
    expect(played(running, { do: 'answer' }).state.notice?.words).toBe('No question is open.');
    const asked = played(running, happened(question(ID, 'Numbers'))).state;
    expect(played(asked, { do: 'answer' }).effects).toEqual([{ do: 'answer', id: ID }]);
  });

  it('pauses, and asks for the opposite before the run has taken it', () => {
    const { effects } = played(running, { do: 'pause-or-resume' }, { do: 'pause-or-resume' });
    expect(effects).toEqual([
      { do: 'request', request: { kind: 'pause' } },
      { do: 'request', request: { kind: 'resume' } },
    ]);
  });

  it('resumes a run whose process is gone, until another one runs it', () => {
    const gone = played(running, { type: 'left' }).state;
    expect(played(gone, { do: 'pause-or-resume' }).effects).toEqual([
      { do: 'request', request: { kind: 'resume' } },
    ]);
    const again = played(gone, happened(runStart())).state;
    expect(played(again, { do: 'pause-or-resume' }).effects).toEqual([
      { do: 'request', request: { kind: 'pause' } },
    ]);
    const over = played(
      running,
      happened({ type: 'run-end', sessionId: ID, outcome: 'completed', reason: null }),
    );
    expect(played(over.state, { type: 'left' }).state).toEqual(over.state);
  });

  it('writes to the agent: what is written is the state, and empty words are not sent', () => {
    const written = played(running, { do: 'guide' }, { do: 'written', text: ' use tabs ' });
    expect(written.state.mode).toEqual({ name: 'guide', text: ' use tabs ' });
    expect(played(written.state, { do: 'send' }).effects).toEqual([
      { do: 'request', request: { kind: 'guidance', text: 'use tabs' } },
    ]);
    expect(played(running, { do: 'guide' }, { do: 'send' }).effects).toEqual([]);
    expect(played(running, { do: 'written', text: 'x' }, { do: 'send' }).effects).toEqual([]);
  });

  it('stops the run only after a yes; an interrupt is taken at any time', () => {
    expect(played(running, { do: 'stop' }).effects).toEqual([]);
    expect(played(running, { do: 'consider-stopping' }, { do: 'stop' }).effects).toEqual([
      { do: 'request', request: { kind: 'stop' } },
    ]);
    const stopping = played(running, { type: 'stopping' }).state;
    expect(played(stopping, { do: 'guide' }, { do: 'pause-or-resume' })).toEqual({
      state: stopping,
      effects: [],
    });
    expect(played(stopping, { do: 'interrupt' }).effects).toEqual([{ do: 'interrupt' }]);
  });

  it('sees what the agent is doing in the words that came with the event', () => {
    const told = { ...happened(toolCall('Bash', 'npm test')), doing: '→ Bash npm test' };
    expect(played(running, told).state.action?.words).toBe('→ Bash npm test');
    expect(played(running, happened(toolCall('Bash', 'npm test'))).state.action?.words).toBe('tool-call');
  });

  it('sees that a run waits for them at its own question; an asking agent may continue meanwhile', () => {
    const asks = (from: 'run' | 'agent') =>
      happened({ type: 'question', sessionId: 'q', title: 'Breaker', prompt: 'Go on?', from });
    expect(played(running, asks('run')).state.action?.words).toBe('waiting for you');
    expect(played(running, asks('agent')).state.action?.words).not.toBe('waiting for you');
  });
});
