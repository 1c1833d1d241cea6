import type { Settings } from '../../operations/index.js';
import type { Services } from '../services.js';
import { settingsFromAurora } from './aurora-config.js';
import { SETTINGS, type SettingKey } from './config-keys.js';
import { directoryOf, getSetting, setSetting, unsetSetting } from './edit-config.js';

/** The settings in force here, and the file to change them in. */
export function openSettings(services: Services): Settings {
  const { config } = services;
  return {
    file: config.layout.configFile,
    list() {
      const published = settingsFromAurora(services);
      return (Object.keys(SETTINGS) as SettingKey[]).map((key) => ({
        key,
        value: published.get(key)?.value ?? config.get(key) ?? directoryOf(services, key),
        source: published.get(key)?.source ?? config.sourceOf(key),
        about: SETTINGS[key].about,
      }));
    },
    get: (key) => getSetting(services, key),
    set: (key, typed) => setSetting(services, key, typed),
    unset: (key) => unsetSetting(services, key),
  };
}
