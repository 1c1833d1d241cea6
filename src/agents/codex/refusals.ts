import type { AgentEvent } from '../events.js';
import { type Call, call, commandCall } from './item.js';
import type { RawItem } from './schema.js';

const CALL_TYPES: readonly string[] = ['function_call', 'custom_tool_call'];
const OUTPUT_TYPES: readonly string[] = ['function_call_output', 'custom_tool_call_output'];

/**
 * Finds what Codex refuses on its own, by its rules or the user's. It reports this only to the model: there is no item,
 * just a call and its output.
 */
export class Refusals {
  readonly #calls = new Map<string, RawItem>();

  /** An item shows the outcome of this call. */
  isShown(id: string): void {
    this.#calls.delete(id);
  }

  read(item: RawItem): AgentEvent[] {
    const id = item.call_id ?? '';
    if (CALL_TYPES.includes(item.type)) this.#calls.set(id, item);
    if (!OUTPUT_TYPES.includes(item.type)) return [];
    const called = this.#calls.get(id);
    this.#calls.delete(id);
    const reason = called === undefined ? undefined : reasonIn(item.output);
    if (called === undefined || reason === undefined) return [];
    const what = callOf(called);
    return [
      { type: 'tool-call', id, ...what },
      { type: 'permission', id, ...what, decision: 'denied', by: `Codex: ${reason}` },
      { type: 'tool-result', id, isError: true, output: reason },
    ];
  }
}

/** `… Rejected("why")`, with any number of backslashes before the quotes. */
function reasonIn(output: unknown): string | undefined {
  if (typeof output !== 'string') return undefined;
  const reason = /\bRejected\(\\*"(.*?)\\*"\)/s.exec(output)?.[1];
  return reason?.replaceAll(/\\+(["'`])/g, '$1');
}

function callOf({ name, arguments: written, input }: RawItem): Call {
  const given = parse(written) ?? { input };
  const command = given.cmd ?? given.command;
  if (typeof command === 'string') return commandCall({ ...given, command });
  return call(name ?? 'unknown', 'other', name ?? 'unknown', given);
}

function parse(written: string | null | undefined): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(written ?? '');
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined; // shown as it was written
  }
}
