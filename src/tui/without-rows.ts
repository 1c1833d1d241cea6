/** Ink clears the terminal, scrollback included, if a frame is taller than a shrunken terminal; ours are cut to its height. */
export function withoutRows(stdout: NodeJS.WriteStream): NodeJS.WriteStream {
  return new Proxy(stdout, {
    get(target, name) {
      if (name === 'rows') return undefined;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
