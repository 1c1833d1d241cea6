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

/** How a run was started, so that it goes on in the same way when nobody says otherwise. */
export interface RunStart {
  readonly agent: string;
  /** One of the user's own accounts, by its name. */
  readonly account?: string | undefined;
  readonly model?: string | undefined;
  /** As the person typed them; guessed checks are guessed again. */
  readonly verify: readonly string[];
  /** They were not kept, and others must not stand for them. */
  readonly areChecksSecret?: boolean | undefined;
  readonly permissions: PermissionMode;
  readonly context: ContextMode;
  readonly idleMs?: number | undefined;
  readonly onEnd?: string | undefined;
  /** Nobody answers: what needs a person ends it. */
  readonly isUnattended?: boolean | undefined;
  /** The names of the variables that its agent found in the environment and may need; their values are on no disk. */
  readonly variables?: readonly string[] | undefined;
}

/** `runs/<session>.json`. It lies outside of the project: an agent that may write there must not choose its own checks. */
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

/** Keeps how a session is run. What would put a secret on the disk is left out, and has to be said again. */
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

/** How a session was last run; undefined where nobody knows any more, which stops nobody. */
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

/** For a session that nobody can go on with; what it said is kept for as long as its files are. */
export function forgetRun(services: RunShelf, sessionId: string, { isReplaced = false } = {}): void {
  for (const kind of isReplaced ? RUN_FILES : RUN_FILES.filter((kind) => kind !== 'log')) {
    const path = runFile(services, sessionId, kind);
    if (path !== undefined) removeQuietly(services.tools.fileSystem, path);
  }
}

/** How it was started, what it said line by line, and what its process wrote to stderr in the background. */
const RUN_FILES = ['json', 'log', 'err'] as const;

/** A file beside a session. Its id stands in a file of the project: it is no part of a path before it was looked at. */
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
