import { SETTINGS, type Services } from '../../../app/base.js';
import { openSettings } from '../../../app/settings/open-settings.js';
import { visibleLine } from '../../../foundation/index.js';
import {
  getSetting,
  listSettings,
  type SettingsParts,
  setSetting,
  unsetSetting,
} from '../../../operations/settings.js';
import { commandOf } from '../../command-of.js';
import { renderTable } from '../../render/table.js';

const KEYS =
  'Keys are dotted, as `holdfast config show` lists them, or loop.prompts.<phase>, notices.channels.<name>, prices.<model>, accounts.<name> and agents.<name>.';

const parts = (services: Services): SettingsParts => ({ settings: openSettings(services) });

const show = commandOf(listSettings, {
  usage: 'config show',
  details: `Settings live in config.json (see \`holdfast paths\`); another key is an error. Known keys: ${Object.keys(SETTINGS).join(', ')}, accounts, agents.`,
  options: {},
  examples: ['holdfast config show', 'holdfast config show --json'],
  parts,
  input: () => ({}),
  render({ settings }) {
    const rows = settings.map(({ key, value, source, about }) => [
      key,
      value === null ? '-' : typeof value === 'object' ? JSON.stringify(value) : String(value),
      source,
      about,
    ]);
    return renderTable(['KEY', 'VALUE', 'FROM', 'WHAT'], rows);
  },
  notes: ({ file }, { terminal }) => terminal.note(`File: ${file}`),
});

const get = commandOf(getSetting, {
  usage: 'config get <key>',
  details: `The value in force, set or default; \`not set\` if there is neither. ${KEYS}`,
  options: {},
  examples: ['holdfast config get question.retentionDays', 'holdfast config get question.dir --json'],
  parts,
  input: ({ positionals: [key = ''] }) => ({ key }),
  render: ({ value }) => toText(value),
});

const set = commandOf(setSetting, {
  usage: 'config set <key> <value>',
  repairsConfig: true,
  details: `Numbers, true, false, lists and objects are JSON; anything else is text. A bad value is refused and nothing is changed. ${KEYS}`,
  options: {},
  examples: [
    'holdfast config set agent claude',
    'holdfast config set question.retentionDays 30',
    'holdfast config set loop.prompts.RED "Write the test first."',
    'holdfast config set prices.my-model \'{"input":1,"output":4}\'',
  ],
  parts,
  input: ({ positionals: [key = '', value = ''] }) => ({ key, value }),
  render: ({ key, value }) => `${key} = ${toText(value)}`,
  json: (report) => ({ success: true, ...report }),
  notes: ({ source }, { terminal }) => terminal.note(`In ${source}`),
  hasNotesForAll: true,
});

const unset = commandOf(unsetSetting, {
  usage: 'config unset <key>',
  repairsConfig: true,
  details: `The default applies again. A key that Holdfast does not know can be removed too. ${KEYS}`,
  options: {},
  examples: ['holdfast config unset question.dir'],
  parts,
  input: ({ positionals: [key = ''] }) => ({ key }),
  render: ({ key, wasSet }) => (wasSet ? `${key} is no longer set` : `${key} was not set`),
  json: (report) => ({ success: true, ...report }),
});

function toText(value: unknown): string {
  if (value === null) return 'not set';
  return visibleLine(typeof value === 'string' ? value : JSON.stringify(value));
}

export const commands = [show, get, set, unset];
