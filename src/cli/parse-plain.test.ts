import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { argumentsOf, COMMON_OPTIONS, type Command, flagOf, nameOf } from './command.js';
import { commands as spawn } from './commands/agents/aur.js';
import { readByCommander } from './parse.js';
import { readPlain } from './parse-plain.js';
import { HOLDFAST } from './programs/holdfast-table.js';
import type { CliProgram } from './programs/program.js';
import { RALPHTOOL } from './programs/ralphtool-table.js';

const commandsOf = async (program: CliProgram) =>
  ((await program.groups?.()) ?? []).flatMap(({ commands }) => commands);
const COMMANDS = [...(await commandsOf(HOLDFAST)), ...(await commandsOf(RALPHTOOL)), ...spawn];

const VALUES = [
  '',
  'Yes',
  '3f2a',
  '12',
  '0.5',
  ' ',
  '1=a',
  'a b',
  '{"a":1}',
  '-',
  '--',
  '-5',
  '-h',
  '--json',
];
const STRANGE = [
  '--help',
  '-h',
  '-i',
  '-ix',
  '-5',
  '-.5',
  '--unknown',
  '--unknown=1',
  '-x',
  '--no',
  '--=',
  '---',
];

/** Words as somebody may type them after a command: mostly its own options, with and without values. */
function wordsFor(command: Command): fc.Arbitrary<string[]> {
  const flags = [...Object.keys(command.options).map(flagOf), ...Object.keys(COMMON_OPTIONS)];
  const flag = fc.constantFrom(...flags);
  const value = fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...VALUES.slice(0, 9)) },
    fc.constantFrom(...VALUES),
  );
  const group = fc.oneof(
    { weight: 4, arbitrary: fc.tuple(flag, value) },
    { weight: 4, arbitrary: fc.tuple(flag) },
    { weight: 3, arbitrary: fc.tuple(flag, value).map(([name, text]) => [`${name}=${text}`]) },
    { weight: 4, arbitrary: fc.tuple(value) },
    { weight: 1, arbitrary: fc.tuple(fc.constantFrom(...STRANGE)) },
    { weight: 1, arbitrary: flag.map((name) => [name.slice(0, -1)]) },
  );
  return fc.array(group, { maxLength: 4 }).map((groups) => groups.flat());
}

describe('a plain command line', () => {
  it.each(COMMANDS.map((command) => [nameOf(command), command] as const))(
    'is read as commander reads it: %s',
    (_name, command) => {
      fc.assert(
        fc.property(wordsFor(command), (words) => {
          const plain = readPlain(command, words);
          if (plain === undefined) return;
          expect(plain).toEqual(readByCommander(command, words, 'holdfast'));
        }),
        { numRuns: 300 },
      );
    },
  );

  it.each(COMMANDS.map((command) => [nameOf(command), command] as const))(
    'needs no commander: %s',
    (_name, command) => {
      // Commander reads arguments that take any number of words.
      if (argumentsOf(command).some((argument) => argument.includes('...'))) return;
      const given = argumentsOf(command).map(() => 'word');
      expect(readPlain(command, [...given, '--json', '--no-color'])).toEqual({
        options: { json: true, color: false },
        positionals: given,
      });
      for (const [name, { type, value }] of Object.entries(command.options)) {
        if (value?.startsWith('[')) continue;
        const words = type === 'boolean' ? [flagOf(name)] : [flagOf(name), '7'];
        expect(readPlain(command, [...given, ...words])).toBeDefined();
      }
    },
  );
});
