/**
 * Makes a value at its first use and keeps it. For expressions over properties of Unicode: Node takes longer to read one than a
 * small command runs, and most text is ASCII.
 */
export function once<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
