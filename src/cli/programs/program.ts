import type { OperationFacts } from '../../foundation/index.js';
import type { Command, CommandGroup } from '../command.js';

/** The names of this package's programs. */
export type ProgramName = 'holdfast' | 'aur' | 'ralphtool';

/** Loads a file of commands, which is a chunk of its own. */
export type LoadCommands = () => Promise<{ readonly commands: readonly Command[] }>;

export interface FoundCommand {
  readonly name: string;
  readonly command: Command;
  /** The words after its name. */
  readonly rest: readonly string[];
}

/** A program: its name and its commands. */
export interface CliProgram {
  readonly name: ProgramName;
  /** Whether only programs read its output: data and errors are always JSON, and errors go to stderr. */
  readonly isForPrograms: boolean;
  /** The command that a command line means; undefined when there is none. */
  find(args: readonly string[]): Promise<FoundCommand | undefined>;
  /** The help of a group of commands, if the command line asks for it. */
  groupHelp?(args: readonly string[]): Promise<string | undefined>;
  /** Names similar to what was typed, for the error. */
  similar(args: readonly string[]): Promise<string[]>;
  /** All its commands by group, as its help lists them. */
  groups?(): Promise<readonly CommandGroup[]>;
}

/** Which operations a program offers: those that list its surface, unless a test asks for others. */
export type IsOffered = (operation: OperationFacts) => boolean;

/** The operations that a command line offers. */
export const isForCli: IsOffered = ({ surfaces }) => surfaces.includes('cli');

/** The offered commands of a file: a command whose operation is not offered does not exist. */
export async function offered(load: LoadCommands, isOffered: IsOffered): Promise<readonly Command[]> {
  const { commands } = await load();
  return commands.filter(({ operation }) => operation === undefined || isOffered(operation));
}
