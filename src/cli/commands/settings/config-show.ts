import { directoryOf } from '../../../app/edit-config.js';
import { SETTINGS, type SettingKey, settingsFromAurora } from '../../../app/index.js';
import { visibleJson } from '../../../foundation/index.js';
import { defineCommand } from '../../command.js';
import { ExitCode } from '../../exit-codes.js';
import { renderTable } from '../../render/table.js';

export default defineCommand({
  usage: 'config show',
  summary: 'Print every setting and where it came from',
  details: `Settings live in config.json (see \`holdfast paths\`); another key is an error. Known keys: ${Object.keys(SETTINGS).join(', ')}, agents.`,
  options: {},
  examples: ['holdfast config show', 'holdfast config show --json'],
  async run({ services, terminal, isJson }) {
    const { config } = services;
    const published = settingsFromAurora(services);
    const settings = (Object.keys(SETTINGS) as SettingKey[]).map((key) => ({
      key,
      value: published.get(key)?.value ?? config.get(key) ?? directoryOf(services, key),
      source: published.get(key)?.source ?? config.sourceOf(key),
      about: SETTINGS[key].about,
    }));
    if (isJson) terminal.write(visibleJson({ file: config.layout.configFile, settings }));
    else {
      const rows = settings.map(({ key, value, source, about }) => [
        key,
        value === null ? '-' : typeof value === 'object' ? JSON.stringify(value) : String(value),
        source,
        about,
      ]);
      terminal.write(renderTable(['KEY', 'VALUE', 'FROM', 'WHAT'], rows));
      terminal.note(`File: ${config.layout.configFile}`);
    }
    return ExitCode.done;
  },
});
