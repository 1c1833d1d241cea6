/**
 * Makes a value on first use and keeps it. Meant for regular expressions over Unicode properties: Node takes longer to
 * parse one than a small command takes to run, and most text is ASCII.
 */
export function once<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
