import { type CommandLine, type OptionKinds, takeApart } from './arguments.js';
import { type McpServers, readClaudeServers } from './mcp-servers.js';

const PROTOCOLS = ['claude', 'codex', 'acp', 'line'] as const;
export type Protocol = (typeof PROTOCOLS)[number];

/** How the program was started: the arguments that the real one would understand, and our own settings. */
export interface Launch {
  readonly protocol: Protocol;
  readonly scriptPath: string | null;
  /** Where conversations are kept; null = they end with the process. */
  readonly stateDirectory: string | null;
  /** Where to note every prompt with what the agent knew then, for tests. */
  readonly notesPath: string | null;
  readonly sessionId: string | null;
  readonly resume: string | null;
  readonly isFork: boolean;
  /** By Claude's names: default, acceptEdits, bypassPermissions, plan. */
  readonly permissionMode: string;
  /** Permission questions go to the program at the other end of our pipes. */
  readonly asksOverStdio: boolean;
  readonly allowedTools: readonly string[];
  readonly streamsPartials: boolean;
  readonly mcpServers: McpServers;
  readonly model: string;
  readonly systemPrompt: string | null;
  readonly endMarker: string;
  readonly failureMarker: string;
  /** The line that ends a prompt of several lines; null = every line is a prompt. */
  readonly promptEnd: string | null;
  readonly arguments: readonly string[];
}

type Environment = Readonly<Record<string, string | undefined>>;

const OWN = [
  '--protocol',
  '--script',
  '--state',
  '--notes',
  '--end-marker',
  '--failure-marker',
  '--prompt-end',
];
const KINDS: Readonly<Record<Protocol, OptionKinds>> = {
  claude: kinds(
    [
      '--input-format --output-format --session-id --resume -r --permission-mode --permission-prompt-tool --model',
      '--append-system-prompt --system-prompt --max-turns --fallback-model --settings --agents --effort',
    ],
    ['--mcp-config --allowedTools --allowed-tools --disallowedTools --disallowed-tools --tools --add-dir'],
  ),
  codex: kinds(['-c --config -m --model -p --profile --enable --disable --listen'], []),
  acp: kinds(['--model -m --permission-mode --mcp-config'], []),
  line: kinds(['--session-id --resume --model --mcp-config'], []),
};

/** Reads the command line, as the real program of that protocol would, and our own variables. */
export function readLaunch(argv: readonly string[], environment: Environment): Launch {
  const protocol = readProtocol(argv, environment);
  const line = takeApart(argv, KINDS[protocol]);
  const last = (...names: string[]) => lastValue(line, names);
  const has = (...names: string[]) => names.some((name) => line.options.has(name));
  if (protocol === 'codex' && !line.positionals.includes('app-server')) {
    throw new LaunchError('codex is played only as `app-server`');
  }
  return {
    protocol,
    scriptPath: last('--script') ?? environment.HOLDFAST_SCRIPTED_SCRIPT ?? null,
    stateDirectory: last('--state') ?? environment.HOLDFAST_SCRIPTED_STATE ?? null,
    notesPath: last('--notes') ?? environment.HOLDFAST_SCRIPTED_NOTES ?? null,
    sessionId: last('--session-id'),
    resume: last('--resume', '-r'),
    isFork: has('--fork-session'),
    permissionMode: has('--dangerously-skip-permissions')
      ? 'bypassPermissions'
      : (last('--permission-mode') ?? 'default'),
    asksOverStdio: last('--permission-prompt-tool') === 'stdio',
    allowedTools: allValues(line, ['--allowedTools', '--allowed-tools']).flatMap((tools) =>
      tools.split(/[\s,]+/),
    ),
    streamsPartials: has('--include-partial-messages'),
    mcpServers: readClaudeServers(allValues(line, ['--mcp-config'])),
    model: last('--model', '-m') ?? 'scripted-1',
    systemPrompt: last('--append-system-prompt', '--system-prompt'),
    endMarker: last('--end-marker') ?? environment.HOLDFAST_SCRIPTED_END_MARKER ?? '[DONE]',
    failureMarker: last('--failure-marker') ?? environment.HOLDFAST_SCRIPTED_FAILURE_MARKER ?? '[FAILED]',
    promptEnd: last('--prompt-end') ?? environment.HOLDFAST_SCRIPTED_PROMPT_END ?? null,
    arguments: argv,
  };
}

/** The command line cannot be understood. */
export class LaunchError extends Error {}

function readProtocol(argv: readonly string[], environment: Environment): Protocol {
  const at = argv.indexOf('--protocol');
  const name = (at === -1 ? undefined : argv[at + 1]) ?? environment.HOLDFAST_SCRIPTED_PROTOCOL ?? 'acp';
  const protocol = PROTOCOLS.find((known) => known === name);
  if (protocol === undefined) {
    throw new LaunchError(`there is no protocol "${name}" (there are ${PROTOCOLS.join(', ')})`);
  }
  return protocol;
}

function kinds(valued: readonly string[], variadic: readonly string[]): OptionKinds {
  const words = (lists: readonly string[]) => lists.flatMap((list) => list.split(' '));
  return { valued: new Set([...words(valued), ...OWN]), variadic: new Set(words(variadic)) };
}

function allValues(line: CommandLine, names: readonly string[]): string[] {
  return names.flatMap((name) => line.options.get(name) ?? []);
}

function lastValue(line: CommandLine, names: readonly string[]): string | null {
  return allValues(line, names).at(-1) ?? null;
}
