/** Ink empties the terminal, scrollback included, when a frame is higher than the terminal became; ours are cut to it. */
export function withoutRows(stdout: NodeJS.WriteStream): NodeJS.WriteStream {
  return new Proxy(stdout, {
    get(target, name) {
      if (name === 'rows') return undefined;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
