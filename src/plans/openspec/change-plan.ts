import { join } from 'node:path';
import {
  attempt,
  type FileSystem,
  isTemporaryName,
  listDirectory,
  lookAt,
  readUserFile,
  removeQuietly,
  type StorageTools,
  updateUserFile,
} from '../../storage/index.js';
import { type Change, fileOfChange, type Project } from './project.js';
import { readScenarios, type Scenario } from './scenarios.js';
import { readStories, type Story, type Task } from './tasks.js';
import { tickTask } from './tick-task.js';

/** The files of one change that people and agents write and that we read; all we add are ticks and learnings. */
export class ChangePlan {
  readonly change: Change;
  readonly #project: Project;
  readonly #tools: StorageTools;

  constructor(tools: StorageTools, project: Project, change: Change) {
    this.#tools = tools;
    this.#project = project;
    this.change = change;
  }

  stories(): Story[] {
    return readStories(this.read('tasks.md') ?? '');
  }

  /** The text of one of its documents, or undefined if it does not exist. Throws UNSAFE_PATH. */
  read(name: 'tasks.md' | 'proposal.md' | 'design.md'): string | undefined {
    return readUserFile(this.#fileSystem, this.#file(name));
  }

  /** Every scenario in its spec files, at any depth of directories. */
  scenarios(): Scenario[] {
    return this.#specFiles('specs').flatMap(({ name, capability }) =>
      readScenarios(readUserFile(this.#fileSystem, this.#file(name)) ?? '', capability),
    );
  }

  /**
   * Ticks or unticks a task durably and returns the resulting stories; everything else in the file stays as it is right
   * before the replacement. `choose` picks the task from the current stories, and may be called again.
   */
  tick(choose: (stories: readonly Story[]) => Task, isDone = true): readonly Story[] {
    let stories: readonly Story[] = [];
    updateUserFile(this.#tools, this.#file('tasks.md'), (file = Buffer.alloc(0)) => {
      const ticked = tickTask(file, choose, isDone);
      stories = ticked.stories;
      return ticked.file === file ? undefined : ticked.file;
    });
    return stories;
  }

  /**
   * Changes design.md durably. `edit` gets the content from right before the replacement; if it returns undefined, the
   * file is left alone.
   */
  updateDesign(edit: (file: Buffer | undefined) => Buffer | undefined): void {
    const { directory } = this.change;
    const facts = lookAt(this.#fileSystem, directory);
    // A new file is as open as the directory it is created in.
    updateUserFile(this.#tools, this.#file('design.md'), edit, (facts?.mode ?? 0o700) & 0o666);
  }

  /** Removes what a killed writer has left beside our files. Only the owner of the lock may call this. */
  sweep(): void {
    const { directory } = this.change;
    for (const name of listDirectory(this.#fileSystem, directory)) {
      if (isTemporaryName(name, 'tasks.md') || isTemporaryName(name, 'design.md'))
        removeQuietly(this.#fileSystem, join(directory, name));
    }
  }

  get #fileSystem(): FileSystem {
    return this.#tools.fileSystem;
  }

  #file(name: string): string {
    return fileOfChange(this.#fileSystem, this.#project, this.change, name);
  }

  #specFiles(directory: string): { name: string; capability: string }[] {
    const path = join(this.change.directory, directory);
    return listDirectory(this.#fileSystem, path)
      .sort()
      .flatMap((entry) => {
        const name = join(directory, entry);
        const kind = attempt(path, 'look at', () => this.#fileSystem.look(join(path, entry)))?.kind;
        if (kind === 'directory') return this.#specFiles(name);
        return entry.endsWith('.md') ? [{ name, capability: directory.replace(/^specs\/?/, '') }] : [];
      });
  }
}
