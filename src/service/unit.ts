/** The name of the unit, for systemctl. */
export const UNIT_NAME = 'holdfast.service';

/** The first line of a unit that we wrote, by which we recognise it. */
const MARK = '# Written by `holdfast service install`; `holdfast service remove` takes it back.';

export interface UnitFacts {
  /** How this program is started, with absolute paths. */
  readonly command: readonly string[];
  /** Where our files are, if not in the usual place. */
  readonly environment: Readonly<Record<string, string>>;
}

/**
 * The unit. It ends once the runs are started: they are sessions of their own, and `KillMode=process` leaves them alone
 * whatever happens to the unit. If it is killed midway, it is started again and continues with the rest.
 */
export function unitText({ command, environment }: UnitFacts): string {
  const lines = [
    MARK,
    '[Unit]',
    'Description=Holdfast: resumes interrupted runs after a restart',
    '',
    '[Service]',
    'Type=simple',
    `ExecStart=${commandLine(command)}`,
    ...Object.entries(environment).map(([name, value]) => `Environment=${quoted(`${name}=${value}`)}`),
    'KillMode=process',
    'Restart=on-abnormal',
    'RestartSec=5',
    '',
    '[Install]',
    'WantedBy=default.target',
  ];
  return `${lines.join('\n')}\n`;
}

/**
 * A unit that keeps a worker up. When it is stopped, the worker has time to suspend what it runs for the fleet and to give
 * it back; runs of this machine's own queue are left alone.
 */
export function workerUnitText({ command, environment }: UnitFacts): string {
  const lines = [
    '# Written by `holdfast worker --unit`.',
    '[Unit]',
    'Description=Holdfast: a worker for what is queued',
    'After=network-online.target',
    '',
    '[Service]',
    'Type=simple',
    `ExecStart=${commandLine(command)}`,
    ...Object.entries(environment).map(([name, value]) => `Environment=${quoted(`${name}=${value}`)}`),
    'KillMode=process',
    'TimeoutStopSec=90',
    'Restart=always',
    'RestartSec=5',
    '',
    '[Install]',
    'WantedBy=default.target',
  ];
  return `${lines.join('\n')}\n`;
}

/** Whether we wrote this unit, in this release or another. */
export function isOurs(text: string): boolean {
  return text.split('\n', 1)[0] === MARK;
}

/** A command line of systemd: after the program itself, `$` begins a variable. */
function commandLine(command: readonly string[]): string {
  const [program = '', ...args] = UNSAFE.test(command[0] ?? '') ? ['/usr/bin/env', ...command] : command;
  return [quoted(program), ...args.map((word) => quoted(word).replaceAll('$', () => '$$'))].join(' ');
}

/** systemd refuses a program with such a name, however it is quoted; as an argument it is fine. */
const UNSAFE = /["'\\\p{Cc}]/u;

/** A word of any setting: `%` is a specifier wherever it appears. */
function quoted(word: string): string {
  return `"${word.replaceAll('%', '%%').replaceAll(/[\\"\p{Cc}]/gu, escapeOf)}"`;
}

/** Escapes what has a meaning in quotes and what would break the line. */
function escapeOf(character: string): string {
  if (character === '\\' || character === '"') return `\\${character}`;
  return Buffer.from(character)
    .toString('hex')
    .replaceAll(/../g, (byte) => `\\x${byte}`);
}
