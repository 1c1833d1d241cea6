import { type Clock, type Ids, InvalidInputError } from '../../foundation/index.js';
import { InvalidConversationIdError } from './errors.js';

const SHAPE = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;
/** Words with a special meaning in commands, and names that some file systems reserve for devices. */
const RESERVED = /^(?:last|latest|new|all|none|(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\..*)?)$/i;
const HIDDEN = 'run-';

/** What is wrong with an id, or undefined. An id without a fault is a safe file name. */
export function idFault(id: unknown): string | undefined {
  if (typeof id !== 'string' || !SHAPE.test(id))
    return 'is not 1 to 64 letters, digits, dots, dashes, underscores';
  // Temporary files and files that were set aside have names that start like this.
  if (id.includes('.jsonl')) return 'contains the ending of session files';
  return undefined;
}

/** Throws INVALID_CONVERSATION_ID. */
export function checkId(id: string): void {
  const fault = idFault(id);
  if (fault !== undefined) throw new InvalidConversationIdError(id, fault);
}

/** Whether a conversation belongs to a run and is left out of lists. */
export function isHiddenId(id: string): boolean {
  return id.startsWith(HIDDEN);
}

/** Checks an id chosen for a new conversation. Throws INVALID_CONVERSATION_ID. */
export function checkNewId(id: string, isHidden: boolean): void {
  checkId(id);
  if (RESERVED.test(id)) throw new InvalidConversationIdError(id, 'is a reserved name');
  if (isHiddenId(id) === isHidden) return;
  throw new InvalidConversationIdError(
    id,
    isHidden
      ? `does not start with \`${HIDDEN}\``
      : `starts with \`${HIDDEN}\`, which names the sessions of runs`,
  );
}

/** A new id: the time and something random. */
export function newId(tools: { clock: Clock; ids: Ids }, isHidden: boolean): string {
  const time = tools.clock.now().toISOString().replaceAll(/[-:T]/g, '').slice(0, 14);
  return `${isHidden ? HIDDEN : 'session-'}${time}-${tools.ids.token().slice(0, 8)}`;
}

/** Names are written to a file that programs read line by line, and must not be empty. */
export function checkAgent(agent: string): void {
  if (typeof agent === 'string' && agent.trim() !== '' && agent.length <= 200) return;
  throw new InvalidInputError('An agent needs a name of 1 to 200 characters', { place: 'agent' });
}
