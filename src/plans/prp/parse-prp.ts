import { blocksOf, type MarkdownBlock } from './markdown-blocks.js';

/** What a loop needs to know of a PRP document. */
export interface PrpPlan {
  readonly title: string | null;
  readonly criteria: readonly PrpCriterion[];
  readonly phases: readonly string[];
  /** Commands of the validation sections, one per entry, as they are written there. */
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

/** Reads a PRP as people write them. What is not there is empty; nothing is guessed. */
export function parsePrp(text: string): PrpPlan {
  const { title, blocks } = blocksOf(text);
  return {
    title: title ?? titleOf(blocks),
    criteria: criteriaOf(blocks),
    phases: phasesOf(blocks),
    validationCommands: commandsOf(blocks),
  };
}

function titleOf(blocks: readonly MarkdownBlock[]): string | null {
  const heading = blocks.find((block) => block.kind === 'heading' && block.level === 1);
  if (heading?.kind !== 'heading') return null;
  return heading.text.replace(/^(prp|product requirements? (prompt|& plans?))\s*[:–—-]\s*/i, '') || null;
}

/** The items of the sections about criteria; boxes count before plain items, so that notes in between do not. */
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

/** Lines that a shell would run: comments and output left out, continued lines joined. */
function commandLines(code: string): string[] {
  const lines = code.replaceAll(/\s*\\\n\s*/g, ' ').split('\n');
  const isTranscript = lines.some((line) => /^\s*\$ /.test(line));
  return lines
    .filter((line) => !isTranscript || /^\s*\$ /.test(line))
    .map((line) => line.trim().replace(/^\$ /, ''))
    .map((line) => line.replace(/\s+#(?!\{).*$/, '').trim())
    .filter((line) => line !== '' && !line.startsWith('#'));
}

/** The blocks below each heading that fits, up to the next heading of its level or above. */
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
