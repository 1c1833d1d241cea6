import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Where a run can be made to stop from outside, by what it is waiting for. */
export type Place = 'check' | 'pre-receive' | 'post-receive' | `git-${string}`;

/**
 * Files that say which run stops where: a gate the agent goes through, a check, the hooks of a git server, and a `git`
 * placed before the real one. Each looks for the id of the run, which is in the name of its worktree and refs.
 */
export class StoppingPlaces {
  /** The first entry of PATH on the machine whose git stops. */
  readonly bin: string;
  readonly #stops: string;
  readonly #seen: string;

  constructor(directory: string) {
    this.bin = join(directory, 'bin');
    this.#stops = join(directory, 'stops');
    this.#seen = join(directory, 'seen');
    for (const path of [this.bin, this.#stops, this.#seen]) mkdirSync(path, { recursive: true });
    const real = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
    this.#program(
      join(this.bin, 'git'),
      `for stop in ${this.#stops}/git-*=*; do
  words=\${stop##*/git-}
  case " $* " in *" \${words%%=*} "*) ;; *) continue ;; esac
  case "$PWD $*" in *"\${words#*=}"*) touch ${this.#seen}/"\${stop##*/}"; exec sleep 600 ;; esac
done
exec ${real} "$@"`,
    );
  }

  /** Makes a git server stop in its hooks. */
  hookInto(remote: string): void {
    mkdirSync(join(remote, 'hooks'), { recursive: true });
    for (const hook of ['pre-receive', 'post-receive'])
      this.#program(
        join(remote, 'hooks', hook),
        `while read -r old new ref; do
  run=\${ref#refs/holdfast/}
  stop=${hook}=\${run%%/*}
  if [ -f ${this.#stops}/$stop ]; then touch ${this.#seen}/$stop; sleep 600; fi
done
exit 0`,
      );
  }

  /** For a shell in a run's worktree: continues once there is no such file. */
  words(place: 'check'): string {
    const stop = `${place}=$(basename "$PWD")`;
    return `if [ -f ${this.#stops}/${stop} ]; then touch ${this.#seen}/${stop}; sleep 600; fi`;
  }

  /** For a shell in a run's worktree: waits until the gate of this name is opened for it. */
  gate(name: string): string {
    const stop = `gate=${name}=$(basename "$PWD")`;
    return `touch ${this.#seen}/${stop}; until [ -f ${this.#stops}/${stop} ]; do sleep 0.05; done`;
  }

  open(gate: string, run: string): void {
    this.#write(`gate=${gate}=${run}`);
  }

  isAtGate(gate: string, run: string): boolean {
    return existsSync(join(this.#seen, `gate=${gate}=${run}`));
  }

  stop(place: Place, run: string): void {
    this.#write(`${place}=${run}`);
  }

  hasStopped(place: Place, run: string): boolean {
    return existsSync(join(this.#seen, `${place}=${run}`));
  }

  /** From now on nothing stops; whatever has stopped already stays stopped. */
  clear(): void {
    rmSync(this.#stops, { recursive: true, force: true });
    mkdirSync(this.#stops);
  }

  #write(name: string): void {
    writeFileSync(join(this.#stops, name), '');
  }

  #program(path: string, lines: string): void {
    writeFileSync(path, `#!/bin/sh\n${lines}\n`);
    chmodSync(path, 0o755);
  }
}
