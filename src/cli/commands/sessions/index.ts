import type { Services } from '../../../app/base.js';
import { listEverywhere, openCatalog } from '../../../app/sessions/open-catalog.js';
import {
  type CatalogParts,
  cleanSessions,
  describeGone,
  listSessions,
  recoverSession,
  type SessionRef,
  showSession,
  verifySessions,
} from '../../../catalog/index.js';
import { visibleLine } from '../../../foundation/index.js';
import { UsageError } from '../../command.js';
import { commandOf } from '../../command-of.js';
import { ExitCode } from '../../exit-codes.js';
import { renderFault, renderSession, renderSessions } from '../../render/sessions.js';
import { moreWords } from '../../render/table.js';
import { deleteCommand } from './delete.js';
import { exportCommand } from './export.js';
import { KIND_OPTION } from './session-kinds.js';
import { trashCommand } from './trash.js';

// One chunk for all of them: they share nearly everything, and each file loaded slows the start.

const parts = (services: Services): CatalogParts => ({
  catalog: openCatalog(services),
  listEverywhere: (filter) => listEverywhere(services, filter),
});

const list = commandOf(listSessions, {
  usage: 'sessions list',
  details:
    'The most recently active first. Questions, conversations and processes of this user; the loop and the change sessions of this\n' +
    'project, or with --all-projects of every project where you started any. Without --all or --status: those that are\n' +
    'not over. What is damaged is marked and always listed.',
  options: {
    ...KIND_OPTION,
    status: { type: 'string', value: '<status>', about: 'only those with this status, over or not' },
    agent: { type: 'string', value: '<name>', about: 'only those with this agent' },
    limit: { type: 'number', value: '<count>', about: 'only this many' },
    all: { type: 'boolean', about: 'also those that are over or belong to runs' },
    allProjects: { type: 'boolean', about: 'the loops and changes of your other projects, too' },
  },
  examples: ['holdfast sessions', 'holdfast sessions list --kind conversation --status interrupted --json'],
  parts,
  input: ({ values: { all, allProjects, ...filter } }) => ({
    ...filter,
    isAll: all,
    isEverywhere: allProjects,
  }),
  render: ({ sessions, total }, { services, terminal }) =>
    total === 0 ? 'No sessions found.' : renderSessions(sessions, services.clock.now(), terminal.style),
  json: ({ sessions }) => sessions,
  notes({ sessions, total, gone }, { terminal }) {
    for (const project of gone) terminal.note(describeGone(project));
    if (sessions.length < total) terminal.note(moreWords(total - sessions.length));
  },
  hasNotesForAll: true,
});

const show = commandOf(showSession, {
  usage: 'sessions show <session>',
  details:
    'For a conversation the last 10 turns, with --json all of them. Every record is checked, and damage is reported.\n' +
    '`last` is the session that was active last.',
  options: {
    turns: {
      type: 'number',
      value: '<count>',
      about: 'for a conversation: only this many turns, the last ones',
    },
    ...KIND_OPTION,
  },
  examples: [
    'holdfast sessions show 3f2a',
    'holdfast sessions show last --kind conversation',
    'holdfast sessions show session-2026 --json --turns 20',
  ],
  parts,
  input({ positionals: [session = ''], values: { kind, turns }, isJson }) {
    if (turns !== undefined && !Number.isSafeInteger(turns))
      throw new UsageError('--turns is a whole number');
    return { session, kind, turns: turns ?? (isJson ? ('all' as const) : undefined) };
  },
  render: ({ shown }, { services, terminal }) => renderSession(shown, services.clock.now(), terminal.style),
  json: ({ summary, shown }) => ({ ...summary, detail: shown.detail }),
});

const verify = commandOf(verifySessions, {
  usage: 'sessions verify [session]',
  details:
    'Exit code 8 when something does not verify, with line and offset where there is one. Nothing is changed.',
  options: KIND_OPTION,
  examples: ['holdfast sessions verify', 'holdfast sessions verify session-2026 --json'],
  parts,
  input: ({ positionals: [session], values: { kind } }) => ({ session, kind }),
  render({ sessions }) {
    const faults = sessions.flatMap((session) =>
      session.faults.map((fault) => `${name(session)}: ${renderFault(fault)}`),
    );
    const damaged = sessions.filter((session) => session.faults.length > 0).length;
    return [...faults, `${sessions.length} checked, ${damaged} with faults`].join('\n');
  },
  notes({ sessions }, { terminal }) {
    const first = sessions.find(({ faults }) => faults.length > 0);
    if (first !== undefined) terminal.note(`Repair with: holdfast sessions recover ${visibleLine(first.id)}`);
  },
  exitCode({ sessions, failed }) {
    if (sessions.some(({ faults }) => faults.length > 0)) return ExitCode.damaged;
    return failed.length > 0 ? ExitCode.failed : ExitCode.done;
  },
});

const recover = commandOf(recoverSession, {
  usage: 'sessions recover <session>',
  details:
    'Everything that is intact is kept, what is damaged is set aside under another name, nothing is deleted. Exit code\n' +
    '8 when something is still damaged afterwards.',
  options: KIND_OPTION,
  examples: ['holdfast sessions recover session-2026', 'holdfast sessions recover 3f2a --json'],
  parts,
  input: ({ positionals: [session = ''], values: { kind } }) => ({ session, kind }),
  render(recovery, { terminal }) {
    for (const fault of recovery.found) terminal.note(`found: ${renderFault(fault)}`);
    return `${name(recovery)}: ${visibleLine(recovery.told)}`;
  },
  notes({ keptAt, left }, { terminal }) {
    if (keptAt !== null) terminal.note(`The damaged file is kept as ${visibleLine(keptAt)}`);
    for (const fault of left) terminal.complain(`still damaged: ${renderFault(fault)}`);
  },
  exitCode: ({ left }) => (left.length > 0 ? ExitCode.damaged : ExitCode.done),
});

const clean = commandOf(cleanSessions, {
  usage: 'sessions clean',
  details:
    'Never what somebody has open, a question that is waiting, a change that is held or whose learnings are not in design.md\n' +
    'yet, nor a loop. What has been in the trash for 7 days is removed permanently. Without --older-than: questions after\n' +
    'question.retentionDays (7), conversations after conversation.expiryDays (30), the rest after 30 days.',
  options: {
    olderThan: { type: 'number', value: '<days>', about: 'without activity for this many days' },
    ...KIND_OPTION,
    dryRun: { type: 'boolean', about: 'only say what would be moved' },
  },
  examples: [
    'holdfast sessions clean --dry-run',
    'holdfast sessions clean --older-than 90 --kind conversation',
  ],
  parts,
  input: ({ values: { kind, olderThan, dryRun } }) => ({ kind, olderThanDays: olderThan, isDryRun: dryRun }),
  render({ retired, purged }, { values }) {
    const verb = values.dryRun ? 'would be moved' : 'moved';
    const sum = `${retired.length} ${verb} to the trash, ${purged.length} removed from it permanently`;
    return [...retired.map(name), sum].join('\n');
  },
  notes({ skipped }, { terminal }) {
    for (const { reason, ...session } of skipped)
      terminal.complain(`left alone: ${name(session)}: ${visibleLine(reason)}`);
  },
  exitCode: ({ failed }) => (failed.length > 0 ? ExitCode.failed : ExitCode.done),
});

function name({ kind, id }: SessionRef): string {
  return `${kind} ${visibleLine(id)}`;
}

export const commands = [list, show, verify, recover, exportCommand, deleteCommand, clean, trashCommand];
