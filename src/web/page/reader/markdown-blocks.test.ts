import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import attack from '../../../../test/fixtures/attack-strings.json' with { type: 'json' };
import { visibleBlock } from '../../../foundation/text/visible-text.js';
import { blocksOf } from './markdown-blocks.js';
import { markdownNodes, nodesOf } from './markdown-nodes.js';

/** Beginnings, middles and ends of Markdown lines: everything that could reach beyond an empty line, and more. */
const BEGINS = [
  '',
  '',
  '',
  ' ',
  '  ',
  '   ',
  '    ',
  '- ',
  '* ',
  '1. ',
  '2) ',
  '10. ',
  '> ',
  '# ',
  '- > ',
  '> - ',
];
const MIDDLES = [
  ...[
    '',
    '',
    'word',
    'All work and no play.',
    '```',
    '```ts',
    '``` a`b',
    '````',
    '~~~',
    '~~~ x',
    '---',
    '===',
    ':-',
  ],
  ...[
    '| a | b |',
    '|---|---|',
    '**b**',
    '*i*',
    '`c`',
    '``',
    '[x](http://a.b/c)',
    'http://a.b/',
    'a@b.cd',
    'www.a.b',
  ],
  ...[
    '<b>',
    '<!-- x',
    '-->',
    '<div>',
    '[x]: http://a.b',
    '[^1]',
    '[^1]: y',
    '&amp;',
    '\\*',
    '[x] done',
    '1',
    'a: b',
  ],
];
const ENDS = ['', '', '', ' ', '  ', '\\'];
const lineOfMarkdown = fc
  .tuple(fc.constantFrom(...BEGINS), fc.constantFrom(...MIDDLES), fc.constantFrom(...ENDS))
  .map((parts) => parts.join(''));

describe('Markdown in stretches', () => {
  it('means the same in stretches as in one, however strange it is', () => {
    fc.assert(
      fc.property(fc.array(lineOfMarkdown, { maxLength: 14 }), (lines) => {
        const text = lines.join('\n');
        expect(markdownNodes(text)).toEqual(nodesOf(visibleBlock(text)));
      }),
      { numRuns: 300 },
    );
  });

  it('means the same for hostile input', () => {
    for (const { text } of attack.cases)
      for (const whole of [text, `one\n\n${text}\n\ntwo`])
        expect(markdownNodes(whole)).toEqual(nodesOf(visibleBlock(whole)));
  });

  it('cuts at empty lines, but not in code, in a list or at a definition', () => {
    expect(blocksOf('a\nb\n\nc')).toEqual(['a\nb\n', 'c']);
    expect(blocksOf('```\na\n\nb\n```\n\nc')).toEqual(['```\na\n\nb\n```\n', 'c']);
    expect(blocksOf('- a\n\n  b\n\n- c\n\nd')).toEqual(['- a\n\n  b\n\n- c\n', 'd']);
    expect(blocksOf('[a][b]\n\n[b]: http://c.d')).toHaveLength(1);
    expect(blocksOf('<!-- a\n\nb -->')).toHaveLength(1);
  });
});
