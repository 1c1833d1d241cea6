import type { Services } from '../../../app/base.js';
import { openNoticeDesk } from '../../../app/notices/open-notices.js';
import { visibleLine } from '../../../foundation/index.js';
import {
  listNotices,
  type NoticeReport,
  type NoticeTestReport,
  testNotices,
} from '../../../notices/index.js';
import { commandOf } from '../../command-of.js';
import { ExitCode } from '../../exit-codes.js';
import { renderTable } from '../../render/table.js';

const parts = (services: Services) => {
  const screen =
    process.stdout.isTTY === true ? { write: (text: string) => void process.stdout.write(text) } : undefined;
  return { notices: openNoticeDesk(services, { screen }) };
};

const test = commandOf(testNotices, {
  usage: 'notify test [channel]',
  details:
    'Without a channel every one of `notices.channels` is tried. If the channel can do it, the message is taken back at once.\n' +
    'What failed is named: record (our own files), secret, connection, reply, program or terminal. Exit code 1 if any did.',
  options: {},
  examples: ['holdfast notify test', 'holdfast notify test phone --json'],
  parts,
  input: ({ positionals: [channel] }) => (channel === undefined ? {} : { channel }),
  render: (reports) => reports.map(describeTest).join('\n'),
  json: (reports) => ({ success: reports.every(({ isSent }) => isSent), channels: reports }),
  exitCode: (reports) => (reports.every(({ isSent }) => isSent) ? ExitCode.done : ExitCode.failed),
});

function describeTest({ channel, type, isSent, leg, isTakenBack, reason }: NoticeTestReport): string {
  const name = `${channel} (${type})`;
  const why = reason === null ? '' : `: ${visibleLine(reason)}`;
  if (!isSent) return `${name}  failed at: ${leg}${why}`;
  return `${name}  sent${isTakenBack ? ', and taken back' : `; not taken back${why}`}`;
}

const MAX_SHOWN = 50;

const list = commandOf(listNotices, {
  usage: 'notify list',
  details:
    'The last 50 (--json: all that are kept). queued: not sent yet; sent; seen: the card was on a focused screen; answered: it is no\n' +
    'longer waiting; failed. Channels are `notices.channels.<name>` in your config.json.',
  options: {},
  examples: ['holdfast notify list', 'holdfast notify list --json'],
  parts,
  input: () => ({}),
  render({ notices }, { services }) {
    if (notices.length === 0)
      return Object.keys(services.config.get('notices.channels')).length === 0
        ? 'No channel is configured; see docs/notices.md.'
        : 'No notices yet.';
    const rows = notices
      .slice(-MAX_SHOWN)
      .map((notice) => [
        notice.at.slice(0, 19).replace('T', ' '),
        notice.channel,
        notice.state,
        notice.title,
        visibleLine(notice.shortId),
        noteOn(notice),
      ]);
    return renderTable(['WHEN (UTC)', 'CHANNEL', 'STATE', 'WHAT', 'ID', 'NOTE'], rows);
  },
  notes({ damaged }, { terminal }) {
    for (const { path, reason } of damaged) terminal.complain(visibleLine(`${path}: ${reason}`));
  },
});

function noteOn({ state, dueAt, isTakenBack, reason, tries }: NoticeReport): string {
  const words = [
    isTakenBack === true ? 'taken back' : '',
    reason ?? '',
    state === 'queued' && dueAt !== null ? `due ${dueAt.slice(11, 19)}` : '',
    tries > 1 ? `${tries} tries` : '',
  ];
  return visibleLine(words.filter((word) => word !== '').join('; '));
}

export const commands = [test, list];
