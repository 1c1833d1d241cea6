/** What an agent's words suggest that it changed. */
export interface GuessedChanges {
  readonly madeChanges: boolean;
  readonly filesChanged: number;
}

const FILE = /\b(?:Created|Modified|Deleted) file\b/g;
const OTHER = /\b(?:wrote to|updated|changed)\b/;
const DENIED = /\b(?:nothing|no|none|never|not|without)\b[^.;\n]*\b(?:updated|changed)\b/gi;

/**
 * The process spec's text rules, for when nothing could be measured: phrases, not files. Unlike in its sketch, a
 * sentence saying that nothing changed does not count as a change.
 */
export function guessChanges(output: string): GuessedChanges {
  const filesChanged = [...output.matchAll(FILE)].length;
  return { madeChanges: filesChanged > 0 || OTHER.test(output.replaceAll(DENIED, '')), filesChanged };
}
