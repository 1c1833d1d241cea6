// What the commands that start often load for a command line that is not plain; see `../parse-plain.ts`.
export { Command, CommanderError, InvalidArgumentError } from 'commander';
