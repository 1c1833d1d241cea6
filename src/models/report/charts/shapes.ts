import { type Attributes, type Child, type Element, element } from '../markup.js';

/** A picture as data. It can be understood without colour: every look differs in shape or filling. */
export interface Drawing {
  readonly width: number;
  readonly height: number;
  readonly shapes: readonly Shape[];
}

export type Look =
  /** Done, passed, worked. */
  | 'solid'
  /** Failed, cut short: an outline. */
  | 'hollow'
  /** Waited: a dashed outline. */
  | 'waiting'
  /** Nothing ran: a pale background. */
  | 'band'
  | 'axis'
  | 'curve'
  | 'limit'
  | 'mark';

export type Sign = 'cross' | 'play' | 'diamond' | 'circle' | 'square' | 'arrow';

export type Shape =
  | {
      readonly kind: 'rect';
      readonly x: number;
      readonly y: number;
      readonly width: number;
      readonly height: number;
      readonly look: Look;
      readonly title?: string;
    }
  | {
      readonly kind: 'line';
      readonly from: Point;
      readonly to: Point;
      readonly look: Look;
    }
  | { readonly kind: 'curve'; readonly points: readonly Point[]; readonly look: Look }
  | { readonly kind: 'sign'; readonly sign: Sign; readonly at: Point; readonly title?: string }
  | {
      readonly kind: 'text';
      readonly at: Point;
      readonly text: string;
      readonly anchor?: 'start' | 'middle' | 'end';
      readonly look?: 'strong' | 'soft' | 'inside';
    };

export type Point = readonly [x: number, y: number];

/** Rounds to a tenth of a pixel, finer than the eye can see. */
export function rounded(value: number): number {
  return Math.round(value * 10) / 10;
}

/** The approximate width of a text; no character we draw is much wider than assumed. */
export function textWidth(text: string): number {
  const capitals = text.replaceAll(/[^A-Z]/g, '').length;
  return text.length * CHARACTER_WIDTH + capitals * (CAPITAL_WIDTH - CHARACTER_WIDTH);
}

const CHARACTER_WIDTH = 6.2;
const CAPITAL_WIDTH = 8.2;

/** The text cut to fit, or nothing if not even a few characters fit. */
export function fitting(text: string, width: number): string {
  if (textWidth(text) <= width) return text;
  let cut = text.slice(0, Math.max(0, Math.floor(width / CHARACTER_WIDTH) - 1));
  while (cut !== '' && textWidth(`${cut}…`) > width) cut = cut.slice(0, -1);
  return cut.length < 2 ? '' : `${cut}…`;
}

/** The picture as SVG. `label` describes it to readers who cannot see it. */
export function drawn({ width, height, shapes }: Drawing, label: string, look: string): Element {
  return element(
    'svg',
    { class: look, viewBox: `0 0 ${width} ${height}`, width, height, role: 'img', 'aria-label': label },
    shapes.map(shapeElement),
  );
}

function shapeElement(shape: Shape): Child {
  switch (shape.kind) {
    case 'rect': {
      const { x, y, width, height, look, title } = shape;
      return titled('rect', { class: look, x, y, width, height }, title);
    }
    case 'line': {
      const [[x1, y1], [x2, y2]] = [shape.from, shape.to];
      return element('line', { class: shape.look, x1, y1, x2, y2 });
    }
    case 'curve':
      return element('polyline', {
        class: shape.look,
        points: shape.points.map(([x, y]) => `${x},${y}`).join(' '),
      });
    case 'sign':
      return titled('path', { class: `sign ${shape.sign}`, d: pathOf(shape.sign, shape.at) }, shape.title);
    case 'text': {
      const { at, text, anchor = 'start', look } = shape;
      const [x, y] = at;
      const attributes: Attributes = { ...(look === undefined ? {} : { class: look }), x, y };
      return element(
        'text',
        anchor === 'start' ? attributes : { ...attributes, 'text-anchor': anchor },
        text,
      );
    }
  }
}

function titled(tag: string, attributes: Attributes, title: string | undefined): Element {
  return element(tag, attributes, title === undefined ? null : element('title', {}, title));
}

const SIZE = 4.5;

function pathOf(sign: Sign, [x, y]: Point): string {
  const [left, right, top, bottom] = [x - SIZE, x + SIZE, y - SIZE, y + SIZE].map(rounded);
  switch (sign) {
    case 'cross':
      return `M${left} ${top}L${right} ${bottom}M${left} ${bottom}L${right} ${top}`;
    case 'play':
      return `M${left} ${top}L${right} ${y}L${left} ${bottom}Z`;
    case 'diamond':
      return `M${x} ${top}L${right} ${y}L${x} ${bottom}L${left} ${y}Z`;
    case 'square':
      return `M${left} ${top}H${right}V${bottom}H${left}Z`;
    case 'circle':
      return `M${left} ${y}a${SIZE} ${SIZE} 0 1 0 ${2 * SIZE} 0a${SIZE} ${SIZE} 0 1 0 ${-2 * SIZE} 0Z`;
    case 'arrow':
      return `M${left} ${top}L${right} ${y}L${left} ${bottom}`;
  }
}
