import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type TempDir, tempDir } from '../../test/support/temp-dir.js';
import { nodeFileSystem } from '../storage/index.js';
import { TranscriptTail } from './transcript-tail.js';

const TOOL = { name: 'Bash', input: { command: 'ls', description: 'Lists' } };
const call = (id: string, input: unknown = TOOL.input) => line({ type: 'tool_use', id, name: 'Bash', input });
const result = (id: string) => line({ type: 'tool_result', tool_use_id: id, content: 'ran' });
const line = (block: unknown) => `${JSON.stringify({ message: { content: [block] } })}\n`;

function tailOf(dir: TempDir, text: string) {
  const path = dir.at('transcript.jsonl');
  writeFileSync(path, text);
  const tail = new TranscriptTail(nodeFileSystem, path);
  return { tail, add: (more: string) => writeFileSync(path, more, { flag: 'a' }) };
}

describe('the end of a transcript', () => {
  it('shows when the call has its result, in whatever order its keys are', async () => {
    await using dir = await tempDir();
    const { tail, add } = tailOf(dir, call('1', { description: 'Lists', command: 'ls' }));
    expect(tail.hasResultOf(TOOL)).toBe(false);
    add(result('1'));
    expect(tail.hasResultOf(TOOL)).toBe(true);
  });

  it('does not mistake the result of an equal earlier call for its own', async () => {
    await using dir = await tempDir();
    const { tail, add } = tailOf(dir, `${call('1')}${result('1')}`);
    expect(tail.hasResultOf(TOOL)).toBe(false);
    add(call('2'));
    expect(tail.hasResultOf(TOOL)).toBe(false);
    add(result('2'));
    expect(tail.hasResultOf(TOOL)).toBe(true);
  });

  it('takes a call and a line that come in pieces', async () => {
    await using dir = await tempDir();
    const { tail, add } = tailOf(dir, '');
    const text = `${call('1')}not json "tool_use"\n${call('other', { command: 'pwd' })}${result('other')}${result('1')}`;
    for (const piece of text.match(/[\s\S]{1,7}/g) ?? []) {
      expect(tail.hasResultOf(TOOL)).toBe(false);
      add(piece);
    }
    expect(tail.hasResultOf(TOOL)).toBe(true);
  });

  it('says nothing about a missing file', () => {
    expect(new TranscriptTail(nodeFileSystem, '/nowhere/at/all').hasResultOf(TOOL)).toBe(false);
  });
});
