import type { TurnUsage } from './conversation.js';
import type { ScriptTurn, StepValue } from './script.js';

/** What the agent wants to do with the world. */
export type Tool =
  | { readonly type: 'write'; readonly path: string; readonly content: string }
  | { readonly type: 'edit'; readonly path: string; readonly find: string; readonly replace: string }
  | { readonly type: 'run'; readonly command: string }
  | {
      readonly type: 'mcp';
      readonly server: string;
      readonly tool: string;
      readonly input: Record<string, unknown>;
    }
  | {
      readonly type: 'other';
      readonly name: string;
      readonly kind: NonNullable<StepValue<'permission'>['kind']>;
      readonly input: unknown;
    };

export interface ToolUse {
  readonly id: string;
  readonly tool: Tool;
}

export interface ToolOutcome {
  readonly isError: boolean;
  readonly output: string;
  readonly exitCode: number | null;
}

/** How a turn ended. */
export type TurnOutcome =
  | { readonly end: ScriptTurn['end'] | 'cancelled' }
  | { readonly end: 'failed'; readonly message: string; readonly status: number | null }
  | { readonly end: 'rate-limited'; readonly resetsAt: Date | null };

/** A turn that was played to its end. */
export interface PlayedTurn {
  readonly outcome: TurnOutcome;
  readonly text: string;
  readonly usage: TurnUsage;
  /** Whether the script said what the turn used. */
  readonly isUsageTold: boolean;
}

/** How the agent speaks in one protocol while it works on a prompt. */
export interface Voice {
  /** Notes what the turn uses, before the turn is over. */
  note(usage: TurnUsage): void;
  say(text: string): Promise<void>;
  think(text: string): Promise<void>;
  toolStart(use: ToolUse): Promise<void>;
  toolEnd(use: ToolUse, outcome: ToolOutcome): Promise<void>;
  /** Why the tool may not be used; null = it may. Asks for permission if the rules require it. */
  refusal(use: ToolUse, signal: AbortSignal): Promise<string | null>;
  retry(notice: StepValue<'retry'>): Promise<void>;
  /** The allowance is nearly used up. */
  warn(resetsAt: Date | null): Promise<void>;
}

/** Claude's names for tools; the other protocols borrow them if they have none. */
export function toolName(tool: Tool): string {
  if (tool.type === 'mcp') return `mcp__${tool.server}__${tool.tool}`;
  if (tool.type === 'other') return tool.name;
  return { write: 'Write', edit: 'Edit', run: 'Bash' }[tool.type];
}

/** What a tool is about, in one line. */
export function toolTitle(tool: Tool): string {
  if (tool.type === 'write') return `Write ${tool.path}`;
  if (tool.type === 'edit') return `Edit ${tool.path}`;
  if (tool.type === 'run') return `Run ${tool.command}`;
  return toolName(tool);
}

/** Whether a mode allows a tool without asking anybody. */
export function isFree(mode: string, tool: Tool): boolean {
  if (mode === 'bypassPermissions') return true;
  return mode === 'acceptEdits' && (tool.type === 'write' || tool.type === 'edit');
}
