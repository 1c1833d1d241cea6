import type { AgentEvent } from '../../src/agents/index.js';
import type { RunEvent, Standing } from '../../src/run/index.js';

type Of<Type extends RunEvent['type']> = Extract<RunEvent, { type: Type }>;

export function runStart(overrides: Partial<Of<'run-start'>> = {}): RunEvent {
  return {
    type: 'run-start',
    sessionId: '3f2a1b2c-0000-4000-8000-000000000000',
    plan: 'docs/prps/adder.md',
    agent: 'player',
    isResumed: false,
    conversation: '/home/ada/.aurora/run.jsonl',
    phase: 'RED',
    story: null,
    verify: ['npm test'],
    budget: {},
    preset: 'tdd',
    phases: ['RED', 'GREEN', 'REFACTOR', 'DOCUMENT'],
    stories: null,
    tests: [],
    ...overrides,
  };
}

export function standing(overrides: Partial<Standing> = {}): RunEvent {
  return {
    type: 'standing',
    status: 'running',
    reason: null,
    phase: 'GREEN',
    story: null,
    completed: ['RED'],
    iteration: 1,
    usage: { iterations: 2, activeMs: 60_000, tokens: 120_000, costUsd: 1.2 },
    budget: {},
    calls: { made: 12, limit: 100 },
    breaker: {
      state: 'CLOSED',
      reason: null,
      noProgress: { count: 0, limit: 3 },
      sameError: { count: 0, limit: 5 },
    },
    gate: null,
    skipped: [],
    contextPercent: null,
    openQuestions: [],
    ...overrides,
  };
}

export function iterationStart(overrides: Partial<Of<'iteration-start'>> = {}): RunEvent {
  const where = { phase: 'GREEN', story: null, iteration: 2, title: 'Adder', place: null };
  return { type: 'iteration-start', ...where, ...overrides };
}

export function iterationEnd(overrides: Partial<Of<'iteration-end'>> = {}): RunEvent {
  return {
    type: 'iteration-end',
    phase: 'GREEN',
    story: null,
    iteration: 2,
    run: 'answered',
    error: null,
    denied: null,
    tests: { total: 9, passing: 7, failing: 2, skipped: 0 },
    files: { created: 1, modified: 2, deleted: 0 },
    filesLeft: 0,
    denials: [],
    exitSignal: false,
    gates: { first: false, second: false, condition: 'all tests pass', missing: [] },
    breaker: 'CLOSED',
    decision: { next: 'iterate' },
    activeMs: 63_000,
    overheadMs: 3,
    ...overrides,
  };
}

export function agent(event: AgentEvent): RunEvent {
  return { type: 'agent', event };
}

export function toolCall(name: string, title: string): RunEvent {
  return agent({ type: 'tool-call', id: 'c1', name, kind: 'execute', title, input: {} });
}

export function question(id: string, prompt: string): RunEvent {
  return { type: 'question', sessionId: id, title: prompt, prompt, from: 'agent' };
}
