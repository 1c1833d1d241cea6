import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

const shared = { environment: 'node', testTimeout: 30_000, hookTimeout: 60_000 } as const;

export default defineConfig({
  test: {
    // One more than there are cores: our tests wait much, for processes and for the disk.
    maxWorkers: availableParallelism() + 1,
    projects: [
      {
        test: {
          ...shared,
          name: 'unit',
          include: ['src/**/*.test.{ts,tsx}'],
          // To load the same modules again for each of 150 files takes a fifth of the time; nothing is kept in modules.
          isolate: false,
          // Ink draws nothing where it says otherwise; what is built does not look at it.
          env: { CI: 'false' },
        },
      },
      {
        test: {
          ...shared,
          name: 'scenarios',
          include: ['test/{scenarios,contracts,pins}/**/*.test.{ts,tsx}'],
          testTimeout: 60_000,
        },
      },
      {
        test: {
          ...shared,
          name: 'crash-quick',
          include: ['test/crash/**/*.quick.test.ts'],
          testTimeout: 120_000,
        },
      },
      {
        test: {
          ...shared,
          name: 'crash',
          include: ['test/crash/**/*.long.test.ts'],
          testTimeout: 1_800_000,
        },
      },
      {
        test: {
          ...shared,
          name: 'agents',
          include: ['test/agents/**/*.test.ts'],
          testTimeout: 300_000,
          fileParallelism: false,
        },
      },
    ],
  },
});
