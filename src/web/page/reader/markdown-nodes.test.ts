import { micromark } from 'micromark';
import { gfm, gfmHtml } from 'micromark-extension-gfm';
import { describe, expect, it } from 'vitest';
import attack from '../../../../test/fixtures/attack-strings.json' with { type: 'json' };
import { type MarkdownNode, markdownNodes } from './markdown-nodes.js';
import { optionsFor } from './markdown-options.js';

/** Everything shown, and every address linked to. */
function shown(nodes: readonly MarkdownNode[]): { text: string; hrefs: string[]; names: string[] } {
  const found = { text: '', hrefs: [] as string[], names: [] as string[] };
  const walk = (node: MarkdownNode): void => {
    if (typeof node === 'string') {
      found.text += node;
      return;
    }
    found.names.push(node.name);
    if (node.href !== undefined) found.hrefs.push(node.href);
    if (node.host !== undefined) found.text += node.host;
    node.children.forEach(walk);
  };
  nodes.forEach(walk);
  return found;
}

const PAYLOADS = [
  '<script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '<svg/onload=alert(1)>',
  '<iframe srcdoc="<script>alert(1)</script>"></iframe>',
  '<meta http-equiv="refresh" content="0;url=http://127.0.0.1/">',
  '<a href="javascript:alert(1)">x</a>',
  '[x](javascript:alert(1))',
  '[x](JaVaScRiPt:alert(1))',
  '[x](java&#10;script:alert(1))',
  '[x](data:text/html;base64,PHNjcmlwdD4=)',
  '[x](vbscript:msgbox)',
  '[x](//127.0.0.1/a)',
  '[x](/api/logout)',
  '[x](http://user@127.0.0.1/)',
  '<javascript:alert(1)>',
  '![x](http://127.0.0.1/beacon.png)',
  '![x](javascript:alert(1))',
  '`<b>` **<i>**',
  '</section></div><script>alert(1)</script>',
  '| a |\n|---|\n| <script>alert(1)</script> |',
  '&lt;script&gt;alert(1)&lt;/script&gt;',
  '[a][b]\n\n[b]: javascript:alert(1) "t"',
  '[^1]\n\n[^1]: <script>alert(1)</script>',
];

/** Each contains something that is looked for only if the text has a trace of it. */
const RARE = [
  'to a.b+c@example.org, please',
  'http://example.org/a?b (HTTPS://EXAMPLE.ORG) www.example.org WWW.example.org',
  'a | b\n- | -\n1 | 2',
  'a\n:-\n1',
  'a\n-:\n1',
  '> | a |\n> |---|\n> | b@example.org |',
  '~~gone~~ [^1]\n\n[^1]: a note\n\n- [x] done',
];

describe('Markdown as nodes', () => {
  it.each([...PAYLOADS, ...attack.cases.map(({ text }) => text)])('keeps %j inert', (text) => {
    const { text: words, hrefs, names } = shown(markdownNodes(text));
    for (const href of hrefs) expect(href).toMatch(/^(https?:\/\/|mailto:)/);
    for (const name of ['script', 'img', 'iframe', 'svg', 'meta', 'style', 'input'])
      expect(names).not.toContain(name);
    expect(words).not.toMatch(
      /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200b\u202a-\u202e\u2066-\u2069\u{e0000}-\u{e007f}]/u,
    );
  });

  it('makes characters written as references visible too', () => {
    expect(shown(markdownNodes('a&#x202e;b &#27;[2J')).text).toBe('a\\u{202e}b \ufffd[2J');
  });

  it('shows what was written as a tag', () => {
    expect(shown(markdownNodes('<b>bold</b> <script>alert(1)</script>')).text).toBe(
      '<b>bold</b> <script>alert(1)</script>',
    );
  });

  it('has headings, lists, tasks, tables, code and links', () => {
    expect(markdownNodes('# One `two`\n\n- [x] done\n- open\n\n```ts\na < b\n```\n')).toEqual([
      { name: 'h1', children: ['One ', { name: 'code', children: ['two'] }] },
      {
        name: 'ul',
        children: [
          { name: 'li', children: [{ name: 'task', children: [], isDone: true }, ' done'] },
          { name: 'li', children: ['open'] },
        ],
      },
      { name: 'pre', children: [{ name: 'code', children: ['a < b\n'], language: 'ts' }] },
    ]);
    expect(markdownNodes('see https://example.org/a?b=1&c=2')).toEqual([
      {
        name: 'p',
        children: [
          'see ',
          {
            name: 'a',
            href: 'https://example.org/a?b=1&c=2',
            host: 'example.org',
            children: ['https://example.org/a?b=1&c=2'],
          },
        ],
      },
    ]);
    expect(markdownNodes('| a | b |\n|---|---|\n| 1 | ~~2~~ |')).toMatchObject([
      { name: 'table', children: [{ name: 'thead' }, { name: 'tbody' }] },
    ]);
  });

  it('links to pictures and never shows them', () => {
    expect(markdownNodes('![the plan](https://example.org/a.png)')).toEqual([
      {
        name: 'p',
        children: [
          { name: 'image', children: ['the plan'], href: 'https://example.org/a.png', host: 'example.org' },
        ],
      },
    ]);
  });

  it('does not link to our own address, or to a host with a user name', () => {
    expect(
      shown(markdownNodes('[a](/r/1) [b](#t3) [c](src/a.ts) [d](https://bank.example@evil.example/)')).hrefs,
    ).toEqual([]);
  });

  it.each([...RARE, ...PAYLOADS, ...attack.cases.map(({ text }) => text)])(
    'reads %j as all of GitHub’s Markdown would be read',
    (text) => {
      const whole = micromark(text, { extensions: [gfm()], htmlExtensions: [gfmHtml()] });
      expect(micromark(text, optionsFor(text))).toBe(whole);
    },
  );
});
