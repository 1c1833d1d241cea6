import { SeededRandom } from './seeded-random.js';

/** Thirty task files as people and agents write them, by the name of their change. */
export function variedTaskFiles(): Readonly<Record<string, string>> {
  const files: Record<string, string> = {};
  for (const [index, text] of [...WRITTEN, ...generated(30 - WRITTEN.length)].entries())
    files[`change-${index + 1}`] = text;
  return files;
}

const WRITTEN: readonly string[] = [
  '',
  '# Tasks\n\nNothing yet.\n',
  '## 1. A\n\n- [ ] 1.1 a\n- [x] 1.2 b\n',
  '## 1. A\r\n\r\n- [ ] 1.1 a\r\n- [x] 1.2 b\r\n',
  '- [x] all\n- [X] done',
  '## 1. A\n- [ ] 1.1 a\n  - [ ] 1.1.1 b\n\t- [x] 1.1.2 c\n        - [ ] deep\n',
  '* [ ] star\n+ [ ] plus\n1. [ ] one\n2) [x] two\n1234567890. [ ] too long\n',
  '- [~] begun\n- [-] dropped\n- [?] unsure\n- [✓] mark\n- [🚧] two units\n- [xx] no\n- [ x ] yes\n- [] empty\n-[ ] tight\n',
  '- [A](link)\n- [x](link)\n- [ ](blank box)\n- [x][ref]\n- [ ][ref]\n- text [ ] later\n[ ] no marker\n',
  '```md\n- [ ] in a fence\n## 2. In a fence\n```\n- [ ] after\n~~~\n- [x] other fence\n',
  '## Notes\n- [ ] loose\n### 1.x\n- [ ] under a third level\n## 2. Late\n- [x] 2.1 a\n',
  '\ufeff- [ ] after a byte order mark\n<!--\n- [ ] in a comment\n-->\n> - [ ] in a quote\n',
  '- [ ] old mac\r- [ ] one line\r- [x] for all\n-\u00a0[ ] no-break space\n- [\u00a0] no-break box\n- [\t] tab\n',
];

function generated(count: number): string[] {
  const random = new SeededRandom(20_261_115);
  return Array.from({ length: count }, () => {
    const lines = Array.from({ length: 5 + random.below(40) }, () => line(random));
    return lines.join(random.chance(0.3) ? '\r\n' : '\n') + (random.chance(0.5) ? '\n' : '');
  });
}

function line(random: SeededRandom): string {
  if (random.chance(0.15))
    return random.pick(['## 1. One', '## 2. Two', '  ## 3. Three', '## Notes', '# Top', '']);
  if (random.chance(0.1)) return random.pick(['text', '- item', '```', '- [a](b)', '| [ ] | table |', '---']);
  return [
    random.pick(['', '', '', '  ', '\t', '      ']),
    random.pick(['- ', '- ', '* ', '+ ', '1. ', '3) ', '-']),
    random.pick(['[ ]', '[ ]', '[x]', '[X]', '[~]', '[]', '[  ]', '[ x]', '[xy]', '[ ](a)', '[x](a)']),
    random.pick([' 1.1 a', ' 1.10 b', ' 2.1.3 c', ' no number', '', ' ü 🚧', ' **1.4** bold', 'tight']),
  ].join('');
}
