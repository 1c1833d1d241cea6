import { homedir, tmpdir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import * as z from 'zod';
import { firstIssue, HoldfastError, messageOf, visibleExcerpt } from '../foundation/index.js';
import { loopPlace, type WorktreeRecord, worktreeAt } from '../run/worktree/record.js';
import { PhaseSetting, PLAN_PRESETS } from '../sessions/loop/policies/presets.js';
import { OUTER_LIMITS } from '../sessions/question/index.js';
import {
  deriveLayout,
  type FileSystem,
  findLoopDirectory,
  type Layout,
  type Roots,
  readUserFile,
} from '../storage/index.js';
import { type AccountSettings, accountSettings } from './settings/account-settings.js';
import { AgentName, AgentSettings } from './settings/agent-settings.js';
import { nested } from './settings/config-keys.js';
import { ChannelMap, PushMap, QuietHoursText } from './settings/notice-settings.js';

/** The environment as the program was given it. This file is the only one that reads it. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The environment of this process. */
export function processEnvironment(): Environment {
  return process.env;
}

const Directory = z
  .string()
  .refine((path) => isAbsolute(path) || path.startsWith('~/'), 'must be an absolute path or start with ~/');
const Count = (max: number) => z.int().min(1).max(max);
/** Up to a hundred years: later than that no calendar of four digits goes. */
const Seconds = z
  .number()
  .nonnegative()
  .max(100 * 365 * 24 * 60 * 60);

/** What a model costs, in dollars per million tokens; the cache as input where nothing is said. */
const PriceSettings = z.strictObject({
  input: z.number().nonnegative(),
  output: z.number().nonnegative(),
  cacheRead: z.number().nonnegative().optional(),
  cacheWrite: z.number().nonnegative().optional(),
});
export type PriceSettings = z.infer<typeof PriceSettings>;

interface Setting<Schema extends z.ZodType = z.ZodType> {
  readonly schema: Schema;
  readonly default: z.output<Schema>;
  readonly about: string;
}

function setting<Schema extends z.ZodType>(
  schema: Schema,
  initial: z.output<Schema>,
  about: string,
): Setting<Schema> {
  return { schema, default: initial, about };
}

/** Every setting there is, by its dotted key in `config.json`. */
export const SETTINGS = {
  'question.dir': setting(Directory.optional(), undefined, 'Where question sets are kept'),
  'question.maxSessions': setting(Count(10_000), 100, 'How many sets may be pending'),
  'question.maxQuestions': setting(Count(OUTER_LIMITS.maxQuestions), 5, 'Questions in one set at most'),
  'question.maxOptions': setting(
    z.int().min(2).max(OUTER_LIMITS.maxOptions),
    5,
    'Options of one question at most',
  ),
  'question.timeoutSeconds': setting(Seconds, 0, 'When a new set times out; 0 = never'),
  'question.retentionDays': setting(z.number().positive(), 7, 'How long sets that are not pending are kept'),
  'mcp.handBackSeconds.claude': setting(Seconds, 0, 'When a call of Claude gets a pending handle; 0 = never'),
  'mcp.handBackSeconds.gemini': setting(Seconds, 580, 'The same for Gemini CLI'),
  'mcp.handBackSeconds.codex': setting(Seconds, 280, 'The same for Codex'),
  'mcp.handBackSeconds.opencode': setting(Seconds, 50, 'The same for opencode'),
  'mcp.handBackSeconds.other': setting(Seconds, 50, 'The same for every other client'),
  'hooks.waitSeconds': setting(
    Seconds,
    20,
    'How long a hook keeps an agent from its own dialog while a card waits; 0 = no cards, only told',
  ),
  agent: setting(AgentName.optional(), undefined, 'The agent to use when none is named'),
  'conversation.dir': setting(Directory.optional(), undefined, 'Where conversations are kept'),
  'conversation.maxTokens': setting(
    z.int().min(1_000).optional(),
    undefined,
    'How many tokens may be used to tell an agent again what was said; default 100,000',
  ),
  'conversation.expiryDays': setting(
    z.number().positive().optional(),
    undefined,
    'Conversations without activity for this many days are cleaned automatically; absent = never',
  ),
  'conversation.rawProjects': setting(
    z.array(Directory),
    [],
    'Projects in which conversations are kept without redaction',
  ),
  'loop.dir': setting(Directory.optional(), undefined, 'Where the loop of a project is kept'),
  'loop.callsPerHour': setting(Count(100_000), 100, 'Calls of the agent within an hour at most'),
  'loop.maxIterations': setting(z.int().nonnegative(), 100, 'Iterations of one loop at most; 0 = no limit'),
  'loop.maxMinutes': setting(
    z.number().nonnegative(),
    0,
    'Minutes of work of one loop at most; 0 = no limit',
  ),
  'loop.maxTokens': setting(z.int().nonnegative(), 0, 'Tokens of one loop at most; 0 = no limit'),
  'loop.maxCostUsd': setting(z.number().nonnegative(), 0, 'Dollars of one loop at most; 0 = no limit'),
  'budget.perDay.costUsd': setting(
    z.number().nonnegative(),
    0,
    'Dollars of all runs within a local day at most; 0 = no limit',
  ),
  'budget.perDay.tokens': setting(
    z.int().nonnegative(),
    0,
    'Tokens of all runs within a local day at most; 0 = no limit',
  ),
  'loop.idleMinutes': setting(
    z.number().nonnegative(),
    30,
    'Minutes without a sign of life after which an agent is ended; 0 = never',
  ),
  'loop.preset': setting(
    z.enum(PLAN_PRESETS).optional(),
    undefined,
    'The phases of a plan that asks for none: work, tdd (default) or tdd-strict; a plan may ask for stricter ones only',
  ),
  'loop.prompts': setting(
    z.record(PhaseSetting.shape.name, z.string().max(20_000)),
    {},
    'Your own words to the agent for each phase, by the name of the phase; added to the prompt',
  ),
  'loop.phases': setting(
    z.array(PhaseSetting).min(1).optional(),
    undefined,
    'The phases of a loop: in this order, only these, with these limits',
  ),
  'worktree.dir': setting(
    Directory.optional(),
    undefined,
    'Where the worktrees of runs are made; below the state of Holdfast if absent',
  ),
  'worktree.setup': setting(
    z.string().max(20_000).optional(),
    undefined,
    'A command for `sh -c` in each new worktree, before an agent works in it, such as npm ci',
  ),
  'queue.agentSlots': setting(
    z.record(AgentName, Count(1_000)),
    {},
    'How many runs of the queue an agent may have at once, by its name; absent = as many as workers have slots',
  ),
  'top.open': setting(
    z.array(z.string().min(1).max(4_096)).min(1).max(100).optional(),
    undefined,
    'What `o` in holdfast top runs: a program and its arguments, {directory} stands for the project; absent = show the way',
  ),
  'change.tempDir': setting(
    Directory.optional(),
    undefined,
    'Where change sessions keep their published file',
  ),
  'notices.channels': setting(
    ChannelMap,
    {},
    'How you are told what waits or ended, by a name of your own; see docs/notices.md',
  ),
  'notices.push': setting(
    PushMap,
    {},
    'What devices that asked for it on the page are told, and how; see docs/notices.md',
  ),
  'notices.bell': setting(
    z.boolean(),
    true,
    'Whether run and chat ring the bell of their terminal; a channel of type terminal does it by itself',
  ),
  'notices.quietHours': setting(
    QuietHoursText.optional(),
    undefined,
    'When nothing is sent, in local time, such as 22:00-07:00; it is told together afterwards',
  ),
  'notices.fleet': setting(
    z.boolean(),
    false,
    'Whether you are told here what waits on other machines of the fleet; their own channels tell it already',
  ),
  'web.writesPerMinute': setting(
    Count(1_000_000),
    60,
    'What one browser may change on the page within a minute',
  ),
  'web.streams': setting(Count(1_000), 8, 'How often one browser may have the page open'),
  'fleet.url': setting(
    z
      .string()
      .max(4_096)
      .regex(/^postgres(ql)?:\/\//, 'must look like postgres://you@db.lan/holdfast')
      .refine(
        (url) => !/^[^@/]*:\/\/[^@/]*:[^@]*@/.test(url),
        'holds a password: put the address into a file of mode 600 and name that with fleet.urlFile',
      )
      .optional(),
    undefined,
    "Where the fleet's database is, without a password; see docs/fleet.md",
  ),
  'fleet.urlFile': setting(
    Directory.optional(),
    undefined,
    "A file of mode 600 with the address of the fleet's database, password and all",
  ),
  'fleet.machine': setting(
    z
      .string()
      .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/, 'must be letters, digits, dots, dashes and underscores')
      .optional(),
    undefined,
    'What this machine is called when it joins a fleet; its host name if absent',
  ),
  'fleet.share': setting(
    z.enum(['progress']),
    'progress',
    'What other machines of the fleet see of the runs here: how they stand, and nothing that was said',
  ),
  'fleet.trust': setting(
    z.array(z.string().min(1).max(63)).max(1_000),
    [],
    'Logins of the fleet, beside your own, whose entries workers of this machine run: they run code here',
  ),
  'fleet.repositories': setting(
    z.array(z.string().min(1).max(2_000)).min(1).max(1_000).optional(),
    undefined,
    'Repositories that workers of this machine take entries of, * for any part; absent = every one that trusted people queue',
  ),
  'fleet.bypass': setting(
    z.boolean(),
    false,
    'Whether entries of the fleet may run with --permissions bypass on this machine',
  ),
  'fleet.ref': setting(
    z.enum(['refs', 'branch']),
    'refs',
    'Where snapshots of runs go at the git server: refs/holdfast/…, or branches holdfast/… where it takes only those',
  ),
  'fleet.leaseSeconds': setting(
    z.int().min(2).max(3_600),
    300,
    'After how long without a sign of this machine another one may take over its runs of the fleet',
  ),
  'notices.digestSeconds': setting(
    Seconds,
    60,
    'What follows a message this soon is told together: 3 wait; 0 = each by itself',
  ),
} as const satisfies Record<string, Setting>;

const Agents = z.record(AgentName, AgentSettings);
const Accounts = z.record(AgentName, accountSettings(Directory));
const Prices = z.record(z.string().min(1), PriceSettings);

export type SettingKey = keyof typeof SETTINGS;
export type SettingValue<Key extends SettingKey> = z.output<(typeof SETTINGS)[Key]['schema']>;

/** The configuration of one run: each value and where it came from. */
export interface Config {
  readonly roots: Roots;
  readonly layout: Layout;
  get<Key extends SettingKey>(key: Key): SettingValue<Key>;
  /** The user's own agents by name. */
  readonly agents: Readonly<Record<string, AgentSettings>>;
  /** The user's own accounts by name. */
  readonly accounts: Readonly<Record<string, AccountSettings>>;
  /** The user's own prices by model, in dollars per million tokens. */
  readonly prices: Readonly<Record<string, PriceSettings>>;
  /** `default`, or the path of the file that set it. */
  sourceOf(key: SettingKey): string;
  /** Where each root came from, in words. */
  readonly rootSource: string;
  /** The worktree of a run that the directory is in; undefined where it is in none. */
  readonly worktree: WorktreeRecord | undefined;
  /** The same for another directory: files of a project decide nothing here, only where its loop is. */
  at(workingDirectory: string): Config;
}

/** Reads the configuration. Throws CONFIG_INVALID for a file that cannot be used: nothing in it is ignored. */
export function loadConfig(options: {
  fileSystem: FileSystem;
  environment: Environment;
  workingDirectory: string;
  /** For a command that repairs the file: it must not need a file that is right. */
  ignoresFile?: boolean | undefined;
}): Config {
  const { roots, source } = deriveRoots(options.environment);
  const path = join(roots.config, 'config.json');
  const text = options.ignoresFile ? undefined : readUserFile(options.fileSystem, path);
  const {
    settings: given,
    agents,
    accounts,
    prices,
  } = text === undefined ? NO_SETTINGS : parseSettings(path, text);
  const get = <Key extends SettingKey>(key: Key): SettingValue<Key> =>
    (given.has(key) ? given.get(key) : SETTINGS[key].default) as SettingValue<Key>;
  const directory = (
    key: 'question.dir' | 'conversation.dir' | 'loop.dir' | 'change.tempDir' | 'worktree.dir',
  ) => expandHome(get(key), roots.home);
  const at = (workingDirectory: string): Config => {
    let loopDirectory: string | undefined;
    let place: { readonly worktree: WorktreeRecord | undefined } | undefined;
    const worktree = () => {
      place ??= {
        worktree: worktreeAt(options.fileSystem, { worktrees: layout.worktrees }, workingDirectory),
      };
      return place.worktree;
    };
    const findLoop = () => {
      const own = worktree();
      if (own !== undefined) return loopPlace(layout, own);
      return directory('loop.dir') ?? findLoopDirectory(options.fileSystem, workingDirectory);
    };
    const layout = deriveLayout(roots, workingDirectory, {
      question: directory('question.dir'),
      conversation: directory('conversation.dir'),
      // Sought when somebody wants to know; once, so that it stays where it is.
      get loop() {
        loopDirectory ??= findLoop();
        return loopDirectory;
      },
      changeTemporary: directory('change.tempDir'),
      worktree: directory('worktree.dir'),
    });
    return {
      roots,
      rootSource: source,
      agents,
      accounts,
      prices,
      get,
      sourceOf: (key) => (given.has(key) ? path : 'default'),
      at,
      layout,
      get worktree() {
        return worktree();
      },
    };
  };
  return at(options.workingDirectory);
}

/** A configuration file, or a variable of the environment, that cannot be used as it is. */
export class ConfigError extends HoldfastError<'CONFIG_INVALID'> {
  readonly code = 'CONFIG_INVALID';

  constructor(place: string, reason: string, options: { cause?: unknown; hint?: string } = {}) {
    super(`${place}: ${reason}`, {
      hint: 'Correct the file or move it away; `holdfast config show --help` lists the known keys.',
      ...options,
    });
  }
}

function deriveRoots(environment: Environment): { roots: Roots; source: string } {
  const home = environment.HOME || homedir();
  const { source, ...own } = ownRoots(environment, home);
  const roots = {
    home,
    ...own,
    get temporary() {
      return environment.TMPDIR || tmpdir();
    },
  };
  return { roots, source };
}

function ownRoots(environment: Environment, home: string) {
  const own = environment.HOLDFAST_HOME;
  if (own) {
    if (!isAbsolute(own))
      throw new ConfigError('HOLDFAST_HOME', `must be an absolute path, not ${JSON.stringify(own)}`, {
        hint: 'Set the variable to a path that starts with /, or leave it unset for the usual places.',
      });
    return {
      source: 'HOLDFAST_HOME',
      config: join(own, 'config'),
      data: join(own, 'data'),
      state: join(own, 'state'),
    };
  }
  if (process.platform === 'darwin') {
    const support = join(home, 'Library', 'Application Support', 'holdfast');
    return { source: 'the platform', config: support, data: support, state: join(support, 'state') };
  }
  const base = (name: string, ...fallback: string[]) => {
    const given = environment[name];
    return join(given && isAbsolute(given) ? given : join(home, ...fallback), 'holdfast');
  };
  return {
    source: 'the XDG directories',
    config: base('XDG_CONFIG_HOME', '.config'),
    data: base('XDG_DATA_HOME', '.local', 'share'),
    state: base('XDG_STATE_HOME', '.local', 'state'),
  };
}

interface ParsedSettings {
  readonly settings: ReadonlyMap<SettingKey, unknown>;
  readonly agents: Readonly<Record<string, AgentSettings>>;
  readonly accounts: Readonly<Record<string, AccountSettings>>;
  readonly prices: Readonly<Record<string, PriceSettings>>;
}

const NO_SETTINGS: ParsedSettings = { settings: new Map(), agents: {}, accounts: {}, prices: {} };

/** What a text would mean as `config.json`. Throws CONFIG_INVALID. */
export function parseSettings(path: string, text: string): ParsedSettings {
  const document = nested(parseObject(path, text), (key) => {
    throw new ConfigError(path, `${JSON.stringify(key)} appears twice, once with dots and once nested`);
  });
  const { version: _version, agents, accounts, prices, ...rest } = document;
  const settings = new Map<SettingKey, unknown>();
  for (const [key, value] of flatten(path, rest, '')) {
    if (!Object.hasOwn(SETTINGS, key))
      throw new ConfigError(path, unknownKey(key), {
        hint: `Remove it: holdfast config unset ${visibleExcerpt(key, 80)}`,
      });
    settings.set(key as SettingKey, checked(path, key, SETTINGS[key as SettingKey].schema, value));
  }
  return {
    settings,
    agents: agents === undefined ? {} : checked(path, 'agents', Agents, agents),
    accounts: accounts === undefined ? {} : checked(path, 'accounts', Accounts, accounts),
    prices: prices === undefined ? {} : checked(path, 'prices', Prices, prices),
  };
}

/** The document of `config.json`. Throws CONFIG_INVALID. */
export function parseObject(path: string, text: string): Readonly<Record<string, unknown>> {
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch (error) {
    throw new ConfigError(path, `not JSON: ${messageOf(error)}`, { cause: error });
  }
  if (typeof document !== 'object' || document === null || Array.isArray(document)) {
    throw new ConfigError(path, 'must hold an object');
  }
  return document as Readonly<Record<string, unknown>>;
}

function checked<Schema extends z.ZodType>(
  path: string,
  key: string,
  schema: Schema,
  value: unknown,
): z.output<Schema> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const { place, reason } = firstIssue(result.error);
  throw new ConfigError(path, `${[key, place].filter(Boolean).join('.')}: ${reason}`);
}

/** That there is no such key, and which may have been meant. */
export function unknownKey(key: string): string {
  const last = key.slice(key.lastIndexOf('.') + 1).toLowerCase();
  const near = Object.keys(SETTINGS).filter((known) => known.toLowerCase().endsWith(`.${last}`));
  const word = `unknown key ${JSON.stringify(visibleExcerpt(key, 80))}`;
  const phase = /^loop\.prompts\.(.+)$/.exec(key)?.[1];
  if (phase !== undefined)
    return `${word}; write it as "loop": {"prompts": {${JSON.stringify(visibleExcerpt(phase, 40))}: …}}`;
  return near.length === 0 ? word : `${word}; did you mean ${near.join(' or ')}?`;
}

function* flatten(path: string, value: unknown, prefix: string): Generator<[string, unknown]> {
  // A setting may be an object itself.
  const isWhole = Object.hasOwn(SETTINGS, prefix);
  if (isWhole || typeof value !== 'object' || value === null || Array.isArray(value)) {
    yield [prefix, value];
    return;
  }
  for (const [key, inner] of Object.entries(value))
    yield* flatten(path, inner, prefix === '' ? key : `${prefix}.${key}`);
}

function expandHome(path: string | undefined, home: string): string | undefined {
  return path?.startsWith('~/') ? join(home, path.slice(2)) : path;
}
