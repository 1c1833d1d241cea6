import type { Services } from '../../../app/base.js';
import {
  examineFleet,
  type FleetParts,
  initFleet,
  inviteToFleet,
  joinFleet,
  leaveFleet,
  migrateFleet,
  noteRestored,
  removeMachine,
  showFleet,
  takeBackRequest,
} from '../../../fleet/operations.js';
import { formatAge, visibleJson, visibleLine } from '../../../foundation/index.js';
import { type CommandContext, defineCommand, UsageError } from '../../command.js';
import { commandOf, perform } from '../../command-of.js';
import { ExitCode } from '../../exit-codes.js';
import { renderFindings, renderFleet, SHARED } from '../../render/fleet.js';
import { confirm } from '../sessions/session-kinds.js';
import { moveCommands } from './move.js';

const load = () => import('../../../app/fleet/open-fleet.js');
const parts = (services: Services): FleetParts => ({ fleet: async () => (await load()).openFleet(services) });

const name = {
  type: 'string',
  value: '<name>',
  about: 'what this machine is called; its host name',
} as const;
const ADDRESS =
  'The address is postgres://you@host/database, several hosts with commas. A password is never typed here, where every\n' +
  'user of the machine could read it: pipe the address in (`-`), set HOLDFAST_FLEET_URL, or use ~/.pgpass.';

const init = defineCommand({
  operation: initFleet,
  usage: 'fleet init [url]',
  details: `${ADDRESS}\nRunning it again changes only what is out of date.`,
  options: { name },
  examples: ['holdfast fleet init postgres://ann@db.lan/holdfast', 'holdfast fleet init - < address-file'],
  async run(context, { positionals: [typed], values }) {
    const address = await addressOf(context, typed);
    const report = await perform(context, initFleet, parts(context.services), { address, name: values.name });
    const made = report.steps.length === 0 ? 'The schema was there already.' : 'Made the schema.';
    return told(context, report, [
      made,
      `This machine is ${visibleLine(report.machine)}; the address is kept in ${visibleLine(report.keptIn)}`,
      ...SHARED,
      'Next: `holdfast fleet invite <name>` makes a login for another machine or person.',
    ]);
  },
});

const join = defineCommand({
  operation: joinFleet,
  usage: 'fleet join [url]',
  details: `${ADDRESS}\nJoining again is harmless; --name renames the machine.`,
  options: {
    name,
    asNew: { type: 'boolean', about: 'as a machine of its own, if this home was copied from another' },
  },
  examples: [
    'holdfast fleet join postgres://ann@db.lan/holdfast --name workstation',
    'holdfast fleet join - < address-file',
  ],
  async run(context, { positionals: [typed], values }) {
    const address = await addressOf(context, typed);
    const report = await perform(context, joinFleet, parts(context.services), {
      address,
      name: values.name,
      isNew: values.asNew,
    });
    return told(context, report, [
      `Joined as ${visibleLine(report.machine)}; the address is kept in ${visibleLine(report.keptIn)}`,
      ...SHARED,
      '`holdfast inbox` now has the questions of every machine; `holdfast worker --slots 0` keeps this one in step.',
    ]);
  },
});

const invite = commandOf(inviteToFleet, {
  usage: 'fleet invite <name>',
  details:
    'A person may answer and steer, a worker shares what is its own, a viewer looks. Without the right to make logins it\n' +
    'prints the SQL for whoever has it. The password is shown once; the SQL holds no password.',
  options: {
    role: {
      type: 'string',
      value: '<role>',
      choices: ['person', 'worker', 'viewer'],
      about: 'person (default), worker or viewer',
    },
  },
  examples: ['holdfast fleet invite bob', 'holdfast fleet invite ci --role worker'],
  parts,
  input: ({ positionals: [who = ''], values: { role } }) => ({ name: who, role }),
  render: ({ name: who, role, url, password, sql }) =>
    [
      ...(sql === null
        ? [`Made ${who}, a ${role}.`]
        : ['Have somebody who may make roles run this:', `  ${sql}`]),
      'On the other machine, with this as the only line of a file of mode 600:',
      `  ${url.replace('@', `:${password}@`)}`,
      'run: holdfast fleet join - < that-file',
    ].join('\n'),
});

const status = defineCommand({
  operation: showFleet,
  usage: 'fleet status',
  details:
    'COST is what the runs that are open, or ended today, have cost so far. --watch shows it again whenever something\n' +
    'changes, until Ctrl+C. Exit codes: 0, or 1 if the database cannot be reached.',
  options: { watch: { type: 'boolean', about: 'show it again whenever something changes' } },
  examples: ['holdfast fleet status', 'holdfast fleet status --watch', 'holdfast fleet status --json'],
  async run(context, { values }) {
    const { services, terminal, isJson } = context;
    if (values.watch) return watchFleet(context);
    const report = await perform(context, showFleet, parts(services), {});
    terminal.write(isJson ? visibleJson(report) : renderFleet(report, services.clock.now(), terminal.style));
    if (!isJson && report.trouble !== undefined) terminal.complain(visibleLine(report.trouble));
    return report.trouble === undefined ? ExitCode.done : ExitCode.failed;
  },
});

/** Redraws in place on a screen; with --json, or into a pipe, prints each change below the last. */
async function watchFleet({ services, terminal, signal, isJson }: CommandContext): Promise<ExitCode> {
  const desk = (await load()).openFleet(services);
  const isScreen = terminal.isInteractive && !isJson;
  let shown = '';
  for await (const report of desk.watch(signal)) {
    const { trouble } = report;
    const text = isJson
      ? visibleJson(report)
      : [
          renderFleet(report, services.clock.now(), terminal.style),
          ...(trouble === undefined ? [] : [visibleLine(trouble)]),
        ].join('\n');
    if (text !== shown) terminal.print(isScreen ? `\u001b[H\u001b[2J${text}\n` : `${text}\n`);
    shown = text;
  }
  return ExitCode.interrupted;
}

const doctor = commandOf(examineFleet, {
  usage: 'fleet doctor',
  details:
    'Connection, TLS, schema, role, standby, calls, clock, machine and link.\nExit codes: 0 nothing is broken (there may be warnings), 1 something is.',
  options: {},
  examples: ['holdfast fleet doctor', 'holdfast fleet doctor --json'],
  parts,
  input: () => ({}),
  render: (findings, { terminal }) => renderFindings(findings, terminal.style),
  exitCode: (findings) => (findings.some(({ is }) => is === 'bad') ? ExitCode.failed : ExitCode.done),
});

const takeBack = commandOf(takeBackRequest, {
  usage: 'fleet take-back <request>',
  details:
    'Give the id of the request, of the question or of the run. What its machine has taken already cannot be taken back (exit 1).',
  options: {},
  examples: ['holdfast fleet take-back 3f2a'],
  parts,
  input: ({ positionals: [request = ''] }) => ({ request }),
  render: ({ isBack, machine, session, kind }) =>
    isBack
      ? `Taken back; ${session.slice(0, 8)} ${STANDS[kind] ?? 'stays as it is'} on ${visibleLine(machine)}`
      : `Too late: ${visibleLine(machine)} has it already`,
  exitCode: ({ isBack }) => (isBack ? ExitCode.done : ExitCode.failed),
});

/** The state of a session after a request to it was taken back. */
const STANDS: Readonly<Record<string, string>> = { answer: 'is waiting again', reject: 'is waiting again' };

const leave = commandOf(leaveFleet, {
  usage: 'fleet leave',
  details:
    'What others sent here and was not applied is refused, and they are told. The address is forgotten. While this machine\n' +
    'holds runs of the fleet it is refused; --hand-over gives them back first, each at the end of its iteration.',
  options: {
    handOver: { type: 'boolean', about: 'give back the runs of the fleet that are here, and wait for that' },
  },
  examples: ['holdfast fleet leave', 'holdfast fleet leave --hand-over'],
  parts,
  input: ({ values: { handOver } }) => ({ isHandedOver: handOver }),
  render: ({ machine }) => `${visibleLine(machine)} left the fleet; everything here stays as it is`,
});

/** A machine that gave a sign within this time may be working. */
const LIVELY_SECONDS = 300;

const remove = defineCommand({
  operation: removeMachine,
  usage: 'fleet remove-machine <name>',
  details:
    'What was on its way to it is refused. If it comes back it is told to join again, and nothing on it is lost. If it gave a sign\n' +
    'within the last 5 minutes, you are asked first.',
  options: { yes: { type: 'boolean', about: 'do not ask' } },
  examples: ['holdfast fleet remove-machine old-laptop', 'holdfast fleet remove-machine old-laptop --yes'],
  async run(context, { positionals: [who = ''], values }) {
    const { terminal, services } = context;
    const own = parts(services);
    const quietSeconds = await (await own.fleet()).quietSecondsOf(who);
    const isLively = quietSeconds !== undefined && quietSeconds <= LIVELY_SECONDS;
    const question = `${visibleLine(who)} gave a sign ${formatAge((quietSeconds ?? 0) * 1_000)} ago. Remove it anyway?`;
    if (isLively && !(await confirm(context, question, values.yes))) {
      terminal.write('Nothing was removed.');
      return ExitCode.failed;
    }
    const report = await perform(context, removeMachine, own, { name: who });
    return told(context, report, [`Removed ${visibleLine(report.machine)} from the fleet`]);
  },
});

const migrate = commandOf(migrateFleet, {
  usage: 'fleet migrate',
  details: 'Each step is one transaction. Machines with the previous release keep working.',
  options: {},
  examples: ['holdfast fleet migrate'],
  parts,
  input: () => ({}),
  render: ({ steps }) =>
    steps.length === 0
      ? 'The schema is up to date.'
      : `Applied ${steps.map((step) => `step ${step}`).join(', ')}`,
});

const restored = commandOf(noteRestored, {
  usage: 'fleet restored',
  details:
    'Machines resend by themselves what the backup does not have; this marks the database as another one.',
  options: {},
  examples: ['holdfast fleet restored'],
  parts,
  input: () => ({}),
  render: () => 'Noted. Every machine sends what is missing within half a minute.',
});

export const commands = [
  init,
  join,
  invite,
  status,
  doctor,
  takeBack,
  ...moveCommands,
  leave,
  remove,
  migrate,
  restored,
];

/** Reads the address from the argument, a pipe or the environment. Throws USAGE, FLEET_ADDRESS_INVALID. */
async function addressOf({ services, terminal, signal }: CommandContext, typed: string | undefined) {
  const { readAddress } = await load();
  if (typed === '-') return readAddress(services, (await terminal.readStandardInput(signal)).trim());
  const address = readAddress(services, typed);
  if (typed !== undefined && address.password !== undefined)
    throw new UsageError('A password on the command line can be read by everybody on this machine', {
      hint: 'Change it, then pipe the address in (`-` instead of it, `< file` behind), or set HOLDFAST_FLEET_URL.',
    });
  return address;
}

function told({ terminal, isJson }: CommandContext, report: unknown, lines: readonly string[]): ExitCode {
  terminal.write(isJson ? visibleJson(report) : lines.join('\n'));
  return ExitCode.done;
}
