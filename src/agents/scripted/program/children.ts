/** Loads `node:child_process` only when a process is started: most turns start none, and the agent should start quickly. */
export function children(): typeof import('node:child_process') {
  return process.getBuiltinModule('node:child_process');
}
