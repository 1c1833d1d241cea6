import { argumentsOf, COMMON_OPTIONS, type Command, flagOf, type OptionSpec } from './command.js';

/** What was typed after the words of a command: options, by the names commander gives them, and arguments. */
export interface ReadWords {
  readonly options: Readonly<Record<string, unknown>>;
  readonly positionals: readonly string[];
}

type Step = { readonly name: string; readonly type: OptionSpec['type'] };

/**
 * A plain command line, read as commander would read it; undefined for any other, which is left for commander to read or refuse.
 * Loading and setting up commander took a tenth of the start of a small command. A test compares the two.
 */
export function readPlain(command: Command, words: readonly string[]): ReadWords | undefined {
  const options: Record<string, unknown> = {};
  const positionals: string[] = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at] as string;
    if (word.length < 2 || !word.startsWith('-')) {
      positionals.push(word);
      continue;
    }
    const equals = word.startsWith('--') ? word.indexOf('=') : -1;
    const step = stepOf(command, equals === -1 ? word : word.slice(0, equals));
    if (step === undefined || (equals !== -1 && step.type === 'boolean')) return undefined;
    if (step.type === 'boolean') setFlag(options, step.name);
    else {
      const value = equals === -1 ? words[++at] : word.slice(equals + 1);
      const isPlain = value !== undefined && !value.startsWith('-');
      if (!isPlain || !setValue(options, step, value)) return undefined;
    }
  }
  return fits(argumentsOf(command), positionals) ? { options, positionals } : undefined;
}

/** The option that a word means, if it is plain. */
function stepOf(command: Command, flag: string): Step | undefined {
  if (Object.hasOwn(COMMON_OPTIONS, flag)) return { name: flag.slice(2), type: 'boolean' };
  const found = Object.entries(command.options).find(([name]) => flagOf(name) === flag);
  if (found === undefined) return undefined;
  const [name, spec] = found;
  return spec.value?.startsWith('[') === true ? undefined : { name: flagName(name), type: spec.type };
}

/** The flag of an option name: `no-wait` for `noWait`. */
function flagName(name: string): string {
  return /^no[A-Z]/.test(name) ? flagOf(name).slice(2) : name;
}

/** Commander reads `--no-wait` as "wait is false". */
function setFlag(options: Record<string, unknown>, name: string): void {
  if (name.startsWith('no-')) options[camelCase(name.slice(3))] = false;
  else options[name] = true;
}

function camelCase(flag: string): string {
  return flag.replaceAll(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** False if the value is not of that type. */
function setValue(options: Record<string, unknown>, { name, type }: Step, value: string): boolean {
  if (type === 'strings')
    options[name] = [...((options[name] as readonly string[] | undefined) ?? []), value];
  else if (type === 'number') options[name] = numberOf(value);
  else options[name] = value;
  return options[name] !== undefined;
}

/** A number of 0 or more; undefined for any other text. */
export function numberOf(text: string): number | undefined {
  const value = Number(text);
  return text.trim() === '' || !Number.isFinite(value) || value < 0 ? undefined : value;
}

/** Whether there are enough arguments, and not too many. */
function fits(declared: readonly string[], { length }: readonly string[]): boolean {
  const needed = declared.filter((argument) => argument.startsWith('<')).length;
  return length >= needed && length <= declared.length && !declared.some((one) => one.includes('...'));
}
