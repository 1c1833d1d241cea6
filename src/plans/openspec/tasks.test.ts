import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../test/support/verifies.js';
import { readTaskLine } from './task-line.js';
import { countTasks, isComplete, readStories } from './tasks.js';
import { tickTask } from './tick-task.js';

const tick = (file: Buffer, taskId: string) =>
  tickTask(file, (stories) => {
    const task = stories.flatMap(({ tasks }) => tasks).find(({ id }) => id === taskId);
    if (task === undefined) throw new Error(`no ${taskId}`);
    return task;
  }).file;

const ids = (text: string) => readStories(text).map(({ id, tasks }) => [id, tasks.map((task) => task.id)]);

describe('lines that are tasks', () => {
  const TASKS = [
    '- [ ] a',
    '* [ ] a',
    '+ [ ] a',
    '1. [ ] a',
    '12) [ ] a',
    '    - [ ] deep',
    '\t- [ ] tab',
    '-[ ] tight',
    '- [] empty box',
    '- [~] begun',
    '- [-] dropped',
    '- [ ](not a link, the box is blank)',
    '- [ ]',
    '\ufeff- [ ] after a byte order mark',
    '- [✓] a check mark is not an x',
  ];
  it.each(TASKS)('%j is a task that is not done', (line) => {
    expect(readTaskLine(line)).toMatchObject({ isDone: false });
  });

  it.each(['- [x] a', '- [X] a', '- [ x ] a', '9. [x]'])('%j is done', (line) => {
    expect(readTaskLine(line)).toMatchObject({ isDone: true });
  });

  const OTHERS = [
    '[ ] no marker',
    '- [A](link)',
    '- [x](link)',
    '- [x][reference]',
    '- [done] word',
    '- text [ ] later',
    '1234567890. [ ] ten digits',
    '## [ ] heading',
    '',
  ];
  it.each(OTHERS)('%j is not a task', (line) => {
    expect(readTaskLine(line)).toBeUndefined();
  });
});

describe('stories', () => {
  verifies('S11', 'numbered groups are stories; tasks outside them form a story of their own', () => {
    const text = '- [ ] first\n## 1. A\n- [ ] 1.1 a\n## Notes\n- [ ] note\n### 1.x\n## 2. B\n  - [x] 2.1 b\n';
    expect(readStories(text).map(({ id, title, tasks }) => [id, title, tasks.length])).toEqual([
      ['1', 'A', 1],
      ['2', 'B', 1],
      ['unnumbered', 'Unnumbered tasks', 2],
    ]);
  });

  it('keep the number of a task as its id, exactly', () => {
    const text =
      '## 1. A\n- [ ] 1.1 a\n- [ ] 1.10 b\n- [ ] 1.1.1 c\n- [ ] 1.1a d\n- [ ] **1.2** e\n- [ ] 1.3: f';
    expect(ids(text)).toEqual([['1', ['1.1', '1.10', '1.1.1', '1.1a', '1.2', '1.3']]]);
  });

  it('name a task without a number after its text, wherever it is', () => {
    const [before] = ids('## 1. A\n- [ ] same\n- [ ] same\n');
    const [after] = ids('## 1. A\n- [ ] 1.1 new\n- [ ] same\n- [ ] same\n');
    expect(before?.[1]).toEqual([expect.stringMatching(/^task-[0-9a-f]{8}$/), expect.stringMatching(/-2$/)]);
    expect(after?.[1]).toEqual(['1.1', ...(before?.[1] ?? [])]);
  });

  it('distinguish tasks and groups with the same number', () => {
    expect(ids('## 1. A\n- [ ] 1.1 a\n- [ ] 1.1 b\n## 1. B\n- [ ] 1.1 c')).toEqual([
      ['1', ['1.1', '1.1-2']],
      ['1-2', ['1.1-3']],
    ]);
  });

  it('know which task is below which', () => {
    const text = '## 1. A\n- [ ] 1.1 a\n  - [ ] 1.1.1 b\n\t- [ ] c\n- [ ] 1.2 d\n';
    expect(readStories(text)[0]?.tasks.map(({ depth }) => depth)).toEqual([0, 1, 2, 0]);
  });

  it('are the same with CRLF', () => {
    const text = '## 1. A\r\n- [ ] 1.1 a\r\n## 2. B\r\n- [x] 2.1 b\r\n';
    expect(readStories(text)).toMatchObject([
      { title: 'A', tasks: [{ description: 'a', isDone: false }] },
      { title: 'B', tasks: [{ description: 'b', isDone: true }] },
    ]);
  });

  it('without tasks are complete, but count for nothing', () => {
    const stories = readStories('## 1. Empty\n## 2. B\n- [ ] b\n');
    expect(stories.map(isComplete)).toEqual([true, false]);
    expect(countTasks(stories)).toEqual({ total: 1, done: 0 });
  });
});

const line = fc.oneof(
  fc.constantFrom('## 1. One', '## 2. Two', '## Notes', '', 'text', '```', '  - nested', '- [a](b)'),
  fc
    .tuple(
      fc.constantFrom('', '  ', '\t', '    '),
      fc.constantFrom('- ', '* ', '+ ', '1. ', '2) '),
      fc.constantFrom('[ ]', '[x]', '[X]', '[]', '[~]', '[ x ]', '[  ]'),
      fc.constantFrom(' 1.1 a', ' 1.1', ' 1.10 b', ' c', '', ' ü 🚧', ' [x] twice'),
    )
    .map((parts) => parts.join('')),
);
const file = fc
  .tuple(fc.array(line, { maxLength: 12 }), fc.constantFrom('\n', '\r\n'), fc.boolean())
  .map(([lines, lineBreak, isEnded]) => lines.join(lineBreak) + (isEnded ? lineBreak : ''));

describe('properties of any tasks file', () => {
  it('every line that is a task is in exactly one story, under an id of its own', () => {
    fc.assert(
      fc.property(file, (text) => {
        const lines = text.split('\n').flatMap((one, at) => (readTaskLine(one) === undefined ? [] : [at]));
        const tasks = readStories(text).flatMap((story) => story.tasks);
        expect(tasks.map((task) => task.line).sort((a, b) => a - b)).toEqual(lines);
        expect(new Set(tasks.map(({ id }) => id)).size).toBe(tasks.length);
      }),
    );
  });

  it('a tick changes the box of that task and not another byte', () => {
    fc.assert(
      fc.property(file, fc.nat(), (text, pick) => {
        const tasks = readStories(text).flatMap((story) => story.tasks);
        const task = tasks[pick % Math.max(1, tasks.length)];
        if (task === undefined) return;
        const ticked = tick(Buffer.from(text), task.id).toString();
        const before = text.split('\n');
        const after = ticked.split('\n');
        expect(after.length).toBe(before.length);
        for (const [at, one] of after.entries()) {
          if (at !== task.line || task.isDone) expect(one).toBe(before[at]);
          else expect(one).toBe(before[at]?.replace(/\[[^\]]*\]/, '[x]'));
        }
        const again = readStories(ticked).flatMap((story) => story.tasks);
        expect(again.map(({ id, isDone }) => [id, isDone])).toEqual(
          tasks.map(({ id, isDone }) => [id, isDone || id === task.id]),
        );
      }),
    );
  });
});

describe('ticking', () => {
  verifies('S10', 'ids match exactly: 1.1 is neither 1.10 nor 1.1.1', () => {
    const text = '## 1. A\n- [ ] 1.10 ten\n- [ ] 1.1.1 deep\n- [ ] 1.1 one\n- [ ] 1.11 eleven';
    expect(tick(Buffer.from(text), '1.1').toString()).toBe(text.replace('[ ] 1.1 ', '[x] 1.1 '));
  });

  it('keeps bytes that are not UTF-8, tabs, CRLF and a missing last line break', () => {
    const bytes = Buffer.concat([
      Buffer.from('\ufeff# \t\r\n'),
      Buffer.from([0xff, 0xfe, 0x0d, 0x0a]),
      Buffer.from('\t* [~]\t1.1 '),
      Buffer.from([0xe9]),
    ]);
    const ticked = tick(bytes, '1.1');
    expect(ticked.toString('latin1')).toBe(bytes.toString('latin1').replace('[~]', '[x]'));
  });

  it('leaves an already ticked task alone', () => {
    const bytes = Buffer.from('- [X] 1.3 a');
    expect(tick(bytes, '1.3')).toBe(bytes);
  });
});
