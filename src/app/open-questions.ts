import type { Logger } from '../foundation/index.js';
import type { QuestionSessions } from '../sessions/question/index.js';
import { processEnvironment } from './config.js';
import { createServices } from './services.js';

export interface OpenQuestionsOptions {
  /** Where Holdfast keeps its files; the platform's directories, or HOLDFAST_HOME, if absent. */
  readonly home?: string | undefined;
  /** What owner records say you are doing; the name of your program. */
  readonly command?: string | undefined;
  readonly log?: Logger | undefined;
}

/** Opens the question sessions that the command line and the MCP server use. Throws CONFIG_INVALID. */
export function createQuestionSessions(options: OpenQuestionsOptions = {}): QuestionSessions {
  const environment = processEnvironment();
  const services = createServices({
    environment: options.home === undefined ? environment : { ...environment, HOLDFAST_HOME: options.home },
    workingDirectory: process.cwd(),
    command: options.command ?? 'holdfast library',
    log: options.log,
  });
  return services.questions;
}
