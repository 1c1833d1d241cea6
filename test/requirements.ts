/**
 * What the product must do, by id; a test that proves a clause cites the row: `verifies('Q02', …)`. Rows are added
 * with the part of the product that they describe.
 */
export const REQUIREMENTS = {
  Q01: 'create: UUID v4, directory 0700, request.json and status.json 0600, visible only when complete',
  Q02: 'no questions: "At least one question is required to create a session"',
  Q03: 'every other bad set is refused with the reason and the place',
  Q04: 'states pending, completed, rejected, timed_out, abandoned as a table; illegal moves are typed errors',
  Q05: 'answer: the session exists, the answer is valid, then answers.json, then completed; a bad one changes nothing',
  Q06: 'first answer wins; the same again is the same reply; a different one is refused',
  Q07: 'reject with a reason, recorded, or without one (null)',
  Q08: 'wait: answers, rejection, timeout, expectedCallId, abandonment, deletion, AbortSignal',
  Q09: 'timeout: 0 is none; on expiry timed_out, for waiting and non-waiting sessions alike',
  Q10: 'writes are atomic; on failure temporary files are gone and AtomicWriteError says path, step and cause',
  Q11: 'lock by process id with stale detection',
  Q12: 'reads retry 3 times with exponential backoff; a missing file is not found, at once',
  Q13: 'cleanup by retention; one bad session is warned about and the rest still cleaned',
  Q14: 'formatting as specified, validated, with no way to forge a line',
  Q15: 'validate: directory, files, ids match, counts match; every fault named',
  Q16: 'an id that is not a UUID v4 is refused before any path is built',
  Q17: 'maxSessions (100) counts pending sets and is enforced with a clear error',
  Q18: 'MCP server: ask_user_questions and get_answered_questions',
  Q19: 'holdfast inbox: list, answer, own words, review, reject; drafts kept; what is settled elsewhere leaves',
  Q20: 'holdfast ask, answer and questions, with --json and exit codes',
  Q21: 'every file written by AUQ 3.x is read and answered, and AUQ can answer ours',
  Q22: 'holdfast setup prints, writes and takes out the MCP entry of each client',
  Q23: 'the published names: SessionManager(config) of holdfast/question',
  L01: 'create: UUID, .prp-session with the five JSON files and phase-status.log, fields as specified',
  L02: 'detect: {found, session, action, reason} with create_new, offer_resume, offer_reset',
  L03: 'validate: required fields, PRP match, phase, status, each with its message',
  L04: 'expire by state, never by time: each condition with its action and words; old files go to the archive',
  L05: 'resume: load all, validate, running, last_activity; returns phase, iteration, metrics',
  L06: 'update on phase change, iteration, status, error; error_history with hash, the last 50',
  L07: 'end: completed, halted, aborted (files optionally removed); files kept for audit',
  L08: 'resume prompt: the lines as drawn, border aligned by display width; the same as JSON',
  L09: 'corruption: bad JSON, missing fields, bad enums, future timestamps; offer reset, old files set aside',
  L10: 'breaker: CLOSED, HALF_OPEN, OPEN; thresholds per phase, no-progress and same-error, history',
  L11: 'dual gate: measured metrics and explicit signal in the same iteration; 0 of 0 tests never passes',
  L12: "rate limit: calls per hour and the agent's own limits",
  L13: 'metrics and phase-status.log per iteration',
} as const;

export type RequirementId = keyof typeof REQUIREMENTS;
