import type * as z from 'zod';
import type { Actor } from './actor.js';
import { InvalidInputError } from './errors.js';
import { firstIssue } from './first-issue.js';

/** What an operation does: read, change something, wait for someone, or keep streaming updates. */
export type Effect = 'read' | 'write' | 'wait' | 'stream';

/** What a caller must be allowed to do. `admin` is for the local command line only. */
export type Capability = 'view' | 'answer' | 'steer' | 'admin';

/** Where an operation may appear. */
export type Surface = 'cli' | 'mcp' | 'page' | 'fleet';

/** Who calls an operation, and the signal that says they have stopped waiting for it. */
export interface OperationContext {
  readonly actor: Actor;
  readonly signal: AbortSignal;
}

/** What describes an operation, whatever its input and output. */
export interface OperationFacts {
  /** The part it belongs to and its verb, such as `question.answer`. */
  readonly name: string;
  /** One line, for the help of every surface. */
  readonly summary: string;
  readonly effect: Effect;
  readonly capability: Capability;
  /** The surfaces it may appear on; it exists on no other. */
  readonly surfaces: readonly Surface[];
}

/** One action of the product. Surfaces are lists of these. */
export interface Operation<Parts, Input extends z.ZodType, Output extends z.ZodType> extends OperationFacts {
  readonly input: Input;
  readonly output: Output;
  /** Without a context, the parts decide who the caller was. */
  run(parts: Parts, input: z.output<Input>, context?: OperationContext): Promise<z.input<Output>>;
}

/** Declares an operation; the schemas give `run` its types. */
export function defineOperation<Parts, Input extends z.ZodType, Output extends z.ZodType>(
  operation: Operation<Parts, Input, Output>,
): Operation<Parts, Input, Output> {
  return operation;
}

/** A process checks few inputs: compiling a parser costs more than it saves. */
const ONCE = { jitless: true };

/** The one check of form: turns what a surface was given into what the operation takes. Throws INVALID_INPUT with the place. */
export function checkInput<Input extends z.ZodType>(
  operation: { readonly input: Input },
  given: unknown,
): z.output<Input> {
  const result = operation.input.safeParse(given, ONCE);
  if (result.success) return result.data;
  const { place, reason } = firstIssue(result.error);
  throw new InvalidInputError(place === '' ? reason : `${place}: ${reason}`, { place });
}
