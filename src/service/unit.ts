/** The name of the unit, for systemctl. */
export const UNIT_NAME = 'holdfast.service';

/** The first line of a unit that we wrote: by it we know our own. */
const MARK = '# Written by `holdfast service install`; `holdfast service remove` takes it back.';

export interface UnitFacts {
  /** How this very program is started: absolute paths. */
  readonly command: readonly string[];
  /** Where our files are, if that is not where they usually are. */
  readonly environment: Readonly<Record<string, string>>;
}

/**
 * The unit. It ends when the runs are started: they are sessions of their own, and `KillMode=process` leaves them alone
 * whatever becomes of the unit. If it is killed in the middle it is started again, and goes on with what is left.
 */
export function unitText({ command, environment }: UnitFacts): string {
  const lines = [
    MARK,
    '[Unit]',
    'Description=Holdfast: runs that were working go on after a restart',
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
 * A unit that keeps a worker up. Stopped, it gets the time to suspend what it runs for the fleet and to give it back; runs of
 * this machine's own queue are left alone.
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

/** Whether a unit is one of ours, of this release or another. */
export function isOurs(text: string): boolean {
  return text.split('\n', 1)[0] === MARK;
}

/** A command line of systemd: behind the program itself `$` is a variable. */
function commandLine(command: readonly string[]): string {
  const [program = '', ...args] = UNSAFE.test(command[0] ?? '') ? ['/usr/bin/env', ...command] : command;
  return [quoted(program), ...args.map((word) => quoted(word).replaceAll('$', () => '$$'))].join(' ');
}

/** systemd refuses a program with such a name, however it is quoted; as an argument it is as good as any. */
const UNSAFE = /["'\\\p{Cc}]/u;

/** A word of any setting: `%` is a specifier wherever it stands. */
function quoted(word: string): string {
  return `"${word.replaceAll('%', '%%').replaceAll(/[\\"\p{Cc}]/gu, escapeOf)}"`;
}

/** What has a meaning in quotes, and what would break the line. */
function escapeOf(character: string): string {
  if (character === '\\' || character === '"') return `\\${character}`;
  return Buffer.from(character)
    .toString('hex')
    .replaceAll(/../g, (byte) => `\\x${byte}`);
}
