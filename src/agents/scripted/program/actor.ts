import { randomUUID } from 'node:crypto';
import type { Conversation, Conversations } from './conversation.js';
import type { Launch } from './launch.js';
import { obeyPlainWords } from './plain-words.js';
import { playTurn, type Stage } from './player.js';
import { type Script, type ScriptTurn, turnAfter } from './script.js';
import type { PlayedTurn, Voice } from './voice.js';

/** What every protocol needs to run the play. */
export interface Actor {
  readonly launch: Launch;
  /** Null if none was given: then it obeys plain words. */
  readonly script: Script | null;
  readonly conversations: Conversations;
  readonly stage: Stage;
  /** Ends the program, unless the script made it ignore that. */
  readonly leave: (code: number) => void;
}

/** The turn that was played, and its result. */
export interface Answer extends PlayedTurn {
  readonly turn: ScriptTurn;
}

/** Answers a prompt. Before the work begins it keeps the prompt, and notes everything known at that point. */
export async function answer(
  actor: Actor,
  conversation: Conversation,
  prompt: string,
  voice: Voice,
  signal: AbortSignal,
): Promise<Answer> {
  const { conversations, launch, script, stage } = actor;
  const history = conversation.messages.map(({ role, text }) => ({ role, text }));
  conversations.note({
    at: new Date().toISOString(),
    pid: process.pid,
    protocol: launch.protocol,
    session: conversation.id,
    system: launch.systemPrompt,
    prompt,
    history,
  });
  const turn = script === null ? obeyPlainWords(prompt) : turnAfter(script, conversation.prompts.length);
  conversation.add({ role: 'user', text: prompt });
  return { turn, ...(await playTurn(turn, stage, voice, conversation, signal)) };
}

export function newId(): string {
  return randomUUID();
}
