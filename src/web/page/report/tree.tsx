import { type ComponentChild, h } from 'preact';
import type { Node } from '../../../models/report/index.js';

/** A report's tree as elements of the page. Every text in it is a text node. */
export function elementOf(node: Node): ComponentChild {
  if (typeof node === 'string') return node;
  const { tag, attributes, children } = node;
  return h(tag, { ...attributes }, ...children.map(elementOf));
}
