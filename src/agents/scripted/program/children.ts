/** What starts processes, loaded when one is started: most turns start none, and starting us should be quick. */
export function children(): typeof import('node:child_process') {
  return process.getBuiltinModule('node:child_process');
}
