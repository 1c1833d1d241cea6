import { type CommandGroup, nameOf } from '../command.js';

export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

export function isShell(name: string): name is Shell {
  return (SHELLS as readonly string[]).includes(name);
}

/** A completion script for the commands and the options that every command has. */
export function completionScript(shell: Shell, groups: readonly CommandGroup[]): string {
  const names = groups.flatMap(({ commands }) =>
    commands.map((command) => ({ name: nameOf(command), summary: command.summary })),
  );
  const verbs = new Map<string, { verb: string; summary: string }[]>();
  for (const { name, summary } of names) {
    const [first = '', verb] = name.split(' ');
    const known = verbs.get(first) ?? [];
    if (verb !== undefined) known.push({ verb, summary });
    verbs.set(first, known);
  }
  return { bash, zsh, fish }[shell](verbs, names);
}

type Verbs = ReadonlyMap<string, readonly { verb: string; summary: string }[]>;
type Names = readonly { name: string; summary: string }[];

const COMMON = '--json --quiet --color --no-color --help';

function bash(verbs: Verbs): string {
  const cases = [...verbs]
    .filter(([, known]) => known.length > 0)
    .map(([first, known]) => `    ${first}) words="${known.map(({ verb }) => verb).join(' ')}" ;;`);
  return [
    '_holdfast() {',
    '  local current="$2" words=""',
    `  if [[ "$current" == -* ]]; then words="${COMMON}"`,
    `  elif [[ $COMP_CWORD -eq 1 ]]; then words="${[...verbs.keys()].join(' ')}"`,
    `  elif [[ $COMP_CWORD -eq 2 ]]; then case "\${COMP_WORDS[1]}" in`,
    ...cases,
    '    setup) words="claude codex gemini opencode" ;;',
    '    completion) words="bash zsh fish" ;;',
    '  esac; fi',
    '  COMPREPLY=($(compgen -W "$words" -- "$current"))',
    '}',
    'complete -o default -F _holdfast holdfast',
  ].join('\n');
}

function zsh(verbs: Verbs): string {
  return ['autoload -U +X bashcompinit && bashcompinit', bash(verbs)].join('\n');
}

function fish(verbs: Verbs, names: Names): string {
  const lines = ['complete -c holdfast -f'];
  for (const [first, known] of verbs) {
    const summary = names.find(({ name }) => name === first)?.summary ?? `${first} …`;
    lines.push(`complete -c holdfast -n __fish_use_subcommand -a ${first} -d ${quote(summary)}`);
    for (const { verb, summary: about } of known) {
      lines.push(
        `complete -c holdfast -n '__fish_seen_subcommand_from ${first}' -a ${verb} -d ${quote(about)}`,
      );
    }
  }
  for (const option of COMMON.split(' ')) lines.push(`complete -c holdfast -l ${option.slice(2)}`);
  return lines.join('\n');
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "\\'")}'`;
}
