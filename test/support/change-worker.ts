/** A separate process that works on change sessions on command; it can be told to kill itself midway. */
import { isHoldfastError } from '../../src/foundation/index.js';
import { ChangeSessions } from '../../src/sessions/change/index.js';
import { deadlyFileSystem, type KillPlan } from './deadly-file-system.js';
import { storageTools } from './storage-tools.js';
import { serve } from './worker-side.js';

export interface ChangePlace {
  readonly project: string;
  readonly temporaryDirectories: readonly string[];
}

export type ChangeAct =
  | { readonly name: 'init'; readonly change: string; readonly sessionId: string }
  | { readonly name: 'next-story'; readonly sessionId: string }
  | { readonly name: 'learn'; readonly sessionId: string; readonly text: string }
  | { readonly name: 'done'; readonly sessionId: string; readonly task: string }
  | { readonly name: 'flush'; readonly sessionId: string }
  | { readonly name: 'release'; readonly change: string }
  | { readonly name: 'recover'; readonly target: string };

export interface ChangeOrder {
  readonly place: ChangePlace;
  readonly act: ChangeAct;
  readonly kill?: KillPlan;
  /** The wall-clock time at which all workers of a race begin. */
  readonly startAt?: number;
}

/** How an act ended, unless the worker died in it. */
export type ChangeEnding =
  | { readonly kind: 'done'; readonly value: unknown }
  | { readonly kind: 'failed'; readonly code: string; readonly message: string };

const HANDLERS = {
  async act(order: ChangeOrder): Promise<ChangeEnding> {
    const { fileSystem } = deadlyFileSystem(order.kill);
    const sessions = new ChangeSessions({
      ...storageTools({ fileSystem, command: 'change worker' }),
      workingDirectory: order.place.project,
      temporaryDirectories: order.place.temporaryDirectories,
    });
    while (order.startAt !== undefined && Date.now() < order.startAt);
    try {
      return { kind: 'done', value: await perform(sessions, order.act) };
    } catch (error) {
      if (!isHoldfastError(error)) throw error;
      return { kind: 'failed', code: error.code, message: error.message };
    }
  },
};

export type ChangeCalls = typeof HANDLERS;

async function perform(sessions: ChangeSessions, act: ChangeAct): Promise<unknown> {
  switch (act.name) {
    case 'init':
      return (await sessions.create(act.change, act)).state.sessionId;
    case 'next-story':
      return (await sessions.nextStory(act))?.id ?? null;
    case 'learn':
      return (await sessions.learn(act.text, { sessionId: act.sessionId })).total;
    case 'done':
      return (await sessions.completeTask(act.task, act)).remaining;
    case 'flush':
      return (await sessions.flush(act)).learningsWritten;
    case 'release':
      return (await sessions.release(act.change, 'a test')).sessionId;
    case 'recover':
      return (await sessions.recover(act.target)).outcome;
  }
}

serve(HANDLERS);
