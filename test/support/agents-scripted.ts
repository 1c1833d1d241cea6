import { existsSync, readFileSync } from 'node:fs';
import type { StartOptions } from '../../src/agents/driver.js';
import type { Protocol } from '../../src/agents/scripted/program/launch.js';
import {
  PROMPT_END,
  scriptedStart as prepareScript,
  type ScriptedPlay,
  type ScriptedStep,
  type ScriptedTurn,
} from '../../src/testing/index.js';
import type { AgentWorld } from './agents.js';
import { bundled } from './bundled.js';

export { PROMPT_END, type ScriptedPlay, type ScriptedStep, type ScriptedTurn };

/** What a start needs to make the scripted program play. */
export async function scriptedStart(
  world: AgentWorld,
  protocol: Protocol,
  play: ScriptedPlay,
): Promise<Pick<StartOptions, 'command' | 'args' | 'environment' | 'workingDirectory'>> {
  const program = await scriptedProgram();
  const start = prepareScript({ program, directory: world.dir.path, protocol }, play);
  return { ...start, environment: { ...start.environment, PATH: process.env.PATH } };
}

/** What the scripted program was told, prompt by prompt, and knew at that moment. */
export interface PromptNote {
  readonly session: string;
  readonly system: string | null;
  readonly prompt: string;
  readonly history: readonly { readonly role: string; readonly text: string }[];
}

export function promptNotes(world: AgentWorld): PromptNote[] {
  const path = notesPath(world);
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, 'utf8').split('\n');
  const notes = lines.filter((line) => line !== '').map((line) => JSON.parse(line) as PromptNote);
  // Messages in the middle of a turn are noted as well.
  return notes.filter(({ prompt }) => prompt !== undefined);
}

function notesPath(world: AgentWorld): string {
  return world.dir.at('prompts.jsonl');
}

/** The scripted program. */
export function scriptedProgram(): Promise<string> {
  return bundled(new URL('../../src/agents/scripted/program/main.ts', import.meta.url), {
    mainFields: ['module', 'main'],
  });
}
