// By its path, so that a build can replace the package with this file without a cycle.
import { loadYoga } from '../../../node_modules/yoga-layout/dist/src/load.js';

/**
 * Ink's layout engine, which replaces its package in the build. The package awaits the engine on import, which only an ES
 * module can, and modules have no cached code. Instead, `load-screen.ts` awaits it before anything is drawn.
 */
const engine = {};
export default engine;

let loading: Promise<unknown> | undefined;

/** A second call gets the engine already loaded: one process can show several screens in turn. */
export async function loadLayoutEngine(): Promise<void> {
  loading ??= load();
  await loading;
}

/**
 * The engine unpacks itself with `fetch` if there is one, for which Node loads a whole HTTP client; without `fetch` it
 * decodes the bytes it carries. It also compiles them on other threads and waits several times longer than compiling here
 * takes, since most of it is only compiled when called.
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

/** The part used here; Node's types have less. */
interface WebAssembly {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object, imports?: object) => object;
}

const wasm = Reflect.get(globalThis, 'WebAssembly') as WebAssembly;

/** Replaces a member of an object until disposed. */
function replacing(owner: object, name: string, value: unknown): Disposable {
  const before: unknown = Reflect.get(owner, name);
  Reflect.set(owner, name, value);
  return { [Symbol.dispose]: () => void Reflect.set(owner, name, before) };
}
