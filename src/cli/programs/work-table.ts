import type { QuickFile } from './quick-table.js';

/*
 * The commands that go on for long. Their files are loaded with cached code as those of `quick-table.ts` are, and made like them; they
 * stand apart because the packages that they use are in them, so that the build of the others need not look at them.
 */

const steering = () => import('../commands/run/steering.js');

/** Agents at work: what starts one, and what is said to it meanwhile. */
export const work = {
  isLongLived: true,
  holdfast: {
    run: () => import('../commands/run/run.js'),
    pause: steering,
    resume: () => import('../commands/run/resume.js'),
    stop: steering,
    guide: steering,
    attach: () => import('../commands/overview/attach.js'),
    logs: () => import('../commands/overview/logs.js'),
    report: () => import('../commands/run/report.js'),
    exec: () => import('../commands/agents/exec.js'),
    chat: () => import('../commands/agents/chat.js'),
  },
} as const satisfies QuickFile;

/** The page. */
export const web = {
  isLongLived: true,
  holdfast: { web: () => import('../commands/web/index.js') },
} as const satisfies QuickFile;

/** The MCP server, of which each agent starts one. */
export const server = {
  isLongLived: true,
  holdfast: { mcp: () => import('../commands/agents/mcp.js') },
} as const satisfies QuickFile;
