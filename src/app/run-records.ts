import { SessionNotFoundError } from '../foundation/index.js';
import type { ConversationView } from '../sessions/conversation/index.js';
import { LoopNotFoundError, type LoopView } from '../sessions/loop/index.js';
import type { QuestionView } from '../sessions/question/index.js';
import { openConversations } from './conversations.js';
import { openLoops, projectDirectoryOf } from './loops.js';
import { lastWords } from './run-words.js';
import type { Services } from './services.js';

/** What the files tell about the loop of this project. */
export interface RunRecords {
  readonly loop: LoopView;
  readonly conversation: ConversationView | undefined;
  /** What was asked in the project since the loop began. */
  readonly questions: readonly QuestionView[];
  /** What its last run in the background said, if anything. */
  readonly lastWords: string | null;
}

/** Reads the loop of this project, its conversation and its questions. Throws LOOP_NOT_FOUND. */
export async function readRunRecords(services: Services): Promise<RunRecords> {
  const loops = openLoops(services);
  const loop = loops.read();
  if (loop === undefined) throw new LoopNotFoundError(loops.directory);
  const project = projectDirectoryOf(services);
  const since = Date.parse(loop.state.startedAt);
  const questions = (await services.questions.list()).filter(
    ({ workingDirectory, createdAt }) => workingDirectory === project && Date.parse(createdAt) >= since,
  );
  const { sessionId } = loop;
  return {
    loop,
    conversation: readConversation(services, sessionId),
    questions,
    lastWords: lastWords(services, sessionId),
  };
}

function readConversation(services: Services, sessionId: string): ConversationView | undefined {
  try {
    return openConversations(services).read(`run-${sessionId}`);
  } catch (error) {
    if (error instanceof SessionNotFoundError) return undefined;
    throw error;
  }
}
