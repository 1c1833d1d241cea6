import { messageOf } from '../../foundation/index.js';
import { type FileSystem, lookAt, readUserFile } from '../../storage/index.js';
import { NoticeNotSentError } from '../errors.js';

/** What reading secrets needs. */
export interface SecretTools {
  readonly fileSystem: FileSystem;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly home: string;
}

/** The secret at `env:NAME` or `file:/path`, read when needed and stored nowhere. Throws NOTICE_NOT_SENT. */
export function readSecret(tools: SecretTools, place: string): string {
  const reason = faultOf(tools, place);
  if (reason !== undefined) throw new NoticeNotSentError('secret', reason, { isPassing: true });
  return secretAt(tools, place) ?? '';
}

/** Why this process cannot get a secret; undefined if it can. */
export function faultOf(tools: SecretTools, place: string): string | undefined {
  const path = pathOf(tools, place);
  try {
    if (path === undefined)
      return secretAt(tools, place) === undefined
        ? `${place.slice('env:'.length)} is not set here`
        : undefined;
    const facts = lookAt(tools.fileSystem, path);
    if (facts === undefined) return `${path} is not there`;
    if ((facts.mode & 0o077) !== 0) return `others may read ${path}; make it 0600`;
    return secretAt(tools, place) === undefined ? `${path} is empty` : undefined;
  } catch (error) {
    return `${path ?? place}: ${messageOf(error)}`;
  }
}

function secretAt(tools: SecretTools, place: string): string | undefined {
  const path = pathOf(tools, place);
  const text =
    path === undefined ? tools.environment[place.slice('env:'.length)] : readUserFile(tools.fileSystem, path);
  return text?.trim() || undefined;
}

function pathOf({ home }: SecretTools, place: string): string | undefined {
  if (!place.startsWith('file:')) return undefined;
  const path = place.slice('file:'.length);
  return path.startsWith('~/') ? `${home}/${path.slice(2)}` : path;
}
