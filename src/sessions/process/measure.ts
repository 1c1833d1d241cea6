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

/** How working directories are looked at: with which programs, and what is left out. */
export type Workbench = WorkspaceTools & SnapshotOptions;

/** What an exchange came to in the working directory. */
export interface Measured {
  readonly madeChanges: boolean;
  readonly filesChanged: number;
  /** Null where the directory could not be measured; then the words of the agent are believed. */
  readonly changes: WorkspaceChanges | null;
  /** Of the tests that the agent ran; null when it ran none. */
  readonly testsPassed: boolean | null;
}

/** The measurement of one exchange: the directory before, then what is different. */
export class Measuring {
  readonly #end: () => Promise<WorkspaceChanges | undefined>;

  private constructor(end: () => Promise<WorkspaceChanges | undefined>) {
    this.#end = end;
  }

  /** Looks at the directory. What cannot be measured is told to the log, and keeps nobody from working. */
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

  /** What came of the exchange. Tests that its tools ran count; else what the agent says of tests. */
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
