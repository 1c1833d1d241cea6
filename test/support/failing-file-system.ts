import { constants } from 'node:fs';
import { type FileSystem, nodeFileSystem } from '../../src/storage/index.js';

export type Call = keyof FileSystem;

/** An errno, or `SHORT`: a write that writes only a part. */
export type Fault = 'ENOSPC' | 'EIO' | 'EACCES' | 'EMFILE' | 'EROFS' | 'SHORT';

export interface FaultPlan {
  readonly fault: Fault;
  /** Which of the calls that can give this fault is the first to do so, counted from 1. */
  readonly at: number;
  /** Whether all such calls after it fail too. */
  readonly isLasting?: boolean;
  /** Only calls with these names. */
  readonly only?: readonly Call[];
}

/** Which calls can really give which error; a test must not prove what no kernel does. */
const CAN_GIVE: Readonly<Record<Fault, readonly Call[]>> = {
  ENOSPC: ['open', 'write', 'sync', 'syncData', 'rename', 'link', 'makeDirectory'],
  EIO: [
    'open',
    'close',
    'read',
    'readText',
    'write',
    'sync',
    'syncData',
    'truncate',
    'changeMode',
    'factsOf',
    'look',
    'rename',
    'link',
    'unlink',
    'makeDirectory',
    'removeDirectory',
    'list',
    'readLink',
    'resolve',
  ],
  EACCES: [
    'open',
    'look',
    'rename',
    'link',
    'unlink',
    'makeDirectory',
    'removeDirectory',
    'list',
    'readLink',
    'resolve',
    'watch',
  ],
  EMFILE: ['open', 'list', 'watch'],
  EROFS: ['open', 'changeMode', 'rename', 'link', 'unlink', 'makeDirectory', 'removeDirectory'],
  SHORT: ['write'],
};

const CREATES = constants.O_CREAT;
const WRITES = constants.O_CREAT | constants.O_WRONLY | constants.O_RDWR;

/** A file system whose N-th call fails. It counts calls and tracks open descriptors. */
export class FailingFileSystem implements FileSystem {
  /** All calls by name, with their path or descriptor. */
  readonly calls: { readonly name: Call; readonly about: string }[] = [];
  /** Descriptors that were opened and not closed. */
  readonly openDescriptors = new Map<number, string>();
  /** Paths whose removal was made to fail; they may be left behind. */
  readonly unremovable = new Set<string>();
  readonly #inner: FileSystem;
  #plan: FaultPlan | undefined;
  #eligible = 0;
  #fired = 0;

  constructor(plan?: FaultPlan, inner: FileSystem = nodeFileSystem) {
    this.#inner = inner;
    this.#plan = plan;
  }

  /** How often the fault occurred. */
  get fired(): number {
    return this.#fired;
  }

  /** The first call with the fault. */
  firstFault: string | undefined;

  count(name: Call): number {
    return this.calls.filter((call) => call.name === name).length;
  }

  /** Starts a plan from here on; without one, faults stop. */
  arm(plan: FaultPlan | undefined): void {
    this.#plan = plan;
    this.#eligible = 0;
    this.#fired = 0;
    this.firstFault = undefined;
  }

  /** Runs an action to which the plan does not apply; its calls do not count. */
  suspended<Result>(action: () => Result): Result {
    const plan = this.#plan;
    this.#plan = undefined;
    try {
      return action();
    } finally {
      this.#plan = plan;
    }
  }

  open(path: string, flags: number, mode?: number): number {
    this.#meet('open', path, flags);
    const descriptor = this.#inner.open(path, flags, mode);
    this.openDescriptors.set(descriptor, path);
    return descriptor;
  }

  close(descriptor: number): void {
    const path = this.#pathOf(descriptor);
    this.openDescriptors.delete(descriptor);
    this.#inner.close(descriptor);
    this.#meet('close', path);
  }

  read(descriptor: number, buffer: Uint8Array, offset: number, length: number, position: number): number {
    this.#meet('read', this.#pathOf(descriptor));
    return this.#inner.read(descriptor, buffer, offset, length, position);
  }

  readText(descriptor: number): string {
    this.#meet('readText', this.#pathOf(descriptor));
    return this.#inner.readText(descriptor);
  }

  write(
    descriptor: number,
    buffer: Uint8Array,
    offset: number,
    length: number,
    position: number | null,
  ): number {
    const isShort = this.#meet('write', this.#pathOf(descriptor)) && length > 1;
    return this.#inner.write(descriptor, buffer, offset, isShort ? Math.floor(length / 2) : length, position);
  }

  sync(descriptor: number): void {
    this.#meet('sync', this.#pathOf(descriptor));
    this.#inner.sync(descriptor);
  }

  syncData(descriptor: number): void {
    this.#meet('syncData', this.#pathOf(descriptor));
    this.#inner.syncData(descriptor);
  }

  truncate(descriptor: number, length: number): void {
    this.#meet('truncate', this.#pathOf(descriptor));
    this.#inner.truncate(descriptor, length);
  }

  changeMode(descriptor: number, mode: number): void {
    this.#meet('changeMode', this.#pathOf(descriptor));
    this.#inner.changeMode(descriptor, mode);
  }

  factsOf(descriptor: number): ReturnType<FileSystem['factsOf']> {
    this.#meet('factsOf', this.#pathOf(descriptor));
    return this.#inner.factsOf(descriptor);
  }

  look(path: string): ReturnType<FileSystem['look']> {
    this.#meet('look', path);
    return this.#inner.look(path);
  }

  rename(from: string, to: string): void {
    this.#meet('rename', from);
    this.#inner.rename(from, to);
  }

  link(existing: string, added: string): void {
    this.#meet('link', added);
    this.#inner.link(existing, added);
  }

  unlink(path: string): void {
    this.#meet('unlink', path);
    this.#inner.unlink(path);
  }

  makeDirectory(path: string, mode: number): void {
    this.#meet('makeDirectory', path);
    this.#inner.makeDirectory(path, mode);
  }

  removeDirectory(path: string): void {
    this.#meet('removeDirectory', path);
    this.#inner.removeDirectory(path);
  }

  list(path: string): string[] {
    this.#meet('list', path);
    return this.#inner.list(path);
  }

  readLink(path: string): string {
    this.#meet('readLink', path);
    return this.#inner.readLink(path);
  }

  resolve(path: string): string {
    this.#meet('resolve', path);
    return this.#inner.resolve(path);
  }

  watch(...parameters: Parameters<FileSystem['watch']>): ReturnType<FileSystem['watch']> {
    this.#meet('watch', parameters[0]);
    return this.#inner.watch(...parameters);
  }

  #pathOf(descriptor: number): string {
    return this.openDescriptors.get(descriptor) ?? `descriptor ${descriptor}`;
  }

  /** Counts a call. Throws if it is its turn to fail; returns true if it must be short. */
  #meet(name: Call, about: string, flags = 0): boolean {
    this.calls.push({ name, about });
    const plan = this.#plan;
    if (plan === undefined || !canGive(plan, name, about, flags)) return false;
    this.#eligible += 1;
    const isDue = plan.isLasting === true ? this.#eligible >= plan.at : this.#eligible === plan.at;
    if (!isDue) return false;
    this.#fired += 1;
    this.firstFault ??= `${name} ${about}`;
    if (plan.fault === 'SHORT') return true;
    if (name === 'unlink') this.unremovable.add(about);
    throw systemError(plan.fault, name, about);
  }
}

/** An error as thrown by node:fs. */
export function systemError(code: string, call: string, path: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`${code}: injected, ${call} '${path}'`), { code, syscall: call, path });
}

function canGive(plan: FaultPlan, name: Call, about: string, flags: number): boolean {
  if (plan.only !== undefined && !plan.only.includes(name)) return false;
  if (!CAN_GIVE[plan.fault].includes(name)) return false;
  // The kernel generates /proc: only descriptors can run out there.
  if (about.startsWith('/proc/') && plan.fault !== 'EMFILE') return false;
  if (name !== 'open') return true;
  if (plan.fault === 'ENOSPC') return (flags & CREATES) !== 0;
  return plan.fault === 'EROFS' ? (flags & WRITES) !== 0 : true;
}
