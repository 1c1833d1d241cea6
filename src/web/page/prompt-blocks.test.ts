import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Block, blocksOf, plainWords, spansOf } from './prompt-blocks.js';

const textOf = (block: Block) =>
  block.kind === 'code' ? block.text : block.spans.map(({ text }) => text).join('');

describe('what an agent asks, as blocks', () => {
  it('are only the words in a single line', () => {
    expect(plainWords('**Bash** in `~/api`\n\n```sh\nnpm ci\nnpm test\n```')).toBe(
      'Bash in ~/api npm ci\nnpm test',
    );
  });

  it('are code, headings, items, quotes and lines', () => {
    const markdown = '# Title\n\nUse **Bash**:\n- `ls`\n> said\n```sh\nrm -rf *\n\n  x\n```\nend';
    expect(blocksOf(markdown).map((block) => [block.kind, textOf(block)])).toEqual([
      ['heading', 'Title'],
      ['text', 'Use Bash:'],
      ['item', 'ls'],
      ['quote', 'said'],
      ['code', 'rm -rf *\n\n  x'],
      ['text', 'end'],
    ]);
  });

  it('end code only at as many marks as began it: nothing in a command ends it', () => {
    const [block] = blocksOf('````\n```\nstill code\n````');
    expect(block).toEqual({ kind: 'code', name: '', text: '```\nstill code' });
    expect(blocksOf('```\nnever ended')).toEqual([{ kind: 'code', name: '', text: 'never ended' }]);
  });

  it('keep every character of code within a line', () => {
    expect(spansOf('run `` a`b **c** `` now')).toEqual([
      { text: 'run ', look: 'plain' },
      { text: ' a`b **c** ', look: 'code' },
      { text: ' now', look: 'plain' },
    ]);
  });

  it('leave links and markup as written, and show hidden characters', () => {
    const line = '[name](javascript:alert(1)) <img src=x onerror=alert(1)> \u202eevil';
    expect(blocksOf(line).map(textOf)).toEqual([
      '[name](javascript:alert(1)) <img src=x onerror=alert(1)> \\u{202e}evil',
    ]);
  });

  it('leave out nothing but marks and blanks, whatever is asked', () => {
    const piece = fc.constantFrom(
      '`',
      '**',
      '\n',
      '```\n',
      'a',
      ' ',
      '- ',
      '> ',
      '# ',
      '~~~',
      '\u200b',
      'x1',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
        const letters = (text: string) => text.replaceAll(/[^a-z0-9{}]/g, '');
        const shown = blocksOf(pieces.join(''))
          .map((block) => (block.kind === 'code' ? block.name : '') + textOf(block))
          .join('');
        const written = pieces.join('').replaceAll('\u200b', '{200b}');
        expect(letters(shown.replaceAll('\\u{200b}', '{200b}'))).toBe(letters(written));
      }),
    );
  });
});
