import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyCharacter } from '../../test/support/any-character.js';
import { countSegmented, countWork } from '../../test/support/work.js';
import { visibleBlock } from '../foundation/index.js';
import { renderMarkdown } from './markdown.js';
import { type Span, widthOf } from './wrap.js';

const attacks = (
  JSON.parse(readFileSync(new URL('../../test/fixtures/attack-strings.json', import.meta.url), 'utf8')) as {
    cases: { name: string; text: string }[];
  }
).cases;

const textsOf = (lines: readonly (readonly Span[])[]) =>
  lines.map((line) => line.map(({ text }) => text).join(''));
const render = (markdown: string, width = 40) => textsOf(renderMarkdown(markdown, width));

/** Letters and digits alone: what rendering must never drop. */
const words = (text: string) => text.replaceAll(/[^\p{L}\p{N}]/gu, '');

describe('Markdown', () => {
  it.each<[string, string, Span[][]]>([
    ['plain text', 'Deploy now?', [[{ text: 'Deploy now?' }]]],
    ['headings', '## Plan', [[{ text: 'Plan', look: 'heading' }]]],
    ['strong text', 'a **b** c', [[{ text: 'a ' }, { text: 'b', look: 'bold' }, { text: ' c' }]]],
    ['soft text', 'a *b* c', [[{ text: 'a ' }, { text: 'b', look: 'italic' }, { text: ' c' }]]],
    ['code in a line', 'run `npm *i*`', [[{ text: 'run ' }, { text: 'npm *i*', look: 'code' }]]],
    ['code with a backtick inside', '``a`b``', [[{ text: 'a`b', look: 'code' }]]],
    ['code in three backticks within a line', '```npm test```', [[{ text: 'npm test', look: 'code' }]]],
    ['blocks of code', '```\na  *b*\n```\nc', [[{ text: '  a  *b*', look: 'code' }], [{ text: 'c' }]]],
    [
      'the name of a language',
      '```ts\na\n```',
      [[{ text: 'ts', look: 'dim' }], [{ text: '  a', look: 'code' }]],
    ],
    ['blocks of code in tildes', '~~~\na\n~~~', [[{ text: '  a', look: 'code' }]]],
    [
      'lists',
      '- one\n* two',
      [
        [{ text: '• ' }, { text: 'one' }],
        [{ text: '• ' }, { text: 'two' }],
      ],
    ],
    ['numbered lists', '1. one', [[{ text: '1. ' }, { text: 'one' }]]],
    ['quotes', '> said', [[{ text: '│ ' }, { text: 'said' }]]],
    ['links with their address', '[here](https://e.org/x)', [[{ text: 'here (https://e.org/x)' }]]],
    ['blank lines between, not around', '\n\na\n\nb\n\n', [[{ text: 'a' }], [], [{ text: 'b' }]]],
    ['names with underscores as they are', 'snake_case_name', [[{ text: 'snake_case_name' }]]],
  ])('shows %s', (_name, markdown, expected) => {
    expect(renderMarkdown(markdown, 40)).toEqual(expected);
  });

  it.each([
    '**open',
    '`open',
    '```open',
    '~~~',
    '[open](',
    '[open',
    '*',
    '**',
    '`',
    '> ',
    '- ',
    '#',
    '####### x',
  ])('shows the words of %s, which is never closed', (markdown) => {
    expect(words(render(markdown).join(''))).toBe(words(markdown));
  });

  it('hangs the lines of an item under its mark', () => {
    expect(render('- one two three four', 10)).toEqual(['• one two', '  three', '  four']);
    expect(render('> one two three four', 10)).toEqual(['│ one two', '│ three', '│ four']);
  });

  it.each(attacks.map(({ name, text }) => [name, text] as const))(
    'shows the attack %s harmlessly',
    (_name, text) => {
      for (const markdown of [
        text,
        `# ${text}`,
        `- ${text}`,
        `> ${text}`,
        `**${text}**`,
        `\`${text}\``,
        `\`\`\`\n${text}`,
      ]) {
        for (const line of render(markdown)) {
          expect(line).not.toMatch(/[\0-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u200b]/);
          expect(widthOf(line)).toBeLessThanOrEqual(40);
        }
      }
    },
  );

  it('fits the width, drops no word and lets no control byte through, whatever the input', () => {
    const piece = fc.oneof(
      fc.constantFrom(
        '**',
        '*',
        '`',
        '```',
        '[',
        '](',
        ')',
        '\n',
        '# ',
        '- ',
        '        - ',
        '999) ',
        '> ',
        '__',
        '\\',
        'word ',
        '日本',
        '\u0301',
      ),
      fc.string({ unit: anyCharacter, maxLength: 5 }),
    );
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 40, size: 'max' }),
        fc.integer({ min: 18, max: 60 }),
        (pieces, width) => {
          const markdown = pieces.join('');
          const lines = render(markdown, width);
          for (const line of lines) {
            expect(widthOf(line)).toBeLessThanOrEqual(width);
            expect(line).not.toMatch(/[\0-\x1f\x7f-\x9f]/);
            expect(line).not.toMatch(/^\p{M}/u);
          }
          expect(words(lines.join(''))).toBe(words(visibleBlock(markdown)));
        },
      ),
      { numRuns: 300, seed: 7 },
    );
  });

  it.each([
    ['letters', 'x'],
    ['wide characters', '日'],
    ['words', 'lorem '],
    ['backticks', '`'],
    ['stars', '*a'],
    ['brackets', '[a]('],
    ['lines of backticks', `${'`'.repeat(1_900)}x\n`],
    ['lines of stars', `${'**a '.repeat(480)}\n`],
  ])('renders 200 kB of %s with work that grows with the length', (_name, unit) => {
    const markdown = unit.repeat(Math.floor(200_000 / unit.length));
    using segmented = countSegmented();
    using paired = countWork(String.prototype, 'matchAll', (text) => String(text).length);
    renderMarkdown(markdown, 78);
    // Finding pairs of marks is quadratic in the length of a line, and cutting in that of a piece.
    expect(paired.largest).toBeLessThanOrEqual(2_000);
    expect(paired.total).toBeLessThanOrEqual(markdown.length);
    expect(segmented.largest).toBeLessThanOrEqual(1_024);
    expect(segmented.total).toBeLessThanOrEqual(8 * markdown.length);
  });
});
