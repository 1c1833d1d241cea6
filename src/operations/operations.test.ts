import { describe, expect, it } from 'vitest';
import { OPERATIONS, operationsOn } from './index.js';

describe('the registry of operations', () => {
  it('has every action once, with a line for the help', () => {
    const names = OPERATIONS.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    for (const { name, summary } of OPERATIONS) {
      expect(name).toMatch(/^[a-z]+(\.[a-z]+(-[a-z]+)*)$/);
      expect(summary, name).toMatch(/^[A-Z].{5,}[^.]$/);
    }
  });

  it('names the part that an action belongs to', () => {
    expect([...new Set(OPERATIONS.map(({ name }) => name.split('.')[0]))]).toEqual([
      'question',
      'change',
      'conversation',
      'loop',
      'process',
      'run',
      'queue',
      'overview',
      'session',
      'trash',
      'notice',
      'service',
      'fleet',
      'setting',
      'path',
      'web',
    ]);
  });

  it('gives agents asking and collecting, and nothing else', () => {
    expect(operationsOn('mcp', OPERATIONS).map(({ name }) => name)).toEqual([
      'question.create',
      'question.collect',
    ]);
  });

  it('keeps operations for the local command line off every other surface', () => {
    for (const { name, capability, surfaces } of OPERATIONS)
      if (capability === 'admin') expect([name, surfaces.filter((one) => one !== 'cli')]).toEqual([name, []]);
  });

  it('requires more than viewing for changes', () => {
    for (const { name, capability, effect } of OPERATIONS)
      if (effect === 'write') expect([name, capability]).not.toEqual([name, 'view']);
  });

  it('accepts no unknown keys', () => {
    for (const { name, input } of OPERATIONS) {
      // A missing key would refuse it as well, so only the complaint about the unknown one counts.
      const complaints = JSON.stringify(input.safeParse({ somethingElse: true }).error?.issues ?? []);
      expect([name, complaints]).toEqual([name, expect.stringContaining('unrecognized_keys')]);
    }
  });
});
