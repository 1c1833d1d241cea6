import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../test/support/verifies.js';
import { countBlock, formatLearnings, insertLearnings } from './learnings.js';
import type { Learning } from './schema.js';

function learning(overrides: Partial<Learning> = {}): Learning {
  return {
    description: 'Use argon2id',
    taskId: null,
    storyId: '1',
    timestamp: '2026-11-15T08:00:00.000Z',
    ...overrides,
  };
}

const insert = (file: string | undefined, block = '- new') =>
  insertLearnings(file === undefined ? undefined : Buffer.from(file), block).toString();

describe('learnings in words', () => {
  it('are grouped by day and story', () => {
    const block = formatLearnings([
      learning({ taskId: '1.2' }),
      learning({ description: 'general', storyId: null }),
      learning({ description: 'later', timestamp: '2026-11-16T01:00:00+02:00' }),
      learning({ description: 'another day', timestamp: '2026-11-16T00:00:00.000Z' }),
    ]);
    expect(block).toBe(
      [
        '### 2026-11-15 - Story 1',
        '- Use argon2id (Task 1.2)',
        '- later',
        '',
        '### 2026-11-15 - Story General',
        '- general',
        '',
        '### 2026-11-16 - Story 1',
        '- another day',
      ].join('\n'),
    );
  });

  it('on several lines cannot pass for a heading or another item', () => {
    const block = formatLearnings([
      learning({ description: 'a\n## Learnings\r\n- b\n\n### x', storyId: '1\n## y' }),
    ]);
    const outside = block.split('\n').filter((line) => /^ {0,3}\S/.test(line));
    expect(outside).toEqual(['### 2026-11-15 - Story 1\\n## y', '- a']);
  });
});

describe('the section of learnings', () => {
  verifies('S06', 'is created if there is none', () => {
    expect(insert(undefined)).toBe('## Learnings\n\n- new\n');
    expect(insert('# Design')).toBe('# Design\n\n## Learnings\n\n- new\n');
    expect(insert('# Design\n\n')).toBe('# Design\n\n## Learnings\n\n- new\n');
  });

  verifies('S06', 'is added to wherever it is', () => {
    expect(insert('## Learnings\n\n- old\n\n## Risks\n\nnone\n')).toBe(
      '## Learnings\n\n- old\n\n- new\n\n## Risks\n\nnone\n',
    );
    expect(insert('# D\n## Learnings\n## Risks')).toBe('# D\n## Learnings\n\n- new\n\n## Risks');
    expect(insert('# D\n## Learnings')).toBe('# D\n## Learnings\n\n- new\n');
    expect(insert('## Learnings\n### sub\n- old')).toBe('## Learnings\n### sub\n- old\n\n- new\n');
  });

  it('is not found in a code block or in the middle of a line', () => {
    const text = '# D\n```md\n## Learnings\n```\nsee ## Learnings\n### Learnings\n## Learnings of others\n';
    expect(insert(text)).toBe(`${text}\n## Learnings\n\n- new\n`);
  });

  it('does not end at a heading in a code block', () => {
    expect(insert('## Learnings\n~~~\n# comment\n~~~\n# End\n')).toBe(
      '## Learnings\n~~~\n# comment\n~~~\n\n- new\n\n# End\n',
    );
  });

  it('keeps CRLF and bytes that are not UTF-8', () => {
    const file = Buffer.concat([Buffer.from('## Learnings\r\n'), Buffer.from([0xff, 0x0d, 0x0a])]);
    const expected = Buffer.concat([file, Buffer.from('\r\n- ü\r\n- b\r\n')]);
    expect(insertLearnings(file, '- ü\n- b').equals(expected)).toBe(true);
  });

  it('gets exactly the block, and everything else keeps its order (any file)', () => {
    const line = fc.constantFrom(
      '## Learnings',
      '## Risks',
      '# D',
      '',
      'text',
      '```',
      '- new',
      '  ## Learnings #',
    );
    const file = fc
      .tuple(fc.array(line, { maxLength: 10 }), fc.constantFrom('\n', '\r\n'))
      .map(([lines, lineBreak]) => lines.join(lineBreak));
    fc.assert(
      fc.property(file, (text) => {
        const block = '### day\n- new';
        const after = insert(text, block);
        expect(countBlock(after, block)).toBe(countBlock(text, block) + 1);
        const words = (some: string) => some.split(/\r?\n/).filter((one) => one !== '');
        const left = words(after);
        const at = left.indexOf('### day');
        left.splice(at, 2);
        const made = left.length > words(text).length ? left.splice(at - 1, 1) : [];
        expect(['', '## Learnings']).toContain(made.join());
        expect(left).toEqual(words(text));
      }),
    );
  });
});

describe('counting a block', () => {
  it('compares line by line, whatever the line breaks', () => {
    expect(countBlock('a\r\nb \r\na\nb', 'a\nb')).toBe(2);
    expect(countBlock('a b', 'a')).toBe(0);
    expect(countBlock('', 'a')).toBe(0);
  });
});
