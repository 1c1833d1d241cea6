import { describe, expect, it } from 'vitest';
import { ATTACKS, assertVisible } from '../../../test/support/hostile-text.js';
import { reportOf } from '../../../test/support/report-fixture.js';
import { drawSpending } from './charts/cost.js';
import { drawQuestions } from './charts/questions.js';
import { drawTests } from './charts/tests.js';
import { timeAxis } from './charts/time-axis.js';
import { drawTimeline } from './charts/timeline.js';
import { toHtml } from './html.js';
import { reportFile, reportMarkdown, reportTree } from './index.js';
import { nameOf } from './iteration-parts.js';
import { code } from './markdown.js';
import { onTheWay } from './on-the-way.js';
import { placeOf, shortPlaceOf } from './words.js';

const column = { unit: 'RED', name: 'RED 1', passing: 1, total: 2, isCut: false };

describe('the charts', () => {
  it('stack failures as an outline above passes, and cross out what was cut short', () => {
    const { shapes, width, height } = drawTests([column, { ...column, isCut: true }], 236);
    expect([width, height]).toEqual([236, 166]);
    expect(shapes.filter(({ kind }) => kind === 'rect' || kind === 'sign')).toEqual([
      { kind: 'rect', x: 65, y: 20, width: 30, height: 60, look: 'hollow', title: 'RED 1: 1 of 2 pass' },
      { kind: 'rect', x: 65, y: 80, width: 30, height: 60, look: 'solid', title: 'RED 1: 1 of 2 pass' },
      { kind: 'sign', sign: 'cross', at: [180, 132], title: 'RED 1: cut short' },
    ]);
    expect(shapes).toContainEqual({
      kind: 'text',
      at: [80, 14],
      text: '1/2',
      anchor: 'middle',
      look: 'strong',
    });
  });

  it('draw what was used as steps below the budget line', () => {
    const spending = {
      fromMs: 0,
      toMs: 10_000,
      points: [
        { atMs: 5_000, value: 1 },
        { atMs: 10_000, value: 2 },
      ],
      limit: 4,
      pauses: [],
      words: String,
    };
    const { shapes } = drawSpending(spending, 224);
    const points = [
      [12, 132],
      [112, 132],
      [112, 106.5],
      [212, 106.5],
      [212, 81.1],
      [212, 81.1],
    ];
    expect(shapes).toContainEqual({ kind: 'curve', look: 'curve', points });
    expect(shapes).toContainEqual({ kind: 'line', from: [12, 30.1], to: [212, 30.1], look: 'limit' });
    const far = drawSpending({ ...spending, limit: 100 }, 224).shapes;
    expect(far.filter((shape) => shape.kind === 'line' && shape.look === 'limit')).toEqual([]);
    expect(far.map((shape) => (shape.kind === 'text' ? shape.text : ''))).toContain(
      'budget 100, far above this chart',
    );
  });

  it('give each phase a lane, and each kind of event its own sign', () => {
    const bar = { fromMs: 0, toMs: 5_000, look: 'solid', label: '1', title: 'RED 1' } as const;
    const { shapes } = drawTimeline(
      {
        fromMs: 0,
        toMs: 10_000,
        lanes: [{ name: 'RED', bars: [bar] }],
        moments: [{ atMs: 5_000, sign: 'cross', title: 'killed' }],
        pauses: [[5_000, 7_500]],
      },
      280,
    );
    expect(shapes.slice(0, 3)).toEqual([
      {
        kind: 'rect',
        x: 174,
        y: 6,
        width: 47,
        height: 52,
        look: 'band',
        title: 'no process ran it for 2.5s',
      },
      { kind: 'text', at: [72, 21], text: 'RED', anchor: 'end' },
      { kind: 'rect', x: 80, y: 10.5, width: 93, height: 15, look: 'solid', title: 'RED 1' },
    ]);
    expect(shapes).toContainEqual({ kind: 'sign', sign: 'cross', at: [174, 42], title: 'killed' });
  });

  it('label each tick of time differently', () => {
    const ticksOf = (toMs: number, right: number) =>
      timeAxis({ fromMs: 0, toMs, left: 0, right }, 0).flatMap((shape) =>
        shape.kind === 'text' ? [shape.text] : [],
      );
    expect(ticksOf(113_000, 520)).toEqual(['start', '15s', '30s', '45s', '1m', '1m 15s', '1m 30s', '1m 45s']);
    expect(ticksOf(90 * 60_000, 640)).toEqual(
      expect.arrayContaining(['10m', '1h', '1h 10m', '1h 20m', '1h 30m']),
    );
  });

  it('show how long an answer took and who gave it; a question without one gets an arrow', () => {
    const { shapes } = drawQuestions(
      [
        { name: 'Table', sign: 'circle', waitedMs: 60_000, by: 'cli' },
        { name: 'Limit', sign: 'diamond', waitedMs: null, by: 'pending' },
      ],
      720,
    );
    const texts = shapes.flatMap((shape) => (shape.kind === 'text' ? [shape.text] : []));
    expect(texts).toEqual(['Table', '1m 0s, cli', 'Limit', 'pending']);
    expect(shapes.flatMap((shape) => (shape.kind === 'sign' ? [shape.sign] : []))).toEqual([
      'circle',
      'diamond',
      'arrow',
    ]);
  });
});

describe('every S6 payload', () => {
  const PAYLOADS = [
    ...ATTACKS,
    '<img src=x onerror=alert(1)>',
    '"><svg onload=alert(2)>',
    '</style></title><script>alert(3)</script>',
    "' onmouseover='alert(4)",
    '[link](javascript:alert(5)) ![beacon](http://127.0.0.1:9/b.png)',
    '@octocat #12 owner/repo#1 https://example.test www.example.test',
    'a | b\n\n# Forged\n- [x] done\n</details>',
    '`` ` ``` ',
  ];

  const ours = reportFile(reportOf({ text: 'x' }), '0.0.0');
  const plainWords = reportMarkdown(reportOf({ text: 'x 1' }));

  it.each(PAYLOADS)('is text in the file: %j', (payload) => {
    const file = reportFile(reportOf({ text: payload }), '0.0.0');
    assertVisible(file, 'the file');
    const tags = (html: string) =>
      (html.match(/<[^>]*>/g) ?? []).map((tag) => tag.replaceAll(/"[^"]*"/g, '""'));
    expect(new Set(tags(file))).toEqual(new Set(tags(ours)));
  });

  it.each(PAYLOADS)('forges nothing in the Markdown: %j', (payload) => {
    const text = reportMarkdown(reportOf({ text: payload }));
    assertVisible(text, 'the Markdown');
    // With the code removed, only our own words are left.
    const bare = (markdown: string) => markdown.replaceAll(/(?<!`)(`+)(?!`)[\s\S]*?[^`]\1(?!`)/g, 'CODE');
    const plain = bare(plainWords);
    expect(bare(text)).toBe(plain);
  });

  it('stays in its code, whatever backticks it has', () => {
    expect(code('a`b')).toBe('``a`b``');
    expect(code('``')).toBe('``` `` ```');
    expect(code('a|b\nc')).toBe('`a¦b\\nc`');
    expect(code('GREEN')).toBe('GREEN');
  });
});

describe('a report', () => {
  it('first says what went wrong along the way, or nothing if nothing did', () => {
    const report = reportOf({ text: 'x' });
    expect(onTheWay(report)).toBe(
      'On the way: the breaker opened in x (x); x was skipped; its process ended without a word once and it was resumed once; 1 question answered.',
    );
    const straight = { ...report, openings: [], skipped: [], processes: [], questions: [] };
    expect(onTheWay(straight)).toBeNull();
  });

  it.each([
    ['cli', 'at the command line'],
    ['page:Safari on iPhone', 'on the page (Safari on iPhone)'],
    ['mcp:codex', 'by codex over MCP'],
    ['outside', 'by another program'],
    ['constructor', 'by constructor'],
  ])('says where something was decided: %s', (actor, words) => {
    expect(placeOf(actor)).toBe(words);
  });

  it('says it in two words beside a bar', () => {
    const actors = ['cli', 'page:Safari on iPhone', 'mcp:codex', 'constructor'];
    expect(actors.map(shortPlaceOf)).toEqual(['command line', 'page', 'codex', 'constructor']);
  });

  it('marks the second try of an iteration as such', () => {
    const [one] = reportOf({ text: 'GREEN' }).iterations;
    if (one === undefined) throw new Error('none');
    const again = { ...one };
    expect([nameOf(one, [one, again]), nameOf(again, [one, again])]).toEqual(['GREEN 1', 'GREEN 1 again']);
  });

  it('of 50 iterations is a file of at most 300 kB', () => {
    const file = reportFile(reportOf({ text: 'word '.repeat(400), iterations: 50 }), '0.0.0');
    expect(Buffer.byteLength(file)).toBeLessThanOrEqual(300_000);
    expect(file.match(/class="iteration /g)).toHaveLength(50);
  });

  it('of a thousand iterations leaves out those in the middle and says so', () => {
    const html = toHtml(reportTree(reportOf({ text: 'x', iterations: 1_000 })));
    expect(html.match(/class="iteration /g)).toHaveLength(160);
    expect(html).toContain('840 iterations are left out here');
  });

  it('as Markdown fits into a comment, however long the run was', () => {
    const text = reportMarkdown(reportOf({ text: 'word '.repeat(400), iterations: 1_000 }));
    expect(text.length).toBeLessThan(65_536);
  });

  it('without any data says what is missing', () => {
    const report = reportOf({ text: 'x', iterations: 0 });
    const html = toHtml(
      reportTree({
        ...report,
        gaps: [{ kind: 'journal-missing', words: 'There is no journal.' }],
        questions: [],
      }),
    );
    expect(html).toContain('What this report cannot show');
    expect(html).toContain('There is no journal.');
  });
});
