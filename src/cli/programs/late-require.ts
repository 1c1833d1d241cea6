type Require = (id: string) => unknown;
type Members = Readonly<Record<string | symbol, unknown>>;

/**
 * Parts of Node, and what stands beside the files with commands that start often, that take longer to load than a small command
 * runs. Sources import them for what they do now and then; bundled as CommonJS, every use is a member of what `require` returned.
 */
const LATE: ReadonlySet<string> = new Set([
  './commander.cjs',
  'node:child_process',
  'node:os',
  'node:string_decoder',
  'node:tty',
  'node:zlib',
]);

/** `require`, which loads those at the first use of a member. */
export function lateRequire(require: Require): Require {
  return (id) => (LATE.has(id) ? lateModule(() => require(id) as Members) : require(id));
}

function lateModule(load: () => Members): object {
  return new Proxy(
    {},
    {
      get: (_target, name) => load()[name],
      has: (_target, name) => name in load(),
      // Whoever wants all members, such as an import of the default, gets them at once.
      ownKeys: () => Reflect.ownKeys(load()),
      getOwnPropertyDescriptor: (_target, name) => {
        const member = Reflect.getOwnPropertyDescriptor(load(), name);
        return member === undefined ? undefined : { ...member, configurable: true };
      },
    },
  );
}
