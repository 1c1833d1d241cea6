import { join } from 'node:path';
import { messageOf } from '../foundation/index.js';
import { readUserFile } from '../storage/index.js';
import type { SettingKey } from './config.js';
import type { Services } from './services.js';

/** The published settings of conversations, as far as they are given. */
export interface InteractiveSettings {
  readonly maxTokens?: number;
  /** Conversations without activity for so long are cleaned by themselves; absent = never. */
  readonly expiryDays?: number;
}

/**
 * `spawner.interactive.*` of `.aurora/config.json` at home. That file is not ours: what cannot be used in it is told to the
 * log and passed over. Our own config file comes first. One in the project decides nothing here: it may come with a clone,
 * and how long conversations are kept is not its business.
 */
export function interactiveSettings(services: Services): InteractiveSettings {
  const { config } = services;
  const own = {
    maxTokens: config.get('conversation.maxTokens'),
    expiryDays: config.get('conversation.expiryDays'),
  };
  const given = readSettings(services, auroraFile(services));
  const maxTokens = own.maxTokens ?? given.maxTokens;
  const expiryDays = own.expiryDays ?? given.expiryDays;
  return {
    ...(maxTokens === undefined ? {} : { maxTokens }),
    ...(expiryDays === undefined ? {} : { expiryDays }),
  };
}

/** The settings of ours that the published file gives where our own says nothing, with the file they come from. */
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
