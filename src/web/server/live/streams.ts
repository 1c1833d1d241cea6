import { type Device, isStillSignedIn, watchDevices } from '../files/devices.js';
import type { WebPlace } from '../files/web-place.js';
import type { PageStream } from './stream.js';

/** The open streams by device; a device revoked in any process loses its streams. */
export class Streams implements Disposable {
  readonly #place: WebPlace;
  readonly #open = new Map<string, Set<PageStream>>();
  readonly #watch: { close(): void };

  constructor(place: WebPlace) {
    this.#place = place;
    this.#watch = watchDevices(place, () => this.#endRevoked());
  }

  count({ id }: Device): number {
    return this.#open.get(id)?.size ?? 0;
  }

  add({ id }: Device, stream: PageStream): void {
    this.#open.set(id, (this.#open.get(id) ?? new Set()).add(stream));
    // It may have been revoked while the stream was being opened.
    this.#endRevoked();
  }

  remove({ id }: Device, stream: PageStream): void {
    const streams = this.#open.get(id);
    streams?.delete(stream);
    if (streams?.size === 0) this.#open.delete(id);
  }

  [Symbol.dispose](): void {
    this.#watch.close();
    for (const stream of this.#all()) stream.close('stopping');
  }

  #endRevoked(): void {
    for (const [id, streams] of [...this.#open])
      if (!isStillSignedIn(this.#place, id)) for (const stream of [...streams]) stream.close('revoked');
  }

  #all(): PageStream[] {
    return [...this.#open.values()].flatMap((streams) => [...streams]);
  }
}
