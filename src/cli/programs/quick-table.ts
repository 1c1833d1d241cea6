import type { LoadCommands } from './program.js';

/** The first words of a program, each with the file that its commands are in. */
export type Words = Readonly<Record<string, LoadCommands>>;

/** What is in one of the files below, by the program that it belongs to. */
export interface QuickFile {
  readonly holdfast?: Words;
  readonly ralphtool?: Words;
  /**
   * Whether its commands go on for long, with agents and packages of others: those packages are in the file, and it writes and
   * ends as any program does. Without it packages come late, output is direct, and the process ends with the command.
   */
  readonly isLongLived?: true;
}

const questions = () => import('../commands/questions/index.js');

/*
 * The commands that agents, scripts and people start often. Each constant is a CommonJS file of its own in the package, called
 * like it (`quick.cjs`), which Node loads faster than the chunks of the others; the build and the entry know them from here, so
 * that another file is another line. Those that need much of the product stand apart from those that need little; see
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

/** What agents that a person started tell us, at each of their events. */
export const hook = { holdfast: { hook: () => import('../commands/agents/hook.js') } };

/** Changes, for people and for the agents that work on them. */
export const change = {
  holdfast: { change: () => import('../commands/change/index.js') },
  ralphtool: { agent: () => import('../commands/change/ralphtool-agent.js') },
};

/** What looks at runs. */
export const runs = {
  holdfast: {
    top: () => import('../commands/overview/top.js'),
    status: () => import('../commands/run/status.js'),
  },
};

/** What is queued. The worker goes on for long, with agents, and is not here. */
export const queue = { holdfast: { queue: () => import('../commands/queue/index.js') } };

/** What looks at sessions of every kind. */
export const lists = {
  holdfast: {
    sessions: () => import('../commands/sessions/index.js'),
    paths: () => import('../commands/settings/paths.js'),
  },
};
