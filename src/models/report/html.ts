import type { Node } from './markup.js';

/** A tree as HTML. No text or attribute value can break out of its place. */
export function toHtml(node: Node): string {
  if (typeof node === 'string') return encode(node);
  const { tag, attributes, children } = node;
  const given = Object.entries(attributes).map(([name, value]) => ` ${name}="${encode(String(value))}"`);
  return `<${tag}${given.join('')}>${children.map(toHtml).join('')}</${tag}>`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

export function encode(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}
