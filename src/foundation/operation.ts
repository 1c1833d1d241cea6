import type * as z from 'zod';

/** One action of the product: a name, what goes in, what comes out. Surfaces are lists of these. */
export interface Operation<Services, Input extends z.ZodType, Output extends z.ZodType> {
  readonly name: string;
  readonly summary: string;
  readonly input: Input;
  readonly output: Output;
  run(services: Services, input: z.output<Input>, signal?: AbortSignal): Promise<z.input<Output>>;
}

/** Declares an operation; the schemas give `run` its types. */
export function defineOperation<Services, Input extends z.ZodType, Output extends z.ZodType>(
  operation: Operation<Services, Input, Output>,
): Operation<Services, Input, Output> {
  return operation;
}
