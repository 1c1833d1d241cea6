import type * as z from 'zod';
import { firstIssue, HoldfastError, messageOf, visibleExcerpt } from '../../foundation/index.js';
import type { AccountSettings } from './account-settings.js';
import type { AgentSettings } from './agent-settings.js';
import { Accounts, Agents, type PriceSettings, Prices, SETTINGS, type SettingKey } from './config-keys.js';
import { nested } from './dotted-keys.js';

/** A configuration file, or an environment variable, that cannot be used as it is. */
export class ConfigError extends HoldfastError<'CONFIG_INVALID'> {
  readonly code = 'CONFIG_INVALID';

  constructor(place: string, reason: string, options: { cause?: unknown; hint?: string } = {}) {
    super(`${place}: ${reason}`, {
      hint: 'Correct the file or move it away; `holdfast config show --help` lists the known keys.',
      ...options,
    });
  }
}

export interface ParsedSettings {
  readonly settings: ReadonlyMap<SettingKey, unknown>;
  readonly agents: Readonly<Record<string, AgentSettings>>;
  readonly accounts: Readonly<Record<string, AccountSettings>>;
  readonly prices: Readonly<Record<string, PriceSettings>>;
}

export const NO_SETTINGS: ParsedSettings = { settings: new Map(), agents: {}, accounts: {}, prices: {} };

/** Parses the text of a `config.json`. Throws CONFIG_INVALID. */
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

/** A message that there is no such key, with the ones that may have been meant. */
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
