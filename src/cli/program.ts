import type { Command } from './command.js';

/** What the programs of this package are called. */
export type ProgramName = 'holdfast' | 'aur' | 'ralphtool';

/** Loads a command, which is a chunk of its own. */
export type Loader = () => Promise<{ default: Command }>;

export interface FoundCommand {
  readonly name: string;
  readonly load: Loader;
  /** The words behind its name. */
  readonly rest: readonly string[];
}

/** A program: its name and its commands. */
export interface Program {
  readonly name: ProgramName;
  /** Whether only programs read it: data and errors are JSON always, and errors go to stderr. */
  readonly isForPrograms: boolean;
  /** The command that a command line means; undefined when there is none. */
  find(args: readonly string[]): FoundCommand | undefined;
  /** The help of a group of commands, where a command line asks for that. */
  groupHelp?(args: readonly string[]): string | undefined;
  /** Names near to what was typed, for the error. */
  similar(args: readonly string[]): string[];
}
