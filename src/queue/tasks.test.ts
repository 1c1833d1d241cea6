import { describe, expect, it } from 'vitest';
import { openTasks, planOfTask, taskFileName } from './tasks.js';

describe('a list of tasks', () => {
  it('has the open ones at the margin, each with what is indented below it', () => {
    const text = [
      '# Tasks',
      '- [x] done',
      '- [ ] Add a login',
      '  with a form',
      '  - [ ] and its test',
      '',
      'Some words.',
      '  indented, but of nothing',
      '```',
      '- [ ] an example',
      '```',
      '* [ ] Search  ',
    ].join('\n');
    expect(openTasks(text)).toEqual([
      { title: 'Add a login', text: 'with a form\n  - [ ] and its test' },
      { title: 'Search', text: '' },
    ]);
  });

  it('becomes a plan of one phase', () => {
    expect(planOfTask({ title: 'Add a login', text: 'with a form' })).toBe(
      '---\nphases: work\n---\n# Add a login\n\n## Success Criteria\n\n- [ ] Add a login\n\n## Notes\n\nwith a form\n',
    );
    expect(taskFileName(1, 'Add a login!')).toBe('task-2-add-a-login.md');
    expect(taskFileName(0, '登录')).toBe('task-1.md');
  });
});
