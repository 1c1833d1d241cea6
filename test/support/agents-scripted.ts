import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { StartOptions } from '../../src/agents/driver.js';
import type { Protocol } from '../../src/agents/scripted/program/launch.js';
import type { Script, StepName, StepValue, Turn } from '../../src/agents/scripted/program/script.js';
import type { AgentWorld } from './agents.js';
import { bundled } from './bundled.js';

/** A step as it stands in a script. */
export type ScriptedStep = { [Name in StepName]: { readonly [Key in Name]: StepValue<Name> } }[StepName];

/** A turn as it stands in a script: a list of steps, or with how it ends. */
export type ScriptedTurn =
  | readonly ScriptedStep[]
  | { readonly steps: readonly ScriptedStep[]; readonly end?: Turn['end']; readonly exit?: number };

export interface ScriptedPlay {
  readonly turns: readonly ScriptedTurn[];
  readonly onExhausted?: Script['onExhausted'];
}

/** What ends a prompt of several lines for the scripted program without a protocol. */
export const PROMPT_END = '<<end of prompt>>';

/** Makes the scripted program play: what a start needs for that. */
export async function scriptedStart(
  world: AgentWorld,
  protocol: Protocol,
  play: ScriptedPlay,
): Promise<Pick<StartOptions, 'command' | 'args' | 'environment' | 'workingDirectory'>> {
  const script = world.dir.at(`script-${scripts++}.json`);
  const turns = play.turns.map((turn) => (isSteps(turn) ? { steps: turn } : turn));
  writeFileSync(script, JSON.stringify({ ...play, turns }));
  return {
    command: process.execPath,
    args: [await scriptedProgram()],
    workingDirectory: world.workingDirectory,
    environment: {
      PATH: process.env.PATH,
      HOME: world.dir.path,
      HOLDFAST_SCRIPTED_PROTOCOL: protocol,
      HOLDFAST_SCRIPTED_SCRIPT: script,
      HOLDFAST_SCRIPTED_STATE: world.stateDirectory,
      HOLDFAST_SCRIPTED_NOTES: notesPath(world),
      HOLDFAST_SCRIPTED_PROMPT_END: PROMPT_END,
    },
  };
}

/** What the scripted program was told, prompt by prompt, and knew then. */
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
  // What is said in the middle of a turn is noted as well.
  return notes.filter(({ prompt }) => prompt !== undefined);
}

function notesPath(world: AgentWorld): string {
  return world.dir.at('prompts.jsonl');
}

let scripts = 0;

/** The scripted program. */
export function scriptedProgram(): Promise<string> {
  return bundled(new URL('../../src/agents/scripted/program/main.ts', import.meta.url), {
    splitting: true,
    minify: true,
    mainFields: ['module', 'main'],
    banner: {
      js: "import{createRequire as __createRequire}from'node:module';const require=__createRequire(import.meta.url);",
    },
  });
}

function isSteps(turn: ScriptedTurn): turn is readonly ScriptedStep[] {
  return Array.isArray(turn);
}
