import { holdfastProgram, type WordGroup } from './holdfast-program.js';
import { change, hook, lists, quick, runs } from './quick-table.js';
import { inbox } from './screen-table.js';
import { server, web, work } from './work-table.js';

/**
 * Every first word with the file of its commands, in the order of the help. Each file is a chunk of its own, loaded when one
 * of its commands runs. A new verb of a word that is here needs no line: it is in the file.
 */
export const GROUPS: WordGroup[] = [
  {
    title: 'Questions: an agent asks, a person answers',
    words: {
      ask: quick.holdfast.ask,
      inbox: inbox.holdfast.inbox,
      waiting: quick.holdfast.waiting,
      answer: quick.holdfast.answer,
      reject: quick.holdfast.reject,
      questions: quick.holdfast.questions,
      mcp: server.holdfast.mcp,
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
      run: work.holdfast.run,
      top: runs.holdfast.top,
      attach: work.holdfast.attach,
      logs: work.holdfast.logs,
      status: runs.holdfast.status,
      pause: work.holdfast.pause,
      resume: work.holdfast.resume,
      stop: work.holdfast.stop,
      guide: work.holdfast.guide,
      report: work.holdfast.report,
    },
  },
  {
    title: 'The queue: plans that run themselves, one after the other or side by side',
    words: {
      queue: () => import('../commands/queue/index.js'),
      worker: () => import('../commands/queue/worker.js'),
    },
  },
  {
    title: 'The fleet: several machines, one inbox',
    words: { fleet: () => import('../commands/fleet/index.js') },
  },
  {
    title: 'Agents',
    words: {
      agents: () => import('../commands/agents/index.js'),
      exec: work.holdfast.exec,
      chat: work.holdfast.chat,
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
      web: web.holdfast.web,
      demo: () => import('../commands/run/demo.js'),
      service: () => import('../commands/service/index.js'),
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
