// By its path, so that a build may put this file in the place of the package without a circle.
import { loadYoga } from '../../../node_modules/yoga-layout/dist/src/load.js';

/**
 * Ink's layout engine, in the place of its package in what is built. The package waits for it where it is imported, which only
 * a module can, and modules have no cached code; whoever loads Ink waits instead (`load-screen.ts`), before anything is drawn.
 */
const engine = {};
export default engine;

let loading: Promise<unknown> | undefined;

/** Whoever asks again gets the engine that is there: a screen may give way to another one in one process. */
export async function loadLayoutEngine(): Promise<void> {
  loading ??= load();
  await loading;
}

/**
 * The engine unpacks itself by way of `fetch` where there is one, for which Node loads a whole HTTP client: without it, it decodes the
 * bytes that it carries. And it has other threads compile them, for which it waits several times as long as it takes here: most of it is
 * only compiled when it is called.
 */
async function load(): Promise<void> {
  const { Module, Instance } = wasm;
  using _fetch = replacing(globalThis, 'fetch', undefined);
  using _instantiate = replacing(wasm, 'instantiate', async (bytes: Uint8Array, imports?: object) => {
    const module = new Module(bytes);
    return { module, instance: new Instance(module, imports) };
  });
  Object.assign(engine, await loadYoga());
}

/** As much of it as is used here; Node's types have less. */
interface WebAssembly {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object, imports?: object) => object;
}

const wasm = Reflect.get(globalThis, 'WebAssembly') as WebAssembly;

/** Puts another member into an object, until it is disposed of. */
function replacing(owner: object, name: string, value: unknown): Disposable {
  const before: unknown = Reflect.get(owner, name);
  Reflect.set(owner, name, value);
  return { [Symbol.dispose]: () => void Reflect.set(owner, name, before) };
}
