import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { tempDir } from '../../test/support/temp-dir.js';
import { nodeFileSystem } from '../storage/index.js';
import { interruptedAt } from './interruption.js';

const AT = '2026-11-16T12:00:00.000Z';
const said = (type: string, content: unknown, more: object = {}) =>
  `${JSON.stringify({ type, message: { role: type, content }, timestamp: AT, ...more })}\n`;
const text = (words: string) => [{ type: 'text', text: words }];
const PROMPT = said('user', 'do it');
const ANSWER = said('assistant', text('I do it.'));
const ESCAPE = said('user', text('[Request interrupted by user]'));
const ESCAPE_TOOL = said('user', text('[Request interrupted by user for tool use]'));
const ASIDE = `${JSON.stringify({ type: 'file-history-snapshot', snapshot: {} })}\n`;

describe('interruptedAt', () => {
  it.each([
    ['a turn that was interrupted', PROMPT + ESCAPE, AT],
    ['one that was interrupted at a tool', PROMPT + ANSWER + ESCAPE_TOOL, AT],
    ['records behind it that nobody said', PROMPT + ESCAPE + ASIDE, AT],
    ['a record of a subagent behind it', PROMPT + ESCAPE + said('assistant', [], { isSidechain: true }), AT],
    ['a long turn before it', ANSWER.repeat(2_000) + ESCAPE, AT],
    ['a turn that goes on', PROMPT + ANSWER, undefined],
    ['a turn after it', PROMPT + ESCAPE + PROMPT, undefined],
    ['a record that is still being written', PROMPT + ESCAPE.trimEnd(), undefined],
    [
      'an agent that speaks of it',
      PROMPT + said('assistant', text('[Request interrupted by user]')),
      undefined,
    ],
    ['what is no JSON', `"message" [Request interrupted by user]\n`, undefined],
    ['nothing', '', undefined],
  ])('%s', async (_, content, expected) => {
    await using dir = await tempDir();
    writeFileSync(dir.at('t.jsonl'), content);
    expect(interruptedAt(nodeFileSystem, dir.at('t.jsonl'), 0)).toBe(expected);
  });

  it('counts neither the end of an earlier turn nor a missing file', async () => {
    await using dir = await tempDir();
    writeFileSync(dir.at('t.jsonl'), PROMPT + ESCAPE);
    expect(interruptedAt(nodeFileSystem, dir.at('t.jsonl'), (PROMPT + ESCAPE).length)).toBe(undefined);
    expect(interruptedAt(nodeFileSystem, dir.at('gone'), 0)).toBe(undefined);
  });
});
