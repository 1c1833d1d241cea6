import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { LONG_TEST_MS, TEST_MS } from './test/support/deadlines.js';
import { hasRoomInMemory, MEMORY } from './test/support/temp-dir.js';

/**
 * Waiting for a disk is a third of the time of tests that start programs, and it tells nothing: what survives the loss
 * of power is proved by the order of system calls. The long fault runs and the agents work on the disk all the same.
 */
const inMemory = process.env.HOLDFAST_TEST_ON_DISK !== '1' && hasRoomInMemory() ? { TMPDIR: MEMORY } : {};

/** Whether scenarios start the built program for each command, or run most commands in their own process (docs/decisions/0265). */
const binaries = { HOLDFAST_TEST_BINARIES: process.env.HOLDFAST_TEST_BINARIES ?? '0' };

/**
 * Most code of a test runs a few times: to optimise only what runs eight times as often as V8 finds worth it saves a tenth
 * of the CPU, on the Node that has this option. Threads that help to collect garbage only take the cores from others.
 */
const FOR_SHORT_WORK = [
  ...(process.version.startsWith('v20.') ? ['--interrupt-budget=528000'] : []),
  '--single-threaded-gc',
];

const shared = {
  environment: 'node',
  execArgv: FOR_SHORT_WORK,
  testTimeout: TEST_MS,
  hookTimeout: TEST_MS,
  globalSetup: './test/support/shared-directory.ts',
} as const;

export default defineConfig({
  test: {
    // Two more than there are cores: our tests wait much, for processes and for the disk.
    maxWorkers: availableParallelism() + 2,
    projects: [
      {
        test: {
          ...shared,
          name: 'unit',
          include: ['src/**/*.test.{ts,tsx}'],
          // To load the same modules again for each of 150 files takes a fifth of the time; nothing is kept in modules.
          isolate: false,
          // Ink draws nothing where it says otherwise; what is built does not look at it.
          env: { ...inMemory, CI: 'false' },
        },
      },
      {
        test: {
          ...shared,
          name: 'scenarios',
          include: ['test/{scenarios,contracts,pins}/**/*.test.{ts,tsx}'],
          isolate: false,
          env: { ...inMemory, ...binaries },
        },
      },
      {
        test: {
          ...shared,
          name: 'crash-quick',
          include: ['test/crash/**/*.quick.test.ts'],
          isolate: false,
          env: inMemory,
        },
      },
      {
        test: {
          ...shared,
          name: 'crash',
          include: ['test/crash/**/*.long.test.ts'],
          testTimeout: LONG_TEST_MS,
        },
      },
      {
        test: {
          ...shared,
          name: 'agents',
          include: ['test/agents/**/*.test.ts'],
          fileParallelism: false,
        },
      },
      {
        test: {
          ...shared,
          name: 'browser',
          include: ['test/browser/**/*.test.ts'],
          env: inMemory,
        },
      },
      {
        test: {
          ...shared,
          name: 'fleet',
          include: ['test/fleet/**/*.test.ts'],
        },
      },
    ],
  },
});
