import { resolve } from 'node:path';
import { InvalidInputError, visibleExcerpt } from '../foundation/index.js';
import { readUserFile } from '../storage/index.js';
import type { Services } from './services.js';

/** The text of a file that the user named. Throws INVALID_INPUT if there is none, STORAGE_FAILED. */
export function readTextFile(services: Services, path: string): string {
  const text = readUserFile(services.tools.fileSystem, resolve(services.workingDirectory, path));
  if (text === undefined) throw new InvalidInputError(`There is no file ${visibleExcerpt(path, 200)}`);
  return text;
}
