import type { QuickFile } from './quick-table.js';

/*
 * The commands that run for long. Their files are built like those of `quick-table.ts` and also loaded with cached code. They are
 * kept apart because they include the packages they use, which the build of the others need not examine.
 */

const steering = () => import('../commands/run/steering.js');

/** Agents at work: commands that start one, and commands that steer it meanwhile. */
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

/** The MCP server; each agent starts its own. */
export const server = {
  isLongLived: true,
  holdfast: { mcp: () => import('../commands/agents/mcp.js') },
} as const satisfies QuickFile;
