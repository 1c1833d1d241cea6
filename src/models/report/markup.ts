/** One element of a report: HTML or SVG. Its texts are plain; they are encoded when written out. */
export interface Element {
  readonly tag: string;
  readonly attributes: Attributes;
  readonly children: readonly Node[];
}

export type Node = Element | string;
export type Attributes = Readonly<Record<string, string | number>>;

/** What a child can be; null and false are left out. */
export type Child = Node | null | false | readonly Child[];

export function element(tag: string, attributes: Attributes, ...children: readonly Child[]): Element {
  return { tag, attributes, children: children.flatMap(present) };
}

/** An element whose only attribute is a class. */
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
