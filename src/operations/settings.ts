import * as z from 'zod';
import { defineOperation } from '../foundation/index.js';

/** One setting: the value in force, and where it came from. */
export interface SettingReport {
  readonly key: string;
  /** Null if nothing is set and there is no default. */
  readonly value: unknown;
  readonly source: string;
}

/** The settings of the user, as composed. */
export interface Settings {
  /** The file that holds them. */
  readonly file: string;
  list(): readonly (SettingReport & { readonly about: string })[];
  /** Throws CONFIG_INVALID. */
  get(key: string): SettingReport;
  /** Takes a JSON value, or text as typed. Throws CONFIG_INVALID, ATOMIC_WRITE_FAILED. */
  set(key: string, typed: string): SettingReport;
  /** False if it was not set. Throws as `set`. */
  unset(key: string): boolean;
}

export interface SettingsParts {
  readonly settings: Settings;
}

export const listSettings = defineOperation({
  name: 'setting.list',
  summary: 'Print every setting and where it came from',
  effect: 'read',
  capability: 'admin',
  surfaces: ['cli'],
  get input() {
    return z.strictObject({});
  },
  get output() {
    return z.custom<{
      readonly file: string;
      readonly settings: readonly (SettingReport & { readonly about: string })[];
    }>();
  },
  async run({ settings }: SettingsParts) {
    return { file: settings.file, settings: settings.list() };
  },
});

export const getSetting = defineOperation({
  name: 'setting.get',
  summary: 'Print one setting',
  effect: 'read',
  capability: 'admin',
  surfaces: ['cli'],
  get input() {
    return z.strictObject({ key: z.string() });
  },
  get output() {
    return z.custom<SettingReport>();
  },
  async run({ settings }: SettingsParts, { key }) {
    return settings.get(key);
  },
});

export const setSetting = defineOperation({
  name: 'setting.set',
  summary: 'Change one setting in your config.json',
  effect: 'write',
  capability: 'admin',
  surfaces: ['cli'],
  get input() {
    return z.strictObject({ key: z.string(), value: z.string() });
  },
  get output() {
    return z.custom<SettingReport>();
  },
  async run({ settings }: SettingsParts, { key, value }) {
    return settings.set(key, value);
  },
});

export const unsetSetting = defineOperation({
  name: 'setting.unset',
  summary: 'Remove one setting from your config.json',
  effect: 'write',
  capability: 'admin',
  surfaces: ['cli'],
  get input() {
    return z.strictObject({ key: z.string() });
  },
  get output() {
    return z.custom<{ readonly key: string; readonly wasSet: boolean }>();
  },
  async run({ settings }: SettingsParts, { key }) {
    return { key, wasSet: settings.unset(key) };
  },
});

/** Every action on settings, for the registry. */
export const settingOperations = [listSettings, getSetting, setSetting, unsetSetting] as const;
