import { describe, expect, it } from 'vitest';
import { deriveLayout } from './layout.js';

const roots = {
  home: '/home/ada',
  config: '/home/ada/.config/holdfast',
  data: '/home/ada/.local/share/holdfast',
  state: '/home/ada/.local/state/holdfast',
  temporary: '/tmp',
};

describe('deriveLayout', () => {
  it('puts everything where the specs and the platform say', () => {
    expect(deriveLayout(roots, '/home/ada/project')).toEqual({
      configFile: '/home/ada/.config/holdfast/config.json',
      questions: '/home/ada/.local/share/holdfast/questions',
      questionTrash: '/home/ada/.local/share/holdfast/trash/questions',
      conversations: '/home/ada/.aurora/spawn/sessions',
      loop: '/home/ada/project/.prp-session',
      changes: '/tmp/ralph/sessions',
      processes: '/home/ada/.local/state/holdfast/processes',
      programs: '/home/ada/.local/state/holdfast/programs',
      processTrash: '/home/ada/.local/state/holdfast/trash/processes',
      scripted: '/home/ada/.local/state/holdfast/scripted',
    });
  });

  it('follows the user who moved directories, trash beside them', () => {
    expect(
      deriveLayout(roots, '/home/ada/project', {
        question: '/q',
        conversation: '/c',
        loop: '/l',
        changeTemporary: '/t',
      }),
    ).toMatchObject({
      questions: '/q',
      questionTrash: '/q/.holdfast/trash',
      conversations: '/c',
      loop: '/l',
      changes: '/t',
    });
  });
});
