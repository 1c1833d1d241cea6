import type { Options } from 'micromark';
import { gfm, gfmHtml } from 'micromark-extension-gfm';

/**
 * Constructs that only some texts have, by their micromark names, each with the trace without which a text has none. Looking
 * for addresses at every letter and for a table in every paragraph takes several times as long as everything else.
 */
const RARE: readonly (readonly [names: readonly string[], trace: RegExp])[] = [
  [['emailAutolink'], /@/],
  [['protocolAutolink', 'wwwAutolink'], /:\/\/|www\./i],
  [['table'], /\||:-|-:/],
];

type Extension = NonNullable<Options['extensions']>[number];
type Constructs = NonNullable<Extension['text']>;

const ALL = gfm();
const HTML = [gfmHtml()];
const made = new Map<string, Options>();

/** How micromark reads a text: GitHub's Markdown, without the constructs the text has no trace of. */
export function optionsFor(text: string): Options {
  const absent = RARE.filter(([, trace]) => !trace.test(text)).flatMap(([names]) => names);
  const key = absent.join(' ');
  const known = made.get(key);
  if (known !== undefined) return known;
  const extension = {
    ...ALL,
    ...(ALL.text === undefined ? {} : { text: without(ALL.text, absent) }),
    ...(ALL.flow === undefined ? {} : { flow: without(ALL.flow, absent) }),
  };
  const options = { extensions: [extension], htmlExtensions: HTML };
  made.set(key, options);
  return options;
}

function without(constructs: Constructs, absent: readonly string[]): Constructs {
  const kept = Object.entries(constructs).map(([code, one]) => [
    code,
    [one ?? []].flat().filter(({ name }) => name === undefined || !absent.includes(name)),
  ]);
  return Object.fromEntries(kept.filter(([, list]) => (list?.length ?? 0) > 0));
}
