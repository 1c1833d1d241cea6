import { dirname } from 'node:path';
import { messageOf } from '../../foundation/index.js';
import type { SettingReport } from '../../operations/index.js';
import { ensureDirectory, readUserFile, updateUserFile } from '../../storage/index.js';
import { openAgents } from '../agents/open-agents.js';
import type { Services } from '../services.js';
import { SETTINGS, type SettingKey } from './config-keys.js';
import { place, stepsOf, valueAt } from './dotted-keys.js';
import { ConfigError, parseObject, parseSettings, unknownKey } from './parse-settings.js';

/** The value in force for a dotted key of `config.json`. Throws CONFIG_INVALID. */
export function getSetting({ config, tools }: Services, key: string): SettingReport {
  const path = config.layout.configFile;
  assertKnown(key);
  if (Object.hasOwn(SETTINGS, key)) {
    const known = key as SettingKey;
    return {
      key,
      value: config.get(known) ?? directoryOf({ config }, known),
      source: config.sourceOf(known),
    };
  }
  const document = parseObject(path, readUserFile(tools.fileSystem, path) ?? '{}');
  const value = document[key] ?? valueAt(document, stepsOf(key));
  return { key, value: value ?? null, source: value === undefined ? 'default' : path };
}

/** The default location of a directory setting; null for every other key. */
export function directoryOf(
  { config: { layout } }: Pick<Services, 'config'>,
  key: SettingKey,
): string | null {
  switch (key) {
    case 'question.dir':
      return layout.questions;
    case 'conversation.dir':
      return layout.conversations;
    case 'loop.dir':
      return layout.loop;
    case 'change.tempDir':
      return layout.changes;
    default:
      return null;
  }
}

/**
 * Sets a key in the user's own `config.json`: a JSON value, or text as typed. Everything else keeps its value and order.
 * Nothing is written that could not be read back. Throws CONFIG_INVALID, ATOMIC_WRITE_FAILED.
 */
export function setSetting(services: Services, key: string, typed: string): SettingReport {
  const path = services.config.layout.configFile;
  assertKnown(key);
  const candidates = [jsonOf(typed), typed].filter((one) => one !== undefined && one !== null);
  let value: unknown;
  edit(services, (document) => {
    let refusal: unknown;
    for (const candidate of candidates) {
      const changed = changedAt(document, key, candidate);
      let agents: readonly string[];
      try {
        agents = Object.keys(parseSettings(path, JSON.stringify(changed)).agents);
      } catch (error) {
        refusal ??= new ConfigError('Not set', messageOf(error), {
          cause: error,
          hint: 'Nothing was changed. `holdfast config show` lists every key.',
        });
        continue;
      }
      if (key === 'agent') assertAgentKnown(services, agents, candidate);
      value = candidate;
      return changed;
    }
    throw refusal ?? new ConfigError(path, `${key}: null is not a value`, { hint: unsetHint(key) });
  });
  return { key, value, source: path };
}

/** Removes a key from the user's own `config.json`, even an unknown one; false if it is not there. Throws as `setSetting`. */
export function unsetSetting(services: Services, key: string): boolean {
  const path = services.config.layout.configFile;
  return edit(services, (document) => {
    if (!Object.hasOwn(document, key) && valueAt(document, stepsOf(key)) === undefined) {
      assertKnown(key);
      return undefined;
    }
    const changed = changedAt(document, key, undefined);
    // A file with two mistakes is repaired one mistake at a time.
    if (isUsable(path, document)) parseSettings(path, JSON.stringify(changed));
    return changed;
  });
}

type Document = Readonly<Record<string, unknown>>;

/** A key written with dots is changed where it is. */
function changedAt(document: Document, key: string, value: unknown): Document {
  const changed = { ...document };
  place(changed, Object.hasOwn(document, key) ? [key] : stepsOf(key), value);
  return changed;
}

function edit({ config, tools }: Services, change: (document: Document) => Document | undefined): boolean {
  const path = config.layout.configFile;
  ensureDirectory(tools.fileSystem, dirname(path));
  return updateUserFile(tools, path, (content) => {
    const text = content?.toString('utf8') ?? '{}';
    const changed = change(parseObject(path, text));
    return changed === undefined
      ? undefined
      : Buffer.from(`${JSON.stringify(changed, null, indentOf(text))}\n`);
  });
}

/** How the file is indented; two spaces if that cannot be seen. */
function indentOf(text: string): string {
  return /^\{\r?\n([ \t]+)"/.exec(text)?.[1] ?? '  ';
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Text that is not JSON is taken literally.
    return undefined;
  }
}

function isUsable(path: string, document: Document): boolean {
  try {
    parseSettings(path, JSON.stringify(document));
    return true;
  } catch {
    // The file may be what somebody is repairing.
    return false;
  }
}

/** Otherwise only the next run, perhaps at night, would notice a name that no agent has. Throws CONFIG_INVALID. */
function assertAgentKnown(services: Services, own: readonly string[], name: unknown): void {
  const agents = openAgents(services);
  const known = [...new Set([...own, ...agents.list().map((agent) => agent.name)])];
  if (known.includes(String(name)) || agents.describedNames().includes(String(name))) return;
  throw new ConfigError('agent', `no agent is called ${JSON.stringify(name)}`, {
    hint: `Known agents: ${known.join(', ')}. To define one of your own: holdfast config set agents.<name> '{"driver":"acp","command":"…"}'`,
  });
}

function assertKnown(key: string): void {
  if (Object.hasOwn(SETTINGS, key)) return;
  const isOpen =
    /^(loop\.prompts|notices\.channels|prices|agents|accounts)\../.test(key) ||
    ['agents', 'accounts', 'prices'].includes(key);
  if (isOpen) return;
  const inGroup = Object.keys(SETTINGS).filter((known) => known.startsWith(`${key}.`));
  const hint =
    inGroup.length > 0 ? `Give one of: ${inGroup.join(', ')}.` : '`holdfast config show` lists every key.';
  throw new ConfigError('config', unknownKey(key), { hint });
}

function unsetHint(key: string): string {
  return `To remove it: holdfast config unset ${key}`;
}
