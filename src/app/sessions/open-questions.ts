import type { QuestionSessions } from '../../sessions/question/index.js';
import { type LibraryOptions, libraryServices } from '../library-services.js';

export type OpenQuestionsOptions = LibraryOptions;

/** Opens the question sessions that the command line and the MCP server use. Throws CONFIG_INVALID. */
export function createQuestionSessions(options: OpenQuestionsOptions = {}): QuestionSessions {
  return libraryServices(options).questions;
}
