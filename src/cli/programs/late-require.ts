type Require = (id: string) => unknown;
type Members = Readonly<Record<string | symbol, unknown>>;

/**
 * Modules of Node, and files next to the commands that start often, that take longer to load than a small command runs. Sources
 * import them for things they rarely do; bundled as CommonJS, every use is a member of what `require` returned.
 */
const LATE: ReadonlySet<string> = new Set([
  './commander.cjs',
  'node:child_process',
  'node:os',
  'node:string_decoder',
  'node:tty',
  'node:zlib',
]);

/** A `require` that loads those modules at the first use of a member. */
export function lateRequire(require: Require): Require {
  return (id) => (LATE.has(id) ? lateModule(() => require(id) as Members) : require(id));
}

function lateModule(load: () => Members): object {
  return new Proxy(
    {},
    {
      get: (_target, name) => load()[name],
      has: (_target, name) => name in load(),
      // Asking for all members, as an import of the default does, loads the module at once.
      ownKeys: () => Reflect.ownKeys(load()),
      getOwnPropertyDescriptor: (_target, name) => {
        const member = Reflect.getOwnPropertyDescriptor(load(), name);
        return member === undefined ? undefined : { ...member, configurable: true };
      },
    },
  );
}
