import { join } from 'node:path';
import {
  type Codec,
  type Ids,
  type Logger,
  lenient,
  messageOf,
  record,
  text,
  type ValueOf,
  whole,
  withDefault,
} from '../foundation/index.js';
import {
  ensureDirectory,
  type FileSystem,
  judgeLife,
  listDirectory,
  type ProcessIdentity,
  ProcessRecord,
  readFile,
  removeQuietly,
  replaceQuick,
  writeQuick,
} from '../storage/index.js';
import { type ControlGroup, ControlGroups } from './control-group.js';
import { Family, type KnownProcess } from './family.js';
import { FamilyWatch } from './family-watch.js';
import { findMarked, findProcess, isStill, readProcessTable } from './process-table.js';

const knownProcesses = (value: unknown): readonly KnownProcess[] | undefined =>
  Array.isArray(value) ? value.filter(isKnownProcess) : undefined;
const KnownProcesses: Codec<readonly KnownProcess[] | undefined> = {
  fromDisk: knownProcesses,
  toDisk: knownProcesses,
};

/**
 * What is recorded about a program before it starts, so it can be found after we die. The usable parts of a record
 * count: an odd value costs only itself, not the rest.
 */
export const ProgramFile = record({
  version: withDefault(whole(), () => 1),
  marker: text,
  command: lenient(text, ''),
  supervisor: ProcessRecord,
  startedAt: lenient(text, ''),
  /** The control group it is in, if any. Records of earlier releases lack this and the next key. */
  controlGroup: lenient(text, undefined),
  /** Its processes that have lost the marker, so the marker alone would not find them. */
  unmarked: KnownProcesses,
});
export type ProgramRecord = Readonly<ValueOf<typeof ProgramFile>>;

export interface RegistryTools {
  readonly fileSystem: FileSystem;
  readonly ids: Ids;
  readonly log: Logger;
  readonly identity: ProcessIdentity;
}

/** A process that keeps running although its starter is gone. */
export interface LeftBehindProgram {
  readonly pid: number;
  /** The command that was started. */
  readonly command: string;
}

/** What was found of the programs of dead supervisors, and what was done about it. */
export interface OrphanReport {
  readonly ended: readonly { readonly marker: string; readonly pid: number; readonly command: string }[];
}

/**
 * The programs running now, one small file each. The record is written before the program starts and removed after the
 * last process of its tree has ended. It needs no sync, because no process outlives a power loss.
 */
export class ProgramRegistry {
  readonly #tools: RegistryTools;
  readonly directory: string;
  /** Programs that this process started and that may still be running. */
  readonly #own = new Map<string, ProgramRecord>();
  readonly #families = new Map<string, Family>();
  readonly #groups: ControlGroups;
  readonly #watch: FamilyWatch;

  constructor(tools: RegistryTools, directory: string) {
    this.#tools = tools;
    this.directory = directory;
    this.#groups = new ControlGroups(tools.fileSystem);
    this.#watch = new FamilyWatch(tools.fileSystem, (family) => this.#noteUnmarked(family));
  }

  /**
   * Records that a program is about to start and returns the marker it must carry. An agent also gets a control group,
   * if one can be created. Throws STORAGE_FAILED.
   */
  announce(command: string, now: Date, { isAgent = false } = {}): string {
    const marker = this.#tools.ids.token();
    ensureDirectory(this.#tools.fileSystem, this.directory);
    const group = isAgent ? this.#groups.create(marker) : null;
    const program: ProgramRecord = {
      version: 1,
      marker,
      command,
      supervisor: this.#tools.identity,
      startedAt: now.toISOString(),
      ...(group === null ? {} : { controlGroup: group.path }),
    };
    writeQuick(this.#tools.fileSystem, this.#path(marker), JSON.stringify(ProgramFile.toDisk(program)));
    if (this.#own.size === 0) process.on('exit', this.#endOwn);
    this.#own.set(marker, program);
    return marker;
  }

  /** Starts the program, in its control group if it has one. */
  inGroup<Result>(marker: string, start: () => Result): Result {
    const group = this.groupOf(marker);
    return group === null ? start() : group.inside(start);
  }

  /** Called once the program has started: from now on its processes are also known by their parents and sessions. */
  follow(marker: string, pid: number, { isAgent = false } = {}): Family {
    const { fileSystem } = this.#tools;
    const startTime = findProcess(fileSystem, pid)?.startTime ?? '0';
    const family = new Family(marker, { pid, startTime });
    this.#families.set(marker, family);
    if (isAgent) this.#watch.add(family);
    return family;
  }

  /** Called when an agent did something: it may have started something. */
  sign(): void {
    this.#watch.sign();
  }

  groupOf(marker: string): ControlGroup | null {
    const path = this.#own.get(marker)?.controlGroup;
    return path === undefined ? null : this.#groups.open(path, marker);
  }

  /** Forgets a program that has no process left. */
  forget(marker: string): void {
    this.groupOf(marker)?.remove();
    const family = this.#families.get(marker);
    if (family !== undefined) this.#watch.remove(family);
    this.#families.delete(marker);
    if (this.#own.delete(marker) && this.#own.size === 0) process.off('exit', this.#endOwn);
    removeQuietly(this.#tools.fileSystem, this.#path(marker));
  }

  /** An exit forced on us does not wait until our programs have left, so we end them with us. */
  readonly #endOwn = (): void => {
    for (const [marker, record] of [...this.#own]) {
      try {
        this.#endAll(record);
        this.forget(marker);
      } catch {
        // The record stays: the next start ends what is left.
      }
    }
  };

  #noteUnmarked({ marker, unmarked }: Family): void {
    const record = this.#own.get(marker);
    if (record === undefined || JSON.stringify(record.unmarked ?? []) === JSON.stringify(unmarked)) return;
    const changed = { ...record, unmarked };
    this.#own.set(marker, changed);
    replaceQuick(this.#tools, this.#path(marker), JSON.stringify(ProgramFile.toDisk(changed)));
  }

  /** Ends what is left of programs whose supervisor is proven dead. Never throws: it runs before other work. */
  endOrphans(): OrphanReport {
    const ended: { marker: string; pid: number; command: string }[] = [];
    for (const name of listDirectory(this.#tools.fileSystem, this.directory)) {
      try {
        const record = this.#read(name);
        if (record === undefined || this.#isSupervised(record)) continue;
        for (const pid of this.#endAll(record))
          ended.push({ marker: record.marker, pid, command: record.command });
        if (record.controlGroup !== undefined)
          this.#groups.open(record.controlGroup, record.marker)?.remove();
        this.forget(record.marker);
      } catch (error) {
        const told = { record: name, error: messageOf(error) };
        // A record cut off during writing belongs to a program that never started.
        if (isNobodys(this.#tools.fileSystem, name)) this.#tools.log.debug('program.record-unreadable', told);
        else this.#tools.log.warn('program.orphan-not-ended', told);
      }
    }
    if (ended.length > 0) this.#tools.log.warn('program.orphans-ended', { count: ended.length });
    return { ended };
  }

  /** What a process left running, its agent first; null if nothing. Never throws: its callers only look. */
  leftBehindBy(supervisor: ProcessIdentity): LeftBehindProgram | null {
    const { fileSystem, log } = this.#tools;
    const found = listDirectory(fileSystem, this.directory).flatMap(
      (name): (LeftBehindProgram & { readonly isAgent: boolean })[] => {
        try {
          const record = this.#read(name);
          if (record === undefined || !isSameProcess(record.supervisor, supervisor)) return [];
          const [first] = findMarked(fileSystem, record.marker);
          const isAgent = record.controlGroup !== undefined;
          return first === undefined ? [] : [{ pid: first.pid, command: record.command, isAgent }];
        } catch (error) {
          log.debug('program.record-unreadable', { record: name, error: messageOf(error) });
          return [];
        }
      },
    );
    const one = found.find(({ isAgent }) => isAgent) ?? found[0];
    return one === undefined ? null : { pid: one.pid, command: one.command };
  }

  /** Kills every process known to belong to a program: by control group, by marker, and by having been seen with it. */
  #endAll(record: ProgramRecord): number[] {
    const { fileSystem } = this.#tools;
    const group =
      record.controlGroup === undefined ? null : this.#groups.open(record.controlGroup, record.marker);
    const found: KnownProcess[] = findMarked(fileSystem, record.marker);
    if (this.#isOfThisMachine(record)) found.push(...(record.unmarked ?? []));
    const family = this.#families.get(record.marker);
    if (family !== undefined) found.push(...family.learn(fileSystem, readProcessTable(fileSystem)));
    const ended = found.filter((entry) => killExactly(fileSystem, entry, 'SIGKILL')).map(({ pid }) => pid);
    try {
      if (group?.isPopulated) group.kill();
    } catch (error) {
      this.#tools.log.debug('program.group-not-killed', { path: group?.path, error: messageOf(error) });
    }
    return ended;
  }

  /** A pid means something only in the boot and the namespaces in which it was recorded. */
  #isOfThisMachine({ supervisor }: ProgramRecord): boolean {
    const { identity } = this.#tools;
    return (
      supervisor.host === identity.host &&
      supervisor.bootId !== null &&
      supervisor.bootId === identity.bootId &&
      supervisor.pidNamespace === identity.pidNamespace &&
      supervisor.timeNamespace === identity.timeNamespace
    );
  }

  #isSupervised(record: ProgramRecord): boolean {
    return judgeLife(this.#tools.fileSystem, record.supervisor, this.#tools.identity).life !== 'dead';
  }

  #read(name: string): ProgramRecord | undefined {
    if (!RECORD_NAME.test(name)) return undefined;
    const content = readFile(this.#tools.fileSystem, join(this.directory, name));
    if (content === undefined) return undefined;
    const program = ProgramFile.fromDisk(JSON.parse(content));
    return program.marker === name.slice(0, 32) ? program : undefined;
  }

  #path(marker: string): string {
    return join(this.directory, `${marker}.json`);
  }
}

const RECORD_NAME = /^[0-9a-f]{32}\.json$/;

/** Whether no process carries the marker that a record is named after. */
function isNobodys(fileSystem: FileSystem, name: string): boolean {
  return findMarked(fileSystem, name.slice(0, 32)).length === 0;
}

function isSameProcess(one: ProcessIdentity, other: ProcessIdentity): boolean {
  return (
    one.pid === other.pid &&
    one.startTime === other.startTime &&
    one.bootId === other.bootId &&
    one.pidNamespace === other.pidNamespace &&
    one.host === other.host
  );
}

function isKnownProcess(value: unknown): value is KnownProcess {
  const { pid, startTime } = (value ?? {}) as Partial<KnownProcess>;
  return Number.isSafeInteger(pid) && Number(pid) > 1 && typeof startTime === 'string';
}

/** Signals one process after making sure that it is still the one we mean. False if it is not, or is gone. */
export function killExactly(fileSystem: FileSystem, entry: KnownProcess, signal: NodeJS.Signals): boolean {
  if (!isStill(fileSystem, entry)) return false;
  try {
    process.kill(entry.pid, signal);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
    throw error;
  }
}
