import { join } from 'node:path';
import type { ClientName, ClientPlaces } from './client.js';
import { lineEndingOf } from './settings-editor.js';

const ASKING = `Ask the person when a decision is theirs: a requirement that can be read in two ways, a preference, something that cannot
be undone. Do not ask what you can find out yourself, and do not ask whether a plan is ready.

- Use the MCP tool \`ask_user_questions\`: 1 to 5 questions, 2 to 5 options each. The option that you recommend comes first and ends
  with \`(Recommended)\`. The person can always answer in their own words.
- Give a \`requestId\` of your own: the same call with the same \`requestId\` is the same question, not a second one.
- \`pending\` means that nobody has answered yet. Keep the session id, go on with what does not depend on it, and fetch the answer
  later with \`get_answered_questions\`. Never invent an answer.
- \`rejected\` means that the person does not want to answer: do not ask again; take the careful way, or stop and say what is missing.
- Without MCP: \`holdfast ask --no-wait --file questions.json\`, later \`holdfast questions collect <session>\`.
- A permission that is denied with words is an instruction: follow the words, and do not try the same in another way.`;

const SKILL = `---
name: holdfast
description: How to ask the person a question that outlives the call (ask_user_questions, get_answered_questions, holdfast ask). Use it when a decision belongs to the person, or when an answer may come late.
---

# Asking the person

${ASKING}
`;

const BEGIN = '<!-- holdfast: begin -->';
const END = '<!-- holdfast: end -->';
const SECTION = `${BEGIN}\n## Asking the person\n\n${ASKING}\n${END}\n`;

/** The text that teaches an agent to ask, and where it goes. */
export interface SkillFile {
  readonly path: string;
  /** A file of its own, or a marked section in one that belongs to the user. */
  readonly kind: 'file' | 'section';
  readonly text: string;
}

export function skillFile(client: ClientName, places: ClientPlaces): SkillFile {
  const { home, project, claudeConfigDir, codexHome, configHome } = places;
  if (client === 'claude') {
    const below =
      project === undefined ? (claudeConfigDir ?? join(home, '.claude')) : join(project, '.claude');
    return { path: join(below, 'skills', 'holdfast', 'SKILL.md'), kind: 'file', text: SKILL };
  }
  const own = {
    codex: join(codexHome ?? join(home, '.codex'), 'AGENTS.md'),
    gemini: join(home, '.gemini', 'GEMINI.md'),
    opencode: join(configHome, 'opencode', 'AGENTS.md'),
  };
  const ofProject = client === 'gemini' ? 'GEMINI.md' : 'AGENTS.md';
  return {
    path: project === undefined ? own[client] : join(project, ofProject),
    kind: 'section',
    text: SECTION,
  };
}

/** Adds the text; one that the user has edited stays. */
export function addSkill({ kind, text }: SkillFile, body: string): string {
  if (kind === 'file') return body === '' ? text : body;
  if (body.includes(BEGIN)) return body;
  const eol = lineEndingOf(body);
  const gap = body === '' ? '' : eol.repeat(body.endsWith('\n') ? 1 : 2);
  return `${body}${gap}${text.replaceAll('\n', eol)}`;
}

/** Removes the text: the marked section, or the file if nobody has changed it. */
export function removeSkill({ kind, text }: SkillFile, body: string): string {
  if (kind === 'file') return body === text ? '' : body;
  const begin = body.indexOf(BEGIN);
  const end = body.indexOf(END, begin);
  if (begin === -1 || end === -1) return body;
  const after = body.slice(end + END.length).replace(/^\r?\n/, '');
  // The blank line before it was ours too.
  const before = body.slice(0, begin).replace(/(\n)\r?\n$/, '$1');
  return `${before}${after}`;
}

/** Whether the text is there, as we write it or as edited by the user. */
export function hasSkill({ kind }: SkillFile, body: string): boolean {
  return kind === 'file' ? body !== '' : body.includes(BEGIN);
}
