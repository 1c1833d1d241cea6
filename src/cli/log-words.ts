import { counted, type LogFields, visibleExcerpt } from '../foundation/index.js';

type Words = (fields: LogFields) => string;

const textIn = (fields: LogFields, key: string): string => [fields[key] ?? 'unknown'].flat().join(', ');

/** What happened, and why: most events need no more. */
const because =
  (text: string): Words =>
  (fields) =>
    `${text.replaceAll(/\{(\w+)\}/g, (_match, key: string) => textIn(fields, key))}: ${textIn(fields, 'error')}`;

const notCleaned = because('Session {sessionId} could not be cleaned');
const trashNotEmptied = because('The trash could not be emptied');

/** The library's log events, in words for a person. */
const WORDS: Readonly<Record<string, Words>> = {
  'acp.cancel-ignored': () => 'The agent did not stop its turn when it was told to, and was ended.',
  'acp.question-failed': because('A question of the agent could not be shown to you'),
  'agent.file-keys-ignored': (fields) =>
    `${textIn(fields, 'path')}: ${textIn(fields, 'keys')} ${sizeOf(fields.keys) === 1 ? 'is' : 'are'} not used here; permissions come from --permissions (docs/projects.md).`,
  'agent.stop-failed': because('The agent could not be stopped'),
  'agent.transcript-unreadable': because("The agent's own record of the conversation could not be read"),
  'catalog.kind-failed': because('Sessions of kind {kind} could not be listed'),
  'catalog.session-not-listed': because('Session {sessionId} could not be listed'),
  'change.ended-unreadable': because('A session that has ended could not be read ({path})'),
  'change.not-cleaned': notCleaned,
  'change.projection-not-removed': because('The published file of session {sessionId} could not be removed'),
  'change.projection-not-written': because(
    'The published file of session {sessionId} could not be written; the session itself is kept',
  ),
  'change.trash-not-emptied': trashNotEmptied,
  'config.aurora-file-ignored': because('{path} could not be used'),
  'config.aurora-value-ignored': (fields) =>
    `${textIn(fields, 'key')} in ${textIn(fields, 'path')} is not a number above 0, and is ignored.`,
  'config.project-keys-ignored': (fields) =>
    `${textIn(fields, 'path')}: ${textIn(fields, 'keys')} ${sizeOf(fields.keys) === 1 ? 'is' : 'are'} not for a project to decide; set it in config.json or in ~/.aurora/config.json (docs/projects.md).`,
  'fleet.lease-lost': (fields) =>
    `The run of entry ${textIn(fields, 'entry')} is no longer this machine's: ${fields.why === 'fenced' ? 'another one has it, or somebody gave it away' : 'its lease was not renewed in time'}.`,
  'fleet.lease-not-written': because('The state of the lease could not be recorded for its run'),
  'fleet.not-handed-over': because('A run could not be given back cleanly, and is ended'),
  'fleet.guard-gone': () => 'The guard of a run of the fleet was killed; the run continues under a new one',
  'fleet.question-not-adopted': because(
    'Question {question} of a run that came from another machine could not be brought along',
  ),
  'fleet.refs-not-removed': because('Old refs of runs could not be removed from a git server'),
  'fleet.row-not-taken': (fields) =>
    `The database refuses ${textIn(fields, 'session')}; other machines do not see it: ${textIn(fields, 'reason')}`,
  'fleet.run-left-behind': (fields) =>
    `Run ${textIn(fields, 'run')} continued on ${textIn(fields, 'machine')}; what only this machine has is kept: holdfast fleet left-behind`,
  'fleet.link-failed': because('This machine cannot be kept in step with its fleet'),
  'fleet.password-file-ignored': (fields) =>
    `${textIn(fields, 'path')} is ignored, because others can read it: chmod 600 ${textIn(fields, 'path')}`,
  'fleet.requests-ignored': (fields) =>
    `${textIn(fields, 'count')} of the requests from other machines have an unknown form, and are left alone.`,
  'conversation.lock-not-removed': because('The lock of conversation {sessionId} could not be removed'),
  'conversation.not-cleaned': because('Old conversations could not be cleaned'),
  'conversation.trash-not-emptied': because('The trash of conversations could not be emptied'),
  'conversation.unreadable': because('Conversation {sessionId} could not be read'),
  'line.not-swept': because('The search for processes that the agent left behind failed'),
  'lock.release-failed': because(
    'The lock {path} could not be released; it counts as free once this process has ended',
  ),
  'loop.damaged-file-set-aside': (fields) =>
    `${textIn(fields, 'file')} of the loop was damaged; it is kept as ${textIn(fields, 'keptAt')}`,
  'loop.files-forged': (fields) =>
    `Somebody else wrote to ${textIn(fields, 'files')} in ${textIn(fields, 'directory')} while this run owned it; what was written there does not count and is overwritten.`,
  'loop.redo-unknown': because(
    'It is not known whether the last commit of the loop in {directory} was complete',
  ),
  'loop.requests-damaged': (fields) =>
    `Requests to the loop could not be read (${textIn(fields, 'path')}, lines ${textIn(fields, 'lines')}).`,
  'mcp.error': because('A message of the MCP client could not be handled'),
  'permission.not-withdrawn': because('The question {sessionId} could not be withdrawn'),
  'process.not-cleaned': notCleaned,
  'process.not-measured': because('What the agent changed could not be measured'),
  'process.record-not-written': because('The record of process session {sessionId} could not be written'),
  'process.stop-failed': because('Process session {sessionId} could not be stopped'),
  'process.stop-not-read': because('A request to stop could not be read ({path})'),
  'process.trash-not-emptied': trashNotEmptied,
  'process.unreadable': because('Process session {sessionId} could not be read'),
  'program.log-ended': because('What the agent writes is no longer kept in {path}'),
  'program.orphan-not-ended': because('A process that a killed run had left behind could not be ended'),
  'program.orphans-ended': ({ count }) =>
    `Ended ${counted(Number(count), 'process', 'processes')} that the killed run had left behind.`,
  'program.signal-failed': because('Process {pid} could not be sent {signal}'),
  'program.survivors': (fields) => `Processes of the agent (${textIn(fields, 'pid')}) could not be ended.`,
  'question.asker-not-noted': because('Who is waiting for question {sessionId} could not be recorded'),
  'question.clean-failed': because('Old questions could not be cleaned'),
  'notice.channel-failed': because('Notices on channel {channel} could not be handled'),
  'notice.not-queued': because('A notice for channel {channel} could not be recorded'),
  'notice.pass-failed': because('Notices could not be handled'),
  'notice.subscription-unreadable': because('The push subscription of device {device} could not be read'),
  'notice.questions-not-read': because(
    'Waiting questions could not be read, so no notices are sent for them',
  ),
  'overview.project-unreadable': because('{path} is left out: it could not be read'),
  'project.damaged': (fields) =>
    `The record of a project was damaged; it is kept as ${textIn(fields, 'keptAt')}`,
  'project.not-remembered': because('{path} could not be remembered as a project'),
  'question.cleaned': ({ movedToTrash, removedFromTrash }) =>
    `Moved ${counted(sizeOf(movedToTrash), 'old question set')} to the trash and removed ${sizeOf(removedFromTrash)} from it permanently.`,
  'question.damaged-file-set-aside': (fields) =>
    `${textIn(fields, 'file')} of question ${textIn(fields, 'sessionId')} was damaged; it is kept as ${textIn(fields, 'keptAt')}`,
  'question.delivery-not-noted': because(
    'The delivery of question {sessionId} could not be recorded; it may be delivered again',
  ),
  'question.not-cleaned': because('Question {sessionId} could not be cleaned'),
  'question.staging-left': because('A directory that is no longer needed could not be removed ({path})'),
  'question.timeout-not-noted': because('The timeout of question {sessionId} could not be recorded'),
  'question.trash-not-emptied': because('The trash of questions could not be emptied'),
  'question.unreadable': because('Question {sessionId} could not be read'),
  'notice.fleet-not-read': because('What is waiting on other machines could not be read for notices'),
  'run.cut-off-not-told': because('It could not be recorded that the run is cut off from its fleet'),
  'run.result-not-stored': because(
    'The result of the run could not be pushed or stored; it is in its worktree',
  ),
  'run.journal-damaged': (fields) =>
    `Line ${textIn(fields, 'line')} of ${textIn(fields, 'path')} is damaged and left out: ${textIn(fields, 'reason')}`,
  'run.journal-mended': (fields) =>
    `The end of ${textIn(fields, 'path')} was torn by a crash and has been repaired; nothing that was shown is lost.`,
  'run.journal-text-lost': because('What the agent said could not be recorded ({path}); the run continues'),
  'run.listener-failed': because('A program that follows the run failed and gets no more events'),
  'run.left-files-not-counted': because(
    'The files that the killed iteration had changed could not be counted',
  ),
  'worker.entry-left': because('The entry {id} was left as it is, for the next worker'),
  'run.log-not-written': because('The log of the run could not be written ({path})'),
  'program.left-behind': ({ processes }) =>
    `The agent may have left processes behind: ${processesInWords(processes as LeftProcesses)}`,
  'account.window-not-kept': because(
    'When account {account} may be used again could not be recorded for other runs',
  ),
  'account.file-unreadable': because('{path} could not be read and is ignored'),
  'account.file-not-set-aside': because('{path} is damaged and could not be set aside'),
  'run.on-end-failed': ({ exitCode, signal }) =>
    `The --on-end command failed (${signal === null || signal === undefined ? `exit code ${String(exitCode)}` : String(signal)}).`,
  'run.on-end-not-started': because('The --on-end command could not be started'),
  'run.files-not-noted': because('The files that the run changed could not be recorded'),
  'run.end-not-recorded': because('How the run ended could not be recorded'),
  'watch.hint-failed': because('A change in {path} could not be followed up'),
  'run.question-not-read': because('Question {sessionId} could not be read'),
  'run.questions-not-read': because('The questions of the agent could not be read'),
  'run.start-not-known': because('It is no longer known how this run was started'),
  'run.start-not-measured': because('The state of the files at the start could not be measured'),
  'run.view-broken': because('The live view failed; plain lines from here on'),
  'setup.record-not-known': because('It is not known what an earlier setup wrote ({path})'),
  'turn.not-marked': because('The failure of a message in conversation {sessionId} could not be recorded'),
  'turn.not-resumed': because('The agent could not continue its own conversation'),
  'watch.polling': (fields) =>
    `${textIn(fields, 'path')} cannot be watched here (${textIn(fields, 'reason')}); it is checked every ${textIn(fields, 'everyMs')} ms.`,
  'web.audit-failed': because('An action on the page could not be written to its audit'),
  'worktree.record-unreadable': because('The record {path} of a worktree could not be read'),
  'web.device-unreadable': because('The record of device {device} could not be read, so it cannot sign in'),
  'web.failed': because('A request from the page failed'),
  'web.journal-not-read': because('The journal of a run could not be read for the page'),
  'web.not-read': because('What the page shows could not be read'),
  'web.refusal-not-told': because('An attempt to sign in could not be recorded'),
  'web.seen-not-noted': because('The visit of device {device} could not be recorded'),
  'web.server-unreadable': because('The record of a server of the page could not be read ({path})'),
};

function sizeOf(value: unknown): number {
  return Array.isArray(value) ? value.length : Number(value);
}

/** A log event in words; one without words of its own is at least made readable. */
export function logWords(event: string, fields: LogFields): string {
  const words = WORDS[event];
  if (words !== undefined) return words(fields);
  const facts = Object.entries(fields).map(([key, value]) => `${key} ${factOf(value)}`);
  return [event.replaceAll(/[.-]/g, ' '), ...(facts.length === 0 ? [] : [facts.join(', ')])].join(': ');
}

/** Whether an event has words of its own. */
export function hasWords(event: string): boolean {
  return Object.hasOwn(WORDS, event);
}

function factOf(value: unknown): string {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value);
}

type LeftProcesses = readonly { readonly pid: number; readonly name: string }[];
const MAX_TOLD = 10;

/** Processes by pid and name; the processes choose their names themselves. */
export function processesInWords(processes: LeftProcesses): string {
  const told = processes.slice(0, MAX_TOLD).map(({ pid, name }) => `${pid} ${visibleExcerpt(name, 20)}`);
  const more = processes.length - told.length;
  return `${told.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
