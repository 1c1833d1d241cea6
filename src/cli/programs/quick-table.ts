import type { LoadCommands } from './program.js';

/** The first words of a program, each with the file of its commands. */
export type Words = Readonly<Record<string, LoadCommands>>;

/** The content of one of the files below, by program. */
export interface QuickFile {
  readonly holdfast?: Words;
  readonly ralphtool?: Words;
  /**
   * Whether its commands run for long, with agents and third-party packages: the file then contains those packages, and writes
   * and ends like any program. Otherwise packages load late, output is direct, and the process ends with the command.
   */
  readonly isLongLived?: true;
}

const questions = () => import('../commands/questions/index.js');

/*
 * The commands that agents, scripts and people start often. Each constant becomes a CommonJS file in the package with its name
 * (`quick.cjs`), which Node loads faster than the chunks of the other commands. The build and the entry read this table, so
 * another file takes just another line. Commands that need much of the product are kept apart from those that need little; see
 * docs/decisions/0162.
 */

/** Questions and their answers. */
export const quick = {
  holdfast: {
    ask: questions,
    answer: questions,
    reject: questions,
    questions,
    waiting: () => import('../commands/questions/waiting.js'),
  },
};

/** What agents that a person started report to us, at each of their events. */
export const hook = { holdfast: { hook: () => import('../commands/agents/hook.js') } };

/** Changes, for people and for the agents that work on them. */
export const change = {
  holdfast: { change: () => import('../commands/change/index.js') },
  ralphtool: { agent: () => import('../commands/change/ralphtool-agent.js') },
};

/** Commands that show runs. */
export const runs = {
  holdfast: {
    top: () => import('../commands/overview/top.js'),
    status: () => import('../commands/run/status.js'),
  },
};

/** The queue. The worker runs for long, with agents, so it is not here. */
export const queue = { holdfast: { queue: () => import('../commands/queue/index.js') } };

/** Commands for sessions of every kind. */
export const lists = {
  holdfast: {
    sessions: () => import('../commands/sessions/index.js'),
    paths: () => import('../commands/settings/paths.js'),
  },
};
