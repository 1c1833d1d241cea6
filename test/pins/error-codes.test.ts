import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { CostUnknownError } from '../../src/agents/index.js';
import { ConfigError } from '../../src/app/index.js';
import { InvalidCatalogIdError, RestoreBlockedError } from '../../src/catalog/index.js';
import { ConfirmationMissingError, UsageError } from '../../src/cli/command.js';
import { ExitCode, exitCodeOf } from '../../src/cli/exit-codes.js';
import { OutputFailedError } from '../../src/cli/terminal.js';
import { NoDatabaseError } from '../../src/demo/index.js';
import {
  DecidedElsewhereError,
  FleetNotJoinedError,
  NotStoredError,
  RemoteRefusedError,
  RequestNotFoundError,
  RunMayHaveMovedError,
} from '../../src/fleet/index.js';
import {
  AbortedError,
  HoldfastError,
  IllegalTransitionError,
  InvalidInputError,
} from '../../src/foundation/index.js';
import {
  FleetAddressError,
  FleetRefusedError,
  FleetRuleError,
  FleetSchemaError,
  FleetUnreachableError,
} from '../../src/hub/index.js';
import { ChannelNotFoundError, NoticeNotSentError } from '../../src/notices/index.js';
import { RunElsewhereError } from '../../src/overview/index.js';
import {
  ChangeNotFoundError,
  InvalidChangeNameError,
  PlanNotFoundError,
  ProjectNotFoundError,
  StoryNotFoundError,
  TaskNotFoundError,
} from '../../src/plans/index.js';
import { CheckNotRunnableError, NoChecksError } from '../../src/run/index.js';
import { UnitNotOursError } from '../../src/service/index.js';
import {
  ChangeGoneError,
  ChangeLockedError,
  ChangeNotHeldError,
  ChangeSessionEndedError,
  ChangeSessionNotFoundError,
  InvalidChangeSessionIdError,
  NoTasksError,
  SessionElsewhereError,
  SessionIdTakenError,
  SessionRequiredError,
  StoryRequiredError,
  TaskOutOfScopeError,
} from '../../src/sessions/change/index.js';
import {
  ConversationElsewhereError,
  ConversationExistsError,
  InvalidConversationIdError,
} from '../../src/sessions/conversation/index.js';
import {
  LoopEndedError,
  LoopNotFoundError,
  LoopNotResumableError,
  LoopPoisonedError,
  PhaseNotSkippableError,
} from '../../src/sessions/loop/index.js';
import {
  InvalidProcessIdError,
  LaunchDiffersError,
  NotResumableError,
  ProcessIdTakenError,
  ProcessNotReadyError,
  ProcessStartError,
  PromptFailedError,
  type PromptResponse,
  PromptTimedOutError,
  TerminateFailedError,
  TooManyProcessesError,
} from '../../src/sessions/process/index.js';
import {
  AlreadySettledError,
  AmbiguousIdError,
  AskerGoneError,
  CallIdMismatchError,
  InvalidAnswerError,
  InvalidSessionIdError,
  NotTakenBackError,
  RequestIdReusedError,
  SessionAbandonedError,
  SessionNotFoundError,
  SessionRejectedError,
  SessionTimedOutError,
  TooManySessionsError,
} from '../../src/sessions/question/index.js';
import {
  AtomicWriteError,
  DocumentDamagedError,
  DocumentRefusedError,
  LockedError,
  LockLostError,
  NewerVersionError,
  StorageError,
  UnsafePathError,
} from '../../src/storage/index.js';

import { GitRemoteError } from '../../src/workspace/index.js';

const cause = new Error('x');
const facts = { path: '/p', step: 's', cause };
const state = { hold: 'held', epoch: 1, reason: 'r' } as const;

describe('exit codes', () => {
  it('mean what scripts depend on', () => {
    expect(ExitCode).toMatchObject({
      done: 0,
      failed: 1,
      usage: 2,
      needsPerson: 3,
      notFound: 4,
      locked: 5,
      breakerOpen: 6,
      limitReached: 7,
      damaged: 8,
      interrupted: 130,
      terminated: 143,
    });
  });

  const ERRORS: readonly [HoldfastError, string, number][] = [
    [new AbortedError('x'), 'ABORTED', 130],
    [new InvalidInputError('x'), 'INVALID_INPUT', 2],
    [new IllegalTransitionError('a', 'b', []), 'ILLEGAL_TRANSITION', 1],
    [new UsageError('x'), 'USAGE', 2],
    [new ConfirmationMissingError('x'), 'CONFIRMATION_MISSING', 3],
    [new OutputFailedError(cause), 'OUTPUT_FAILED', 1],
    [new ConfigError('/p', 'x'), 'CONFIG_INVALID', 2],
    [new ChannelNotFoundError('x', []), 'CHANNEL_NOT_FOUND', 4],
    [new UnitNotOursError('/x'), 'UNIT_NOT_OURS', 1],
    [new FleetAddressError('x'), 'FLEET_ADDRESS_INVALID', 2],
    [new FleetNotJoinedError(), 'FLEET_NOT_JOINED', 2],
    [new FleetRefusedError('x', 'y'), 'FLEET_REFUSED', 1],
    [new FleetRuleError('x', 'y', 'z'), 'FLEET_RULE', 1],
    [new GitRemoteError('away', 'x', 'y'), 'GIT_REMOTE', 1],
    [new NoDatabaseError('x'), 'NO_DATABASE', 4],
    [new FleetSchemaError('x', 'y'), 'FLEET_SCHEMA', 1],
    [new FleetUnreachableError('x'), 'FLEET_UNREACHABLE', 1],
    [new DecidedElsewhereError('x', 'y', 'z'), 'DECIDED_ELSEWHERE', 1],
    [new RunMayHaveMovedError('x', 'y'), 'RUN_MAY_HAVE_MOVED', 1],
    [new NotStoredError(cause), 'NOT_STORED', 1],
    [new FleetRuleError('no-such-run', 'y', 'z'), 'FLEET_RULE', 4],
    [new RemoteRefusedError('x', 'y'), 'REMOTE_REFUSED', 1],
    [new RequestNotFoundError('x'), 'REQUEST_NOT_FOUND', 4],
    [new RunElsewhereError('x', 'workstation'), 'RUN_ELSEWHERE', 3],
    [new NoticeNotSentError('reply', 'x'), 'NOTICE_NOT_SENT', 1],
    [new SessionNotFoundError('x'), 'SESSION_NOT_FOUND', 4],
    [new InvalidSessionIdError('x'), 'INVALID_SESSION_ID', 2],
    [new AmbiguousIdError('x', []), 'AMBIGUOUS_ID', 2],
    [new TooManySessionsError(1), 'TOO_MANY_SESSIONS', 7],
    [new InvalidAnswerError('x'), 'INVALID_ANSWER', 2],
    [new AlreadySettledError('x', { status: 'pending' }), 'ALREADY_SETTLED', 1],
    [new AskerGoneError('x', 'it left'), 'ASKER_GONE', 1],
    [new NotTakenBackError('x', 'it arrived'), 'NOT_TAKEN_BACK', 1],
    [new SessionRejectedError(null), 'SESSION_REJECTED', 1],
    [new SessionTimedOutError('x'), 'SESSION_TIMED_OUT', 3],
    [new SessionAbandonedError('x', 'y'), 'SESSION_ABANDONED', 1],
    [new CallIdMismatchError('x', 'y', 'z'), 'CALL_ID_MISMATCH', 1],
    [new RequestIdReusedError('x', 'y'), 'REQUEST_ID_REUSED', 2],
    [new ProcessStartError('x', cause), 'PROCESS_START_FAILED', 1],
    [new ProcessNotReadyError('x', 'paused'), 'PROCESS_NOT_READY', 1],
    [
      new PromptFailedError('x', 'ready', { reason: 'failed', message: 'y' } as PromptResponse),
      'PROMPT_FAILED',
      1,
    ],
    [new PromptTimedOutError('x', 'idle', 1, {} as PromptResponse), 'PROMPT_TIMED_OUT', 7],
    [new TooManyProcessesError(1), 'TOO_MANY_PROCESSES', 7],
    [new TerminateFailedError([]), 'TERMINATE_FAILED', 1],
    [new InvalidProcessIdError('x'), 'INVALID_PROCESS_ID', 2],
    [new InvalidConversationIdError('x', 'y'), 'INVALID_CONVERSATION_ID', 2],
    [new ConversationExistsError('x'), 'CONVERSATION_EXISTS', 1],
    [new NotResumableError('x', 'y'), 'NOT_RESUMABLE', 1],
    [new LaunchDiffersError('x', []), 'LAUNCH_DIFFERS', 3],
    [new ConversationElsewhereError('x', '/y', { command: 'z', isThere: true }), 'CONVERSATION_ELSEWHERE', 3],
    [new ProjectNotFoundError('x'), 'PROJECT_NOT_FOUND', 4],
    [new InvalidChangeNameError('x'), 'INVALID_CHANGE_NAME', 2],
    [new ChangeNotFoundError('x', [], false), 'CHANGE_NOT_FOUND', 4],
    [new StoryNotFoundError('x', 'y', []), 'STORY_NOT_FOUND', 4],
    [new TaskNotFoundError('x', 'y'), 'TASK_NOT_FOUND', 4],
    [new ChangeLockedError('x', { sessionId: 'y', since: 'z' }), 'CHANGE_LOCKED', 5],
    [new ChangeNotHeldError('x'), 'CHANGE_NOT_HELD', 4],
    [new ChangeSessionEndedError('x', { status: 'y', at: 'z', reason: null }), 'SESSION_ENDED', 4],
    [new ChangeSessionNotFoundError('x'), 'SESSION_NOT_FOUND', 4],
    [new InvalidChangeSessionIdError('x', false), 'INVALID_SESSION_ID', 2],
    [new SessionElsewhereError('x', 'y', { there: '/a', here: '/b' }), 'SESSION_ELSEWHERE', 2],
    [new ChangeGoneError({ sessionId: 'x', changeName: 'y', endedAt: null }, 0), 'CHANGE_NOT_FOUND', 4],
    [new NoTasksError('x'), 'NO_TASKS', 3],
    [new SessionIdTakenError('x', { changeName: 'y', project: 'z' }), 'SESSION_ID_TAKEN', 5],
    [new ProcessIdTakenError('x'), 'SESSION_ID_TAKEN', 5],
    [new SessionRequiredError('x'), 'SESSION_REQUIRED', 2],
    [new StoryRequiredError('x'), 'STORY_REQUIRED', 2],
    [new TaskOutOfScopeError('x', 'y'), 'SCOPE_ERROR', 2],
    [new LoopNotFoundError('/p'), 'LOOP_NOT_FOUND', 4],
    [new LoopNotResumableError('x', 'reset'), 'LOOP_NOT_RESUMABLE', 3],
    [new LoopNotResumableError('x', 'reset_or_abort'), 'LOOP_NOT_RESUMABLE', 6],
    [new LoopNotResumableError('x', 'reset_or_abort', { isAborted: true }), 'LOOP_NOT_RESUMABLE', 3],
    [new LoopEndedError('completed', 'pause'), 'LOOP_ENDED', 1],
    [new LoopPoisonedError('/p', { cause }), 'LOOP_POISONED', 1],
    [new InvalidCatalogIdError('x'), 'INVALID_SESSION_ID', 2],
    [new RestoreBlockedError({ kind: 'loop', id: 'x' }), 'RESTORE_BLOCKED', 1],
    [new PlanNotFoundError('x'), 'PLAN_NOT_FOUND', 4],
    [new CostUnknownError('codex', null), 'COST_UNKNOWN', 2],
    [new NoChecksError(), 'NO_CHECKS', 2],
    [new CheckNotRunnableError({ label: 'x', exitCode: 127, words: 'y' }), 'CHECK_NOT_RUNNABLE', 2],
    [new PhaseNotSkippableError('paused'), 'PHASE_NOT_SKIPPABLE', 2],
    [new StorageError('x', facts), 'STORAGE_FAILED', 1],
    [new AtomicWriteError(facts), 'ATOMIC_WRITE_FAILED', 1],
    [new UnsafePathError('/p', 'x'), 'UNSAFE_PATH', 1],
    [new DocumentDamagedError('/p', 'x'), 'DOCUMENT_DAMAGED', 8],
    [new DocumentRefusedError('/p', 'x'), 'DOCUMENT_REFUSED', 1],
    [new NewerVersionError('/p', 2), 'NEWER_VERSION', 1],
    [new LockedError('/p', state), 'LOCKED', 5],
    [new LockLostError('/p', 1), 'LOCK_LOST', 5],
  ];
  it.each(ERRORS.map(([error, code, exit]) => [code, exit, error] as const))(
    '%s has its code and ends with %i',
    (code, exit, error) => {
      expect([error.code, exitCodeOf(error), error instanceof HoldfastError]).toEqual([code, exit, true]);
    },
  );

  it('anything that is not ours ends with 1', () => {
    expect([exitCodeOf(new Error('x')), exitCodeOf('x'), exitCodeOf({ code: 'LOCKED' })]).toEqual([1, 1, 1]);
  });
});

it('each code of an error is explained in docs/errors.md', () => {
  const root = fileURLToPath(new URL('../..', import.meta.url));
  const sources = readdirSync(`${root}/src`, { recursive: true, encoding: 'utf8' }).filter(
    (path) => /\.tsx?$/.test(path) && !/\.test\./.test(path),
  );
  const codes = sources.flatMap((path) =>
    [...readFileSync(`${root}/src/${path}`, 'utf8').matchAll(/HoldfastError<'([A-Z_]+)'>/g)].map(
      ([, code]) => code,
    ),
  );
  const explained = readFileSync(`${root}/docs/errors.md`, 'utf8');
  expect(codes.length).toBeGreaterThan(50);
  expect(codes.filter((code) => !explained.includes(`\`${code}\``))).toEqual([]);
});
