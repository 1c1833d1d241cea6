import { holdfastProgram, type WordGroup } from './holdfast-program.js';
import { change, hook, lists, quick } from './quick-table.js';

const steering = () => import('../commands/run/steering.js');

/**
 * Every first word and the file that its commands are in, in the order of the help. Each file is a chunk of its own, loaded
 * when one of its commands runs. A new verb behind a word that is here needs no line: its file has it.
 */
export const GROUPS: WordGroup[] = [
  {
    title: 'Questions: an agent asks, a person answers',
    words: {
      ask: quick.holdfast.ask,
      inbox: () => import('../commands/questions/inbox.js'),
      answer: quick.holdfast.answer,
      reject: quick.holdfast.reject,
      questions: quick.holdfast.questions,
      mcp: () => import('../commands/agents/mcp.js'),
      hook: hook.holdfast.hook,
      setup: () => import('../commands/agents/setup.js'),
    },
  },
  {
    title: 'Changes: one session at a time works through an OpenSpec change',
    words: change.holdfast,
  },
  {
    title: 'Runs: an agent works through a plan, unattended',
    words: {
      run: () => import('../commands/run/run.js'),
      status: lists.holdfast.status,
      pause: steering,
      resume: () => import('../commands/run/resume.js'),
      stop: steering,
      guide: steering,
      report: () => import('../commands/run/report.js'),
    },
  },
  {
    title: 'Agents',
    words: {
      agents: () => import('../commands/agents/index.js'),
      exec: () => import('../commands/agents/exec.js'),
      chat: () => import('../commands/agents/chat.js'),
      processes: () => import('../commands/processes/index.js'),
    },
  },
  {
    title: 'Sessions of every kind',
    words: { sessions: lists.holdfast.sessions },
  },
  {
    title: 'Everything else',
    words: {
      demo: () => import('../commands/run/demo.js'),
      notify: () => import('../commands/notify/index.js'),
      unlock: () => import('../commands/sessions/unlock.js'),
      paths: lists.holdfast.paths,
      config: () => import('../commands/settings/config.js'),
      completion: () => import('../commands/settings/completion.js'),
    },
  },
];

/** The command line for people. */
export const HOLDFAST = holdfastProgram(GROUPS);
