export type { Channel } from './channels/channel.js';
export { type ChannelTools, openChannel } from './channels/index.js';
export type { Screen } from './channels/terminal.js';
export { noticeDesk } from './desk.js';
export { NoticeDuty, type OpenedChannel } from './duty.js';
export { ChannelNotFoundError, type Leg, NoticeNotSentError } from './errors.js';
export { eventOfQuestion, type NoticeEvent } from './events.js';
export { Notices } from './notices.js';
export {
  listNotices,
  type NoticeDesk,
  type NoticeReport,
  type NoticeTestReport,
  noticeOperations,
  testNotices,
} from './operations.js';
export { NoticeRecord } from './schema.js';
export {
  CHANNEL_NAME,
  type ChannelSettings,
  NOTICE_KINDS,
  type NoticeKind,
  type NoticeSettings,
  parseQuietHours,
  type QuietHours,
} from './settings.js';
export { QuestionStandings, type QuestionsElsewhere } from './standings.js';
export { NoticeStore } from './store.js';
export { AT_TERMINAL } from './words.js';
