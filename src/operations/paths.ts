import * as z from 'zod';
import { defineOperation } from '../foundation/index.js';

/** Every path that belongs to us, by what it holds, and what decided the roots. */
export interface Paths {
  readonly paths: Readonly<Record<string, string>>;
  readonly rootsFrom: string;
}

export interface PathsParts {
  readonly places: { paths(): Paths };
}

export const showPaths = defineOperation({
  name: 'path.list',
  summary: 'Print every path that belongs to Holdfast',
  effect: 'read',
  capability: 'admin',
  surfaces: ['cli'],
  get input() {
    return z.strictObject({});
  },
  get output() {
    return z.custom<Paths>();
  },
  async run({ places }: PathsParts) {
    return places.paths();
  },
});

export const pathOperations = [showPaths] as const;
