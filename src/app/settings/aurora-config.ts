import { join } from 'node:path';
import { keysNotTaken, messageOf } from '../../foundation/index.js';
import { type FileSystem, readUserFile } from '../../storage/index.js';
import type { Services } from '../services.js';
import type { SettingKey } from './config-keys.js';

/** The published settings of conversations that are given. */
export interface InteractiveSettings {
  readonly maxTokens?: number;
  /** After so many days without activity conversations are cleaned automatically; absent = never. */
  readonly expiryDays?: number;
}

/**
 * `spawner.interactive.*` of `.aurora/config.json` at home. That file is not ours: values that cannot be used are logged
 * and skipped. Our own config file comes first. A file in the project decides nothing here: it may come with a clone,
 * which must not decide how long conversations are kept.
 */
export function interactiveSettings(services: Services): InteractiveSettings {
  const { config } = services;
  const own = {
    maxTokens: config.get('conversation.maxTokens'),
    expiryDays: config.get('conversation.expiryDays'),
  };
  const given = readSettings(services, auroraFile(services));
  tellOfProject(services);
  const maxTokens = own.maxTokens ?? given.maxTokens;
  const expiryDays = own.expiryDays ?? given.expiryDays;
  return {
    ...(maxTokens === undefined ? {} : { maxTokens }),
    ...(expiryDays === undefined ? {} : { expiryDays }),
  };
}

/** Our settings that the published file gives and our own does not, with the file they come from. */
export function settingsFromAurora(
  services: Services,
): ReadonlyMap<SettingKey, { readonly value: number; readonly source: string }> {
  const source = auroraFile(services);
  const given = readSettings(services, source);
  const { config } = services;
  const found = Object.entries({
    'conversation.maxTokens': given.maxTokens,
    'conversation.expiryDays': given.expiryDays,
  } as const) as [SettingKey, number | undefined][];
  return new Map(
    found.flatMap(([key, value]) =>
      value === undefined || config.get(key) !== undefined ? [] : [[key, { value, source }]],
    ),
  );
}

function auroraFile({ config }: Services): string {
  return join(config.roots.home, '.aurora', 'config.json');
}

const told = new WeakSet<Services>();

/** Reports once which settings a project's file may not decide. Its other keys belong to another program. */
function tellOfProject(services: Services): void {
  const { config, log, workingDirectory, tools } = services;
  const path = join(workingDirectory, '.aurora', 'config.json');
  if (told.has(services) || workingDirectory === config.roots.home) return;
  told.add(services);
  const keys = keysNotTaken('auroraConfig', Object.keys(readInteractive(tools.fileSystem, path) ?? {}));
  if (keys.length === 0) return;
  log.warn('config.project-keys-ignored', { path, keys: keys.map((key) => `spawner.interactive.${key}`) });
}

function readInteractive(fileSystem: FileSystem, path: string): Record<string, unknown> | undefined {
  try {
    const root = JSON.parse(readUserFile(fileSystem, path) ?? '{}');
    const interactive = root?.spawner?.interactive;
    return typeof interactive === 'object' && interactive !== null ? interactive : undefined;
  } catch {
    return undefined; // none of its values would have counted
  }
}

function readSettings({ tools, log }: Services, path: string): InteractiveSettings {
  try {
    const text = readUserFile(tools.fileSystem, path);
    const root = text === undefined ? {} : (JSON.parse(text) as Record<string, Record<string, unknown>>);
    const interactive = root?.spawner?.interactive as Record<string, unknown> | undefined;
    const number = (key: string) => {
      const value = interactive?.[key];
      if (value === undefined) return undefined;
      if (typeof value === 'number' && Number.isFinite(value) && value > 0) return value;
      log.warn('config.aurora-value-ignored', { path, key: `spawner.interactive.${key}` });
      return undefined;
    };
    const maxTokens = number('max_tokens');
    const expiryDays = number('session_expiry_days');
    return {
      ...(maxTokens === undefined ? {} : { maxTokens }),
      ...(expiryDays === undefined ? {} : { expiryDays }),
    };
  } catch (error) {
    log.warn('config.aurora-file-ignored', { path, error: messageOf(error) });
    return {};
  }
}
