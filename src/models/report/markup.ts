/** One element of a report: HTML or SVG. Its texts are texts; whoever writes them out encodes them. */
export interface Element {
  readonly tag: string;
  readonly attributes: Attributes;
  readonly children: readonly Node[];
}

export type Node = Element | string;
export type Attributes = Readonly<Record<string, string | number>>;

/** What a child may be: what is not there is left out. */
export type Child = Node | null | false | readonly Child[];

export function element(tag: string, attributes: Attributes, ...children: readonly Child[]): Element {
  return { tag, attributes, children: children.flatMap(present) };
}

/** An element with nothing but a class. */
export function block(tag: string, look: string, ...children: readonly Child[]): Element {
  return element(tag, look === '' ? {} : { class: look }, ...children);
}

function present(child: Child): Node[] {
  if (child === null || child === false) return [];
  return isList(child) ? child.flatMap(present) : [child];
}

function isList(child: Child): child is readonly Child[] {
  return Array.isArray(child);
}
