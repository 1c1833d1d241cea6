import { getSetting, setSetting, unsetSetting } from '../../../app/edit-config.js';
import { visibleJson, visibleLine } from '../../../foundation/index.js';
import { defineCommand } from '../../command.js';
import { ExitCode } from '../../exit-codes.js';

const KEYS =
  'Keys are dotted, as `holdfast config show` lists them, or loop.prompts.<phase>, prices.<model> and agents.<name>.';

export const get = defineCommand({
  usage: 'config get <key>',
  summary: 'Print one setting',
  details: `The value in force, set or default; \`not set\` where there is neither. ${KEYS}`,
  options: {},
  examples: ['holdfast config get question.retentionDays', 'holdfast config get question.dir --json'],
  async run({ services, terminal, isJson }, { positionals: [key = ''] }) {
    const report = getSetting(services, key);
    terminal.write(isJson ? visibleJson(report) : toText(report.value));
    return ExitCode.done;
  },
});

export const set = defineCommand({
  usage: 'config set <key> <value>',
  summary: 'Change one setting in your config.json',
  repairsConfig: true,
  details: `Numbers, true, false, lists and objects are JSON; anything else is text. A bad value is refused and nothing is changed. ${KEYS}`,
  options: {},
  examples: [
    'holdfast config set agent claude',
    'holdfast config set question.retentionDays 30',
    'holdfast config set loop.prompts.RED "Write the test first."',
    'holdfast config set prices.my-model \'{"input":1,"output":4}\'',
  ],
  async run({ services, terminal, isJson }, { positionals: [key = '', value = ''] }) {
    const report = setSetting(services, key, value);
    terminal.write(isJson ? visibleJson({ success: true, ...report }) : `${key} = ${toText(report.value)}`);
    terminal.note(`In ${report.source}`);
    return ExitCode.done;
  },
});

export const unset = defineCommand({
  usage: 'config unset <key>',
  summary: 'Remove one setting from your config.json',
  repairsConfig: true,
  details: `The default applies again. A key that Holdfast does not know can be removed too. ${KEYS}`,
  options: {},
  examples: ['holdfast config unset question.dir'],
  async run({ services, terminal, isJson }, { positionals: [key = ''] }) {
    const wasSet = unsetSetting(services, key);
    if (isJson) terminal.write(visibleJson({ success: true, key, wasSet }));
    else terminal.write(wasSet ? `${key} is no longer set` : `${key} was not set`);
    return ExitCode.done;
  },
});

function toText(value: unknown): string {
  if (value === null) return 'not set';
  return visibleLine(typeof value === 'string' ? value : JSON.stringify(value));
}
