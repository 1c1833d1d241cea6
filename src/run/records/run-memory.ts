import { join } from 'node:path';
import { PERMISSION_MODES, type PermissionMode } from '../../agents/index.js';
import {
  filledText,
  flag,
  isUuidV4,
  listOf,
  messageOf,
  number,
  oneOf,
  optional,
  record,
  redact,
  text,
  textThat,
  whole,
} from '../../foundation/index.js';
import {
  DOCUMENT_VERSION,
  ensureDirectory,
  readDocument,
  removeQuietly,
  writeDocument,
} from '../../storage/index.js';
import type { RunShelf } from '../open/run-services.js';
import { CONTEXT_MODES, type ContextMode } from '../run-parts.js';

/** How a run was started, so it is resumed in the same way unless somebody says otherwise. */
export interface RunStart {
  readonly agent: string;
  /** One of the user's own accounts, by its name. */
  readonly account?: string | undefined;
  readonly model?: string | undefined;
  /** As the person typed them. Guessed checks are not kept; they are guessed again. */
  readonly verify: readonly string[];
  /** The checks held a secret and were not kept, and guessed ones must not replace them. */
  readonly areChecksSecret?: boolean | undefined;
  readonly permissions: PermissionMode;
  readonly context: ContextMode;
  readonly idleMs?: number | undefined;
  readonly onEnd?: string | undefined;
  /** Nobody answers: anything that needs a person ends the run. */
  readonly isUnattended?: boolean | undefined;
  /** The names of the variables that its agent found in its environment and may need; their values are never stored. */
  readonly variables?: readonly string[] | undefined;
}

/** `runs/<session>.json`. It is outside the project: an agent that may write there must not choose its own checks. */
const RunFile = record({
  version: whole(),
  sessionId: textThat(isUuidV4, 'not a UUID v4'),
  agent: filledText,
  account: optional(filledText),
  model: optional(text),
  verify: listOf(text),
  areChecksSecret: optional(flag),
  permissions: oneOf(PERMISSION_MODES),
  context: oneOf(CONTEXT_MODES),
  idleMs: optional(number(0)),
  onEnd: optional(text),
  isUnattended: optional(flag),
  variables: optional(listOf(text)),
});

/** Keeps how a session is run. Anything that would store a secret is left out and must be given again. */
export function rememberStart(services: RunShelf, sessionId: string, start: RunStart): void {
  const { tools, runs } = services;
  const path = runFile(services, sessionId, 'json');
  if (path === undefined) return;
  const { onEnd, verify, variables, ...rest } = start;
  const areChecksSecret = !verify.every(isPublic);
  ensureDirectory(tools.fileSystem, runs);
  const kept = {
    version: DOCUMENT_VERSION,
    sessionId,
    ...rest,
    ...(variables === undefined ? {} : { variables: [...variables] }),
    ...(areChecksSecret ? { verify: [], areChecksSecret } : { verify: [...verify] }),
    ...(onEnd !== undefined && isPublic(onEnd) ? { onEnd } : {}),
  };
  writeDocument(tools, path, kept, RunFile);
}

/** How a session was last run; undefined if that is no longer known, which does not stop a resume. */
export function recallStart(services: RunShelf, sessionId: string | undefined): RunStart | undefined {
  const path = sessionId === undefined ? undefined : runFile(services, sessionId, 'json');
  if (path === undefined) return undefined;
  try {
    const start = readDocument(services.tools.fileSystem, path, RunFile);
    return start?.sessionId === sessionId ? start : undefined;
  } catch (error) {
    services.log.warn('run.start-not-known', { sessionId, error: messageOf(error) });
    return undefined;
  }
}

/** For a session that cannot be resumed; what it said is kept as long as its files are. */
export function forgetRun(services: RunShelf, sessionId: string, { isReplaced = false } = {}): void {
  for (const kind of isReplaced ? RUN_FILES : RUN_FILES.filter((kind) => kind !== 'log')) {
    const path = runFile(services, sessionId, kind);
    if (path !== undefined) removeQuietly(services.tools.fileSystem, path);
  }
}

/** How it was started, what it said line by line, and what its process wrote to stderr in the background. */
const RUN_FILES = ['json', 'log', 'err'] as const;

/** A file of a session. The id comes from a file in the project, so it is checked before it becomes part of a path. */
export function runFile(
  { runs }: RunShelf,
  sessionId: string,
  kind: (typeof RUN_FILES)[number],
): string | undefined {
  return isUuidV4(sessionId) ? join(runs, `${sessionId}.${kind}`) : undefined;
}

function isPublic(words: string): boolean {
  return redact(words) === words;
}
