import { counted, type LogFields, visibleExcerpt } from '../foundation/index.js';

type Words = (fields: LogFields) => string;

const textIn = (fields: LogFields, key: string): string => String(fields[key] ?? 'unknown');

/** What the library reports, said to a person. What is not here is shown as it was reported. */
const WORDS: Readonly<Record<string, Words>> = {
  'program.orphans-ended': ({ count }) =>
    `Ended ${counted(Number(count), 'process', 'processes')} that the killed run had left behind.`,
  'program.orphan-not-ended': (fields) =>
    `A process that a killed run had left behind could not be ended: ${textIn(fields, 'error')}`,
  'program.survivors': (fields) => `Processes of the agent (${textIn(fields, 'pid')}) could not be ended.`,
  'program.left-behind': ({ processes }) =>
    `The agent may have left processes behind: ${processesInWords(processes as LeftProcesses)}`,
  'program.log-ended': (fields) =>
    `What the agent writes is no longer kept in ${textIn(fields, 'path')}: ${textIn(fields, 'error')}`,
  'turn.not-resumed': (fields) =>
    `The agent could not go on in its own conversation: ${textIn(fields, 'error')}`,
  'run.on-end-failed': ({ exitCode, signal }) =>
    `The --on-end command failed (${signal === null || signal === undefined ? `exit code ${String(exitCode)}` : String(signal)}).`,
  'run.start-not-known': (fields) =>
    `How this run was started is not known any more: ${textIn(fields, 'error')}`,
  'run.view-broken': (fields) => `The live view failed; plain lines from here on: ${textIn(fields, 'error')}`,
  'conversation.unreadable': (fields) =>
    `Conversation ${textIn(fields, 'sessionId')} could not be read: ${textIn(fields, 'error')}`,
  'process.unreadable': (fields) =>
    `Process session ${textIn(fields, 'sessionId')} could not be read: ${textIn(fields, 'error')}`,
  'question.unreadable': (fields) =>
    `Question ${textIn(fields, 'sessionId')} could not be read: ${textIn(fields, 'error')}`,
  'permission.not-withdrawn': (fields) =>
    `The question ${textIn(fields, 'sessionId')} could not be withdrawn: ${textIn(fields, 'error')}`,
};

type LeftProcesses = readonly { readonly pid: number; readonly name: string }[];
const MAX_TOLD = 10;

/** Processes by pid and name; the names are of their own choice. */
export function processesInWords(processes: LeftProcesses): string {
  const told = processes.slice(0, MAX_TOLD).map(({ pid, name }) => `${pid} ${visibleExcerpt(name, 20)}`);
  const more = processes.length - told.length;
  return `${told.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/** A reported event in words; undefined for one that has none. */
export function logWords(event: string, fields: LogFields): string | undefined {
  return WORDS[event]?.(fields);
}
