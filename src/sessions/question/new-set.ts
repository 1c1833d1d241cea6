import { type Clock, type Ids, uuidFrom } from '../../foundation/index.js';
import type { ProcessIdentity } from '../../storage/index.js';
import { questionLifecycle } from './lifecycle.js';
import type { Asker, QuestionInput, RequestFile, StatusFile } from './schema.js';

export interface CreateQuestionOptions {
  readonly callId?: string | undefined;
  /** Overrides the configured timeout; 0 = never. */
  readonly timeoutMs?: number | undefined;
  readonly workingDirectory?: string | undefined;
  readonly asker?: Asker | undefined;
  /** The asker's own name for this request: asking again with it finds the same set. */
  readonly requestId?: string | undefined;
  /** Whether this process stays and waits; then the inbox can tell when it has gone. */
  readonly isWaiting?: boolean | undefined;
}

/** The `request.json` of a new set. */
export function newRequest(
  tools: { clock: Clock; ids: Ids; timeoutMs: number },
  questions: readonly QuestionInput[],
  options: CreateQuestionOptions,
): RequestFile {
  const { callId, workingDirectory, asker, requestId } = options;
  const timeoutMs = options.timeoutMs ?? tools.timeoutMs;
  const now = tools.clock.now();
  return {
    sessionId: requestId === undefined ? tools.ids.uuid() : idOfRequest(requestId, options),
    questions: questions.map((question) => ({ ...question, multiSelect: question.multiSelect ?? false })),
    status: questionLifecycle.initial,
    timestamp: now.toISOString(),
    ...(callId === undefined ? {} : { callId }),
    ...(workingDirectory === undefined ? {} : { workingDirectory }),
    version: 1,
    ...(timeoutMs > 0 ? { expiresAt: new Date(now.getTime() + timeoutMs).toISOString() } : {}),
    ...(requestId === undefined ? {} : { requestId }),
    ...(asker === undefined ? {} : { asker }),
  };
}

/** The `status.json` of a new set. */
export function newStatus(request: RequestFile, waiting: ProcessIdentity | undefined): StatusFile {
  return {
    sessionId: request.sessionId,
    status: questionLifecycle.initial,
    createdAt: request.timestamp,
    lastModified: request.timestamp,
    totalQuestions: request.questions.length,
    ...(request.callId === undefined ? {} : { callId: request.callId }),
    rejectionReason: null,
    version: 1,
    ...(waiting === undefined ? {} : { askerProcess: { ...waiting } }),
  };
}

/** The same asker, project and request id always mean the same set. */
function idOfRequest(requestId: string, options: CreateQuestionOptions): string {
  return uuidFrom('request', options.asker?.agent ?? '', options.workingDirectory ?? '', requestId);
}
