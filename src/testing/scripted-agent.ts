import { join } from 'node:path';
import type { StartOptions } from '../agents/driver.js';
import type { Protocol } from '../agents/scripted/program/launch.js';
import type { Script, ScriptTurn, StepName, StepValue } from '../agents/scripted/program/script.js';
import { systemIds } from '../foundation/index.js';
import { createFile, ensureDirectory, systemTools } from '../storage/index.js';

/** A step as written in a script; `src/agents/scripted/README.md` says what each does. */
export type ScriptedStep = { [Name in StepName]: { readonly [Key in Name]: StepValue<Name> } }[StepName];

/** A turn as written in a script: a list of steps, optionally with how it ends. */
export type ScriptedTurn =
  | readonly ScriptedStep[]
  | { readonly steps: readonly ScriptedStep[]; readonly end?: ScriptTurn['end']; readonly exit?: number };

/** What the agent does with one prompt after another, and once it has run out of turns. */
export interface ScriptedPlay {
  readonly turns: readonly ScriptedTurn[];
  readonly onExhausted?: Script['onExhausted'];
}

/** How to start the scripted agent. */
export interface ScriptedStart {
  /** The program: `scriptedAgent` of `holdfast/agents`. */
  readonly program: string;
  /** A directory of the test's own; it will contain the script, the conversations and the agent's working directory. */
  readonly directory: string;
  /** The protocol of the driver: `claude`, `codex`, `acp` or `line`. */
  readonly protocol: Protocol;
}

/** The end of a multi-line prompt with the protocol `line`. */
export const PROMPT_END = '<<end of prompt>>';

/** Makes the scripted agent play, and returns what a driver needs to start it. Throws ATOMIC_WRITE_FAILED, STORAGE_FAILED. */
export function scriptedStart(
  { program, directory, protocol }: ScriptedStart,
  { turns, ...rest }: ScriptedPlay,
): Pick<StartOptions, 'command' | 'args' | 'environment' | 'workingDirectory'> {
  const tools = systemTools('holdfast/testing');
  const workingDirectory = join(directory, 'work');
  for (const path of [directory, workingDirectory]) ensureDirectory(tools.fileSystem, path);
  const script = join(directory, `script-${systemIds.uuid()}.json`);
  const whole = turns.map((turn) => (isSteps(turn) ? { steps: turn } : turn));
  createFile(tools, script, JSON.stringify({ ...rest, turns: whole }));
  return {
    command: process.execPath,
    args: [program],
    workingDirectory,
    environment: {
      HOME: directory,
      HOLDFAST_SCRIPTED_PROTOCOL: protocol,
      HOLDFAST_SCRIPTED_SCRIPT: script,
      HOLDFAST_SCRIPTED_STATE: join(directory, 'state'),
      HOLDFAST_SCRIPTED_NOTES: join(directory, 'prompts.jsonl'),
      HOLDFAST_SCRIPTED_PROMPT_END: PROMPT_END,
    },
  };
}

function isSteps(turn: ScriptedTurn): turn is readonly ScriptedStep[] {
  return Array.isArray(turn);
}
