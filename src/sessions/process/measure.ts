import { type Logger, messageOf } from '../../foundation/index.js';
import type { Gatherer, Measurement } from './response.js';

/** Looks at a working directory before and after a prompt, and at what tests said. */
export interface Workbench {
  /** Remembers how the directory is now; the result tells what changed since. */
  begin(directory: string): Promise<() => Promise<Measurement>>;
  /** Whether the last tests in an output passed; null when there were none. */
  testsPassed(output: string): boolean | null;
}

/** The measurement of one exchange. What cannot be measured is told to the log and guessed from the text later. */
export class Measuring {
  readonly #workbench: Workbench | undefined;
  readonly #end: (() => Promise<Measurement>) | undefined;
  readonly #onFailure: (error: unknown) => undefined;

  private constructor(
    workbench: Workbench | undefined,
    end: (() => Promise<Measurement>) | undefined,
    onFailure: (error: unknown) => undefined,
  ) {
    this.#workbench = workbench;
    this.#end = end;
    this.#onFailure = onFailure;
  }

  static async begin(
    tools: { readonly workbench?: Workbench | undefined; readonly log: Logger },
    sessionId: string,
    directory: string,
  ): Promise<Measuring> {
    const onFailure = (error: unknown): undefined => {
      tools.log.warn('process.not-measured', { sessionId, error: messageOf(error) });
    };
    const end = await tools.workbench?.begin(directory).catch(onFailure);
    return new Measuring(tools.workbench, end, onFailure);
  }

  /** What changed in the directory; null where that could not be measured. */
  async changes(): Promise<Measurement | null> {
    return (await this.#end?.().catch(this.#onFailure)) ?? null;
  }

  /** Tests that the agent's tools ran count; else what it says of tests. */
  testsPassed({ toolOutput, text }: Gatherer): boolean | null {
    return this.#workbench?.testsPassed(toolOutput) ?? this.#workbench?.testsPassed(text) ?? null;
  }
}
