import { NoticeNotSentError } from '../errors.js';
import type { Channel } from './channel.js';
import { findForNotice, type NoticePrograms, runForNotice } from './programs.js';

/** The desktop's own notifications: `notify-send`, or `osascript` on macOS, by argument vector. */
export function desktopChannel(tools: NoticePrograms, platform: NodeJS.Platform): Channel {
  return platform === 'darwin' ? macChannel(tools) : linuxChannel(tools);
}

const CLOSE = [
  'call',
  '--session',
  '--dest=org.freedesktop.Notifications',
  '--object-path=/org/freedesktop/Notifications',
  '--method=org.freedesktop.Notifications.CloseNotification',
];

function linuxChannel(tools: NoticePrograms): Channel {
  return {
    unfit: () =>
      findForNotice(tools, 'notify-send') === undefined ? 'notify-send is not installed here' : undefined,
    async send({ title, body, isUrgent }) {
      const urgency = isUrgent ? 'critical' : 'normal';
      const args = [
        '--app-name=Holdfast',
        `--urgency=${urgency}`,
        '--print-id',
        '--',
        title,
        withoutMarkup(body),
      ];
      const printed = await runForNotice(tools, ['notify-send', ...args]);
      return /^\d{1,10}$/.test(printed.trim()) ? printed.trim() : null;
    },
    async takeBack({ message }) {
      if (message === null)
        throw new NoticeNotSentError('program', 'notify-send did not return the id of the notification');
      if (findForNotice(tools, 'gdbus') === undefined)
        throw new NoticeNotSentError('program', 'gdbus, which could close it, is not installed here');
      await runForNotice(tools, ['gdbus', ...CLOSE, message]);
    },
  };
}

/** The body of a notification may contain markup; ours is plain text. */
function withoutMarkup(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** The texts are passed as arguments: no word of them is ever part of the script. */
const SCRIPT = [
  'on run argv',
  'display notification (item 2 of argv) with title (item 1 of argv)',
  'end run',
];

function macChannel(tools: NoticePrograms): Channel {
  return {
    unfit: () =>
      findForNotice(tools, 'osascript') === undefined ? 'osascript is not installed here' : undefined,
    async send({ title, body }) {
      const script = SCRIPT.flatMap((line) => ['-e', line]);
      await runForNotice(tools, ['osascript', ...script, noOption(title), noOption(body)]);
      return null;
    },
  };
}

function noOption(text: string): string {
  return text.startsWith('-') ? ` ${text}` : text;
}
