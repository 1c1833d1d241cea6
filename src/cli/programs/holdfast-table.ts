import { holdfastProgram, type WordGroup } from './holdfast-program.js';
import { LISTS } from './lists-table.js';
import { QUICK } from './quick-table.js';

const steering = () => import('../commands/run/steering.js');

/**
 * Every first word and the file that its commands are in, in the order of the help. Each file is a chunk of its own, loaded
 * when one of its commands runs. A new verb behind a word that is here needs no line: its file has it.
 */
export const GROUPS: WordGroup[] = [
  {
    title: 'Questions: an agent asks, a person answers',
    words: {
      ask: QUICK.ask,
      inbox: () => import('../commands/questions/inbox.js'),
      waiting: QUICK.waiting,
      answer: QUICK.answer,
      reject: QUICK.reject,
      questions: QUICK.questions,
      mcp: () => import('../commands/agents/mcp.js'),
      setup: () => import('../commands/agents/setup.js'),
    },
  },
  {
    title: 'Changes: one session at a time works through an OpenSpec change',
    words: { change: QUICK.change },
  },
  {
    title: 'Runs: an agent works through a plan, unattended',
    words: {
      run: () => import('../commands/run/run.js'),
      top: LISTS.top,
      attach: () => import('../commands/overview/attach.js'),
      logs: () => import('../commands/overview/logs.js'),
      status: LISTS.status,
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
    words: { sessions: LISTS.sessions },
  },
  {
    title: 'Everything else',
    words: {
      demo: () => import('../commands/run/demo.js'),
      unlock: () => import('../commands/sessions/unlock.js'),
      paths: QUICK.paths,
      config: () => import('../commands/settings/config.js'),
      completion: () => import('../commands/settings/completion.js'),
    },
  },
];

/** The command line for people. */
export const HOLDFAST = holdfastProgram(GROUPS);
