import { dirname, join } from 'node:path';
import * as z from 'zod';
import type { PermissionRequest } from '../../agents/index.js';
import { shellWord } from '../../foundation/index.js';
import type { RunServices } from '../open/run-services.js';
import type { RunPlan } from '../plan/plan.js';
import type { Check } from '../turn/checks.js';

const Command = z.looseObject({ command: z.string().max(10_000) });

/** Whether an agent wants to run a check exactly as we run it, or a command its plan tells it to run. */
export function isToldByRun(
  { kind, input }: PermissionRequest,
  { checks, plan }: { readonly checks: readonly Check[]; readonly plan: Pick<RunPlan, 'isTold'> },
): boolean {
  const asked = Command.safeParse(input);
  if (kind !== 'execute' || !asked.success) return false;
  const command = asked.data.command.trim();
  return checks.some(({ label }) => label === command) || plan.isTold?.(command) === true;
}

/** The commands an agent is told to run while it works on a change, and whether a command line consists of nothing else. */
export interface ChangeCommands {
  readonly howTo: string;
  isTold(command: string): boolean;
}

const HOW_TO = [
  'When a task is done, tick it: `ralphtool agent task done <id>` (or tick its box in tasks.md).',
  'Keep what the next story must know: `ralphtool agent learn "<what>"`.',
  'Write these as they are here, with nothing else in the line but more of them after `&&`; then you need no permission for them.',
];

/** The shells of some agents search other directories than ours (Codex starts login shells, which reset PATH). */
export function changeCommands({ command, args: [entry] }: RunServices['self']): ChangeCommands {
  if (entry === undefined) return { howTo: HOW_TO.join('\n'), isTold: toldBy(['ralphtool']) };
  const program = [command, join(dirname(entry), 'ralphtool.cjs')].map(shellWord).join(' ');
  const elsewhere = `Where your shell does not find \`ralphtool\`, write \`${program}\` instead.`;
  return { howTo: [...HOW_TO, elsewhere].join('\n'), isTold: toldBy(['ralphtool', program]) };
}

/** A word in which a shell has nothing to expand: plain, or quoted without anything that is still special in quotes. */
const WORD = String.raw`(?:[\w.,:/@%+=-]+|'[^']*'|"[^"$\x60\\]*")`;

function toldBy(programs: readonly string[]): (command: string) => boolean {
  const program = `(?:${programs.map(literally).join('|')})`;
  const one = `${program} agent (?:context|status|task done|learn)(?: ${WORD})*`;
  const all = new RegExp(`^${one}(?: && ${one})*$`);
  return (command) => all.test(command);
}

function literally(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}
