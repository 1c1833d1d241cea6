import { type Logger, messageOf } from '../../foundation/index.js';
import {
  compareSnapshots,
  guessChanges,
  parseTestResults,
  type SnapshotOptions,
  takeSnapshot,
  type WorkspaceChanges,
  type WorkspaceTools,
} from '../../workspace/index.js';
import type { Gatherer } from './gatherer.js';

/** How working directories are examined: with which programs, and what is left out. */
export type Workbench = WorkspaceTools & SnapshotOptions;

/** What an exchange changed in the working directory. */
export interface Measured {
  readonly madeChanges: boolean;
  readonly filesChanged: number;
  /** Null if the directory could not be measured; then the agent's word is taken. */
  readonly changes: WorkspaceChanges | null;
  /** Whether the tests that the agent ran passed; null if it ran none. */
  readonly testsPassed: boolean | null;
}

/** The measurement of one exchange: the directory before it, then the differences. */
export class Measuring {
  readonly #end: () => Promise<WorkspaceChanges | undefined>;

  private constructor(end: () => Promise<WorkspaceChanges | undefined>) {
    this.#end = end;
  }

  /** Takes a snapshot of the directory. A failed measurement is logged and does not stop the work. */
  static async begin(
    tools: { readonly workbench?: Workbench | undefined; readonly log: Logger },
    sessionId: string,
    directory: string,
  ): Promise<Measuring> {
    const { workbench, log } = tools;
    if (workbench === undefined) return new Measuring(async () => undefined);
    const onFailure = (error: unknown): undefined => {
      log.warn('process.not-measured', { sessionId, error: messageOf(error) });
    };
    const before = await takeSnapshot(workbench, directory, workbench).catch(onFailure);
    return new Measuring(async () => {
      if (before === undefined) return undefined;
      const after = await takeSnapshot(workbench, directory, workbench).catch(onFailure);
      return after === undefined
        ? undefined
        : compareSnapshots(workbench, before, after, workbench).catch(onFailure);
    });
  }

  /** The result of the exchange. Tests run by the agent's tools count; otherwise what the agent says about tests. */
  async end(gatherer: Gatherer): Promise<Measured> {
    const changes = await this.#end();
    const testsPassed = passedIn(gatherer.toolOutput) ?? passedIn(gatherer.text);
    if (changes === undefined) return { ...guessChanges(gatherer.text), changes: null, testsPassed };
    const { created, modified, deleted, hasChanges } = changes;
    const filesChanged = created.length + modified.length + deleted.length;
    return { madeChanges: hasChanges, filesChanged, changes, testsPassed };
  }
}

function passedIn(output: string): boolean | null {
  return output === '' ? null : (parseTestResults(output).isPass ?? null);
}
