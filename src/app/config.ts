import { homedir, tmpdir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { loopPlace, type WorktreeRecord, worktreeAt } from '../run/worktree/record.js';
import {
  deriveLayout,
  type FileSystem,
  findLoopDirectory,
  type Layout,
  type Roots,
  readUserFile,
} from '../storage/index.js';
import type { AccountSettings } from './settings/account-settings.js';
import type { AgentSettings } from './settings/agent-settings.js';
import { type PriceSettings, SETTINGS, type SettingKey, type SettingValue } from './settings/config-keys.js';
import { ConfigError, NO_SETTINGS, parseSettings } from './settings/parse-settings.js';

/** The environment given to the program. Only this file reads it. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The environment of this process. */
export function processEnvironment(): Environment {
  return process.env;
}

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
  /** The run's worktree that contains the directory; undefined if there is none. */
  readonly worktree: WorktreeRecord | undefined;
  /** The same for another directory. A project's files decide nothing here; its directory only decides where its loop is. */
  at(workingDirectory: string): Config;
}

/** Reads the configuration. Throws CONFIG_INVALID for a file that cannot be used: no setting is silently ignored. */
export function loadConfig(options: {
  fileSystem: FileSystem;
  environment: Environment;
  workingDirectory: string;
  /** For a command that repairs the file, which must work while the file is wrong. */
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
      // Looked up when first needed, and only once, so that it does not move.
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

function expandHome(path: string | undefined, home: string): string | undefined {
  return path?.startsWith('~/') ? join(home, path.slice(2)) : path;
}
