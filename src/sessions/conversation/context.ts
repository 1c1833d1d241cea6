import { estimateTokens, type TurnRole } from './schema.js';

/** A turn as it goes into a prompt. */
export interface ContextTurn {
  readonly role: TurnRole;
  readonly content: string;
  readonly tokens: number;
}

export interface ContextLimits {
  /** The size of the model's context window. */
  readonly maxTokens: number;
  /** The share of the window beyond which turns are left out. */
  readonly threshold?: number | undefined;
  readonly keepFirst?: number | undefined;
  readonly keepLast?: number | undefined;
}

/** What goes into a prompt. */
export interface Context {
  /** If turns were left out, a turn of role `system` says so. */
  readonly turns: readonly ContextTurn[];
  readonly tokens: number;
  /** How many turns were left out. */
  readonly omitted: number;
  /** How many turns were shortened. */
  readonly shortened: number;
}

const DEFAULTS = { threshold: 0.8, keepFirst: 2, keepLast: 10 } as const;

/**
 * Makes the turns of a conversation fit. Beyond 80 % of the window, only the first 2 and the last 10 remain, with a mark between
 * them and no answer without its question. Turns that are still too long are shortened. The file keeps everything.
 */
export function trimContext(turns: readonly ContextTurn[], limits: ContextLimits): Context {
  const budget = Math.floor(limits.maxTokens * (limits.threshold ?? DEFAULTS.threshold));
  const tokens = sumOf(turns);
  if (tokens <= budget) return { turns: [...turns], tokens, omitted: 0, shortened: 0 };
  const { first, last } = endsOf(turns, limits);
  const omitted = turns.length - first.length - last.length;
  const mark = omitted === 0 ? [] : [omissionMark(omitted)];
  const kept = shorten([...first, ...last], budget - sumOf(mark));
  const fitting = [...kept.slice(0, first.length), ...mark, ...kept.slice(first.length)];
  const shortened = kept.filter((turn, index) => turn !== [...first, ...last][index]).length;
  return { turns: fitting, tokens: sumOf(fitting), omitted, shortened };
}

/** A conversation as one prompt, for an agent that does not remember it. */
export function replayText(turns: readonly Pick<ContextTurn, 'role' | 'content'>[]): string {
  const tag = unusedTag(turns);
  const told = turns.map(({ role, content }) => `<${tag} role="${role}">\n${content}\n</${tag}>`);
  return [
    `This is our conversation so far, oldest turn first, each between <${tag}> and </${tag}>. Go on from its end; do not repeat it.`,
    ...told,
  ].join('\n\n');
}

function endsOf(
  turns: readonly ContextTurn[],
  limits: ContextLimits,
): { first: readonly ContextTurn[]; last: readonly ContextTurn[] } {
  const { keepFirst = DEFAULTS.keepFirst, keepLast = DEFAULTS.keepLast } = limits;
  if (turns.length <= keepFirst + keepLast) return { first: [], last: turns };
  let end = keepFirst;
  // A question is left out together with its answer.
  while (end > 0 && turns[end - 1]?.role === 'user' && turns[end]?.role === 'assistant') end -= 1;
  let start = turns.length - keepLast;
  while (start < turns.length && turns[start]?.role === 'assistant') start += 1;
  return { first: turns.slice(0, end), last: turns.slice(start) };
}

function omissionMark(omitted: number): ContextTurn {
  const content = `[${omitted} earlier ${omitted === 1 ? 'turn' : 'turns'} left out]`;
  return { role: 'system', content, tokens: estimateTokens(content) };
}

/** Shortens the longest turns first, so that short ones stay whole. */
function shorten(turns: readonly ContextTurn[], budget: number): ContextTurn[] {
  if (sumOf(turns) <= budget) return [...turns];
  const limit = fairLimit(
    turns.map(({ tokens }) => tokens),
    Math.max(0, budget),
  );
  return turns.map((turn) => (turn.tokens <= limit ? turn : shortenTurn(turn, limit)));
}

/** The most each may have so that all together stay within the budget. */
function fairLimit(sizes: readonly number[], budget: number): number {
  let left = budget;
  const ascending = [...sizes].sort((a, b) => a - b);
  for (const [index, size] of ascending.entries()) {
    const share = Math.floor(left / (ascending.length - index));
    if (size > share) return share;
    left -= size;
  }
  return Math.max(0, ...sizes);
}

/** Keeps the beginning and the end: they hold the question and the outcome. */
function shortenTurn(turn: ContextTurn, tokens: number): ContextTurn {
  const { role, content } = turn;
  const room = Math.floor((content.length * tokens) / turn.tokens);
  const mark = `\n[${content.length} characters, shortened]\n`;
  if (room < 2 * mark.length) return { role, content: content.slice(0, boundary(content, room)), tokens };
  const half = Math.floor((room - mark.length) / 2);
  const head = content.slice(0, boundary(content, half));
  const tail = content.slice(boundary(content, content.length - half));
  return { role, content: `${head}${mark}${tail}`, tokens };
}

/** The given place, or the one before it if a surrogate pair would be cut. */
function boundary(text: string, place: number): number {
  const code = text.charCodeAt(place);
  return code >= 0xdc00 && code <= 0xdfff ? Math.max(0, place - 1) : place;
}

function sumOf(turns: readonly ContextTurn[]): number {
  return turns.reduce((sum, { tokens }) => sum + tokens, 0);
}

/** A tag that no turn can close: an agent's text must not be able to pose as another turn. */
function unusedTag(turns: readonly Pick<ContextTurn, 'content'>[]): string {
  for (let number = 0; ; number++) {
    const tag = number === 0 ? 'turn' : `turn-${number}`;
    if (!turns.some(({ content }) => content.includes(`<${tag}`) || content.includes(`</${tag}`))) return tag;
  }
}
