/** A command line, split up without judging it: real drivers pass options that only real agents understand. */
export interface CommandLine {
  /** The values given for each option, in order; an option without a value has none. */
  readonly options: ReadonlyMap<string, readonly string[]>;
  readonly positionals: readonly string[];
}

/** `valued` options take the next argument, `variadic` ones every argument up to the next option. */
export interface OptionKinds {
  readonly valued: ReadonlySet<string>;
  readonly variadic: ReadonlySet<string>;
}

export function takeApart(argv: readonly string[], kinds: OptionKinds): CommandLine {
  const options = new Map<string, string[]>();
  const positionals: string[] = [];
  const give = (name: string, ...values: string[]) =>
    void options.set(name, [...(options.get(name) ?? []), ...values]);
  for (let at = 0; at < argv.length; at++) {
    const argument = argv[at] ?? '';
    if (argument === '--') {
      positionals.push(...argv.slice(at + 1));
      break;
    }
    if (!argument.startsWith('-') || argument === '-') {
      positionals.push(argument);
      continue;
    }
    const equals = argument.startsWith('--') ? argument.indexOf('=') : -1;
    if (equals > 0) {
      give(argument.slice(0, equals), argument.slice(equals + 1));
    } else if (kinds.valued.has(argument)) {
      give(argument, argv[++at] ?? '');
    } else {
      give(argument);
      if (!kinds.variadic.has(argument)) continue;
      while (at + 1 < argv.length && !argv[at + 1]?.startsWith('-')) give(argument, argv[++at] ?? '');
    }
  }
  return { options, positionals };
}
