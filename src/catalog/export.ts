import { inMarkdown, redact } from '../foundation/index.js';
import type { SessionSummary } from './kind.js';

/** A record as JSON, with secrets blacked out in every text. */
export function exportRecord(record: object): string {
  return `${redactedJson(record)}\n`;
}

/** The facts of a session as Markdown, followed by sections of its kind. */
export function exportFacts(summary: SessionSummary, sections: readonly string[]): string {
  const { kind, id, status, title, agent, workingDirectory, createdAt, lastActivity } = summary;
  const facts = [
    ['Status', status],
    ['About', title],
    ['Agent', agent],
    ['Directory', workingDirectory],
    ['Created', createdAt],
    ['Last activity', lastActivity],
  ].filter((fact): fact is [string, string] => typeof fact[1] === 'string' && fact[1] !== '');
  const lines = facts.map(([name, value]) => `- ${name}: ${inMarkdown(redact(oneLine(value)))}`);
  const parts = [`# ${capitalize(kind)} session ${id}`, lines.join('\n'), ...sections];
  return `${parts.join('\n\n')}\n`;
}

/** A record as a section. Line breaks in its texts are escaped, so none of them can end the block. */
export function recordSection(record: object): string {
  return `## Record\n\n\`\`\`json\n${redactedJson(record)}\n\`\`\``;
}

export function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ');
}

function redactedJson(record: object): string {
  return JSON.stringify(record, (_key, value) => (typeof value === 'string' ? redact(value) : value), 2);
}

function capitalize(word: string): string {
  return `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`;
}
