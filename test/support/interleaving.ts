import type { FileSystem } from '../../src/storage/index.js';
import { type Call, systemError } from './failing-file-system.js';
import type { Listing, LockFileSystem } from './memory-file-system.js';

/** Decisions of the world, for calls with more than one possible outcome. */
export interface Fate {
  /** Whether a name that appeared or vanished during a listing is listed. */
  isListed(name: string): boolean;
  /** The error a call gives, if it is to fail. */
  errorOf?(call: Call, path: string): string | undefined;
}

/**
 * A synchronous program that can be stopped between any two calls of its file system, though JavaScript cannot do that.
 * It is rerun from its start with the results of its earlier calls, and aborted by an exception at the first call not
 * allowed yet. So it must do the same each time: no time, no randomness, no outside state.
 */
export class SteppedProgram {
  /** Whether the program has finished. */
  isDone = false;
  readonly #world: LockFileSystem;
  readonly #fate: Fate;
  readonly #run: (fileSystem: FileSystem) => void;
  readonly #results: { readonly call: Call; readonly replay: (parameters: unknown[]) => unknown }[] = [];
  #listing: Listing | undefined;

  constructor(world: LockFileSystem, fate: Fate, run: (fileSystem: FileSystem) => void) {
    this.#world = world;
    this.#fate = fate;
    this.#run = run;
  }

  /** Lets the program make this many more calls. */
  step(calls = 1): void {
    let left = calls;
    this.#advance(() => left-- > 0);
  }

  /** Runs the program until its next call is this one (`listed` = in the middle of a listing). */
  stepUntil(call: Call | 'listed'): void {
    const isInside = () => this.#listing !== undefined;
    this.#advance((next) => (call === 'listed' ? !isInside() : isInside() || next !== call));
  }

  runToEnd(): void {
    this.#advance(() => true);
  }

  #advance(isAllowed: (call: Call) => boolean): void {
    if (this.isDone) return;
    let place = 0;
    let isSuspended = false;
    const suspend = () => {
      isSuspended = true;
      throw new Error('suspended');
    };
    const meet = (call: Call, parameters: unknown[]): unknown => {
      const known = this.#results[place];
      if (known !== undefined) {
        if (known.call !== call) throw new Error(`not the same program: ${call} instead of ${known.call}`);
        place += 1;
        return known.replay(parameters);
      }
      if (isSuspended || !isAllowed(call)) return suspend();
      if (call === 'list' && this.#listing === undefined) {
        this.#listing = this.#world.beginListing(String(parameters[0]));
        if (!isAllowed(call)) return suspend();
      }
      this.#results.push({ call, replay: this.#perform(call, parameters) });
      return meet(call, parameters);
    };
    try {
      this.#run(steppedFileSystem(meet));
      this.isDone = !isSuspended;
    } catch (error) {
      if (!isSuspended) throw error;
    }
  }

  /** Makes a call once and returns a function that repeats its outcome. */
  #perform(call: Call, parameters: unknown[]): (parameters: unknown[]) => unknown {
    const listing = this.#listing;
    this.#listing = undefined;
    try {
      const code = this.#fate.errorOf?.(call, String(parameters[0]));
      if (code !== undefined) throw systemError(code, call, String(parameters[0]));
      if (listing !== undefined) {
        const names = this.#world.endListing(listing, (name) => this.#fate.isListed(name));
        return () => [...names];
      }
      const method = this.#world[call] as (...parameters: unknown[]) => unknown;
      const result = method.apply(this.#world, parameters);
      if (call !== 'read') return () => result;
      const [, buffer, offset] = parameters as [number, Uint8Array, number];
      const bytes = Buffer.from(buffer.subarray(offset, offset + Number(result)));
      return ([, target, at]) => {
        (target as Uint8Array).set(bytes, at as number);
        return result;
      };
    } catch (error) {
      return () => {
        throw error;
      };
    }
  }
}

function steppedFileSystem(meet: (call: Call, parameters: unknown[]) => unknown): FileSystem {
  const handler = {
    get:
      (_target: object, call: Call) =>
      (...parameters: unknown[]) =>
        meet(call, parameters),
  };
  return new Proxy({}, handler) as FileSystem;
}
