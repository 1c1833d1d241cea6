import { blocksOf, type MarkdownBlock, markdownSections } from './markdown-blocks.js';

/** What a loop needs to know about a PRP document. */
export interface PrpPlan {
  readonly title: string | null;
  /** The phases to go through according to its front matter, as written there. */
  readonly preset: string | null;
  readonly criteria: readonly PrpCriterion[];
  readonly phases: readonly string[];
  /** The commands of the validation sections, one per entry, as written there. */
  readonly validationCommands: readonly string[];
}

export interface PrpCriterion {
  readonly text: string;
  readonly isDone: boolean;
}

const CRITERIA = /\b(success|acceptance|completion|exit) criteria\b|\bdefinition of done\b/i;
const PHASES = /^(implementation |delivery )?(phases|milestones)\b/i;
const PHASE = /^(?:phase|milestone)\s+(?:\d+|[ivx]+)\s*[:.–—-]\s*(.+)$/i;
const VALIDATION = /\b(validation|verification|validate|verify|quality gates?)\b/i;
const LEVEL = /^level\s+\d+/i;
const SHELL = /^(bash|sh|shell|zsh|console|shell-session|)$/i;
const CHECKBOX = /^\[( |x|X)\]\s+(.*)$/;

/** Reads a PRP as people write them. Missing parts are empty; nothing is guessed. */
export function parsePrp(text: string): PrpPlan {
  const { title, phases, blocks } = blocksOf(text);
  return {
    title: title ?? titleOf(blocks),
    preset: phases,
    criteria: criteriaOf(blocks),
    phases: phasesOf(blocks),
    validationCommands: commandsOf(blocks),
  };
}

/** What a section of a plan is about, according to its heading. */
export type PrpTopic = 'goal' | 'context' | 'work' | 'documents' | 'validation' | 'criteria' | 'other';

export interface PrpSection {
  readonly heading: string;
  readonly topic: PrpTopic;
  readonly text: string;
}

const TOPICS: readonly (readonly [PrpTopic, RegExp])[] = [
  ['criteria', CRITERIA],
  ['validation', /\b(validation|verification|validate|verify|quality gates?|testing|test plan|checklist)\b/i],
  ['documents', /\b(documentation|docs|readme|decision records?|adrs?)\b/i],
  [
    'goal',
    /\b(goals?|purpose|summary|overview|what|why|problem|user stor(y|ies)|feature|motivation|scope|non-goals?)\b/i,
  ],
  [
    'context',
    /\b(context|background|gotchas?|conventions?|patterns?|constraints?|codebase|references?|assumptions?|risks?|edge cases?|principles|notes?|dependencies|requirements?)\b/i,
  ],
  [
    'work',
    /\b(implementation|blueprint|tasks?|steps?|approach|design|data models?|integration|interface|api|behaviou?r|phases?|milestones?|plan)\b/i,
  ],
];

/** The sections of a PRP with their topics, in order. Sections below another have its topic, except for criteria. */
export function prpSections(document: string): PrpSection[] {
  let above: PrpTopic = 'other';
  return markdownSections(document).flatMap(({ heading, level, text }) => {
    const own = TOPICS.find(([, pattern]) => pattern.test(heading))?.[0] ?? 'other';
    const isBelow = level > 2 && above !== 'other' && own !== 'criteria';
    const topic = level === 1 ? 'goal' : isBelow ? above : own;
    if (level <= 2) above = level === 1 ? 'other' : own;
    return text === '' ? [] : [{ heading, topic, text }];
  });
}

function titleOf(blocks: readonly MarkdownBlock[]): string | null {
  const heading = blocks.find((block) => block.kind === 'heading' && block.level === 1);
  if (heading?.kind !== 'heading') return null;
  return heading.text.replace(/^(prp|product requirements? (prompt|& plans?))\s*[:–—-]\s*/i, '') || null;
}

/** The items of the sections about criteria; if there are boxes, plain items do not count, so notes in between are ignored. */
function criteriaOf(blocks: readonly MarkdownBlock[]): PrpCriterion[] {
  return sectionsOf(blocks, (text) => CRITERIA.test(text)).flatMap((section) => {
    const items = section.filter((block) => block.kind === 'item').map((block) => block.text);
    const boxes = items.filter((item) => CHECKBOX.test(item));
    return (boxes.length > 0 ? boxes : items).map(toCriterion);
  });
}

function toCriterion(item: string): PrpCriterion {
  const [, mark, text] = CHECKBOX.exec(item) ?? [];
  return { text: text ?? item, isDone: mark !== undefined && mark !== ' ' };
}

/** Headings such as `Phase 1: Models`, or the items below a heading `Phases`. */
function phasesOf(blocks: readonly MarkdownBlock[]): string[] {
  const headings = blocks.flatMap((block) => {
    const [, name] = block.kind === 'heading' ? (PHASE.exec(block.text) ?? []) : [];
    return name === undefined ? [] : [name.trim()];
  });
  if (headings.length > 0) return headings;
  const [section = []] = sectionsOf(blocks, (text) => PHASES.test(text));
  return section
    .filter((block) => block.kind === 'item' && block.indent === 0)
    .map(({ text }) => text.replace(CHECKBOX, '$2').replaceAll('**', ''))
    .map((text) => PHASE.exec(text)?.[1] ?? text);
}

function commandsOf(blocks: readonly MarkdownBlock[]): string[] {
  const commands: string[] = [];
  for (const section of sectionsOf(blocks, (text) => VALIDATION.test(text) || LEVEL.test(text))) {
    for (const block of section) {
      if (block.kind === 'code' && SHELL.test(block.language)) commands.push(...commandLines(block.text));
    }
  }
  return [...new Set(commands)];
}

/** Lines that a shell would run: without comments and output, with continued lines joined. */
function commandLines(code: string): string[] {
  const lines = code.replaceAll(/\s*\\\n\s*/g, ' ').split('\n');
  const isTranscript = lines.some((line) => /^\s*\$ /.test(line));
  return lines
    .filter((line) => !isTranscript || /^\s*\$ /.test(line))
    .map((line) => line.trim().replace(/^\$ /, ''))
    .map((line) => line.replace(/\s+#(?!\{).*$/, '').trim())
    .filter((line) => line !== '' && !line.startsWith('#'));
}

/** The blocks below each matching heading, up to the next heading of its level or above. */
function sectionsOf(blocks: readonly MarkdownBlock[], fits: (heading: string) => boolean): MarkdownBlock[][] {
  const sections: MarkdownBlock[][] = [];
  let end = 0;
  for (const [index, block] of blocks.entries()) {
    if (index < end || block.kind !== 'heading' || !fits(block.text)) continue;
    const length = blocks
      .slice(index + 1)
      .findIndex((other) => other.kind === 'heading' && other.level <= block.level);
    end = length === -1 ? blocks.length : index + 1 + length;
    sections.push(blocks.slice(index + 1, end));
  }
  return sections;
}
