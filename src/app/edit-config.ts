import { dirname } from 'node:path';
import { messageOf } from '../foundation/index.js';
import type { SettingReport } from '../operations/index.js';
import { ensureDirectory, readUserFile, updateUserFile } from '../storage/index.js';
import { ConfigError, parseObject, parseSettings, SETTINGS, type SettingKey, unknownKey } from './config.js';
import { place, stepsOf, valueAt } from './config-keys.js';
import type { Services } from './services.js';

/** What is in force for a key, dotted as in `config.json`. Throws CONFIG_INVALID. */
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

/** Where a directory that nobody moved is; null for every other key. */
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
 * Sets a key in the user's own `config.json`: a JSON value, or a text as it was typed. Everything else stays, in its order.
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
      try {
        parseSettings(path, JSON.stringify(changed));
        value = candidate;
        return changed;
      } catch (error) {
        refusal ??= new ConfigError('Not set', messageOf(error), {
          cause: error,
          hint: 'Nothing was changed. `holdfast config show` tells what each key is for.',
        });
      }
    }
    throw refusal ?? new ConfigError(path, `${key}: null is no value`, { hint: unsetHint(key) });
  });
  return { key, value, source: path };
}

/** Takes a key out of the user's own `config.json`; false where it is not in there. Throws as `setSetting`. */
export function unsetSetting(services: Services, key: string): boolean {
  const path = services.config.layout.configFile;
  assertKnown(key);
  return edit(services, (document) => {
    if (!Object.hasOwn(document, key) && valueAt(document, stepsOf(key)) === undefined) return undefined;
    const changed = changedAt(document, key, undefined);
    parseSettings(path, JSON.stringify(changed));
    return changed;
  });
}

type Document = Readonly<Record<string, unknown>>;

/** A key that stands there with its dots is changed where it stands. */
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

/** How the file is indented; two blanks where it does not show. */
function indentOf(text: string): string {
  return /^\{\r?\n([ \t]+)"/.exec(text)?.[1] ?? '  ';
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // A text that is not JSON is meant as it was typed.
    return undefined;
  }
}

function assertKnown(key: string): void {
  if (Object.hasOwn(SETTINGS, key)) return;
  const isOpen = /^(loop\.prompts|prices|agents)\../.test(key) || key === 'agents' || key === 'prices';
  if (isOpen) return;
  const inGroup = Object.keys(SETTINGS).filter((known) => known.startsWith(`${key}.`));
  const hint =
    inGroup.length > 0 ? `Give one of: ${inGroup.join(', ')}.` : '`holdfast config show` lists every key.';
  throw new ConfigError('config', unknownKey(key), { hint });
}

function unsetHint(key: string): string {
  return `To take it out: holdfast config unset ${key}`;
}
