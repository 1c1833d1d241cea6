export { openChannel } from './channels/index.js';
export type { Screen } from './channels/terminal.js';
export { NoticeDuty, type OpenedChannel } from './duty.js';
export { ChannelNotFoundError, NoticeNotSentError } from './errors.js';
export type { NoticeEvent } from './events.js';
export { noticeDesk } from './notice-desk.js';
export { Notices } from './notices.js';
export {
  listNotices,
  type NoticeDesk,
  type NoticeReport,
  type NoticeTestReport,
  testNotices,
} from './operations.js';
export { parseQuietHours } from './settings.js';
export { QuestionStandings, type QuestionsElsewhere } from './standings.js';
export { NoticeStore } from './store.js';
export { AT_TERMINAL } from './words.js';
