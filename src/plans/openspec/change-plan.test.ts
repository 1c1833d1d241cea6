import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { changeWorld, TASKS } from '../../../test/support/change-world.js';
import { storageTools } from '../../../test/support/storage-tools.js';
import { type FileSystem, nodeFileSystem } from '../../storage/index.js';
import { ChangePlan } from './change-plan.js';
import { TaskNotFoundError } from './errors.js';
import { findChange, findProject } from './project.js';
import type { Story } from './tasks.js';

function planIn(project: string, fileSystem: FileSystem = nodeFileSystem): ChangePlan {
  const found = findProject(nodeFileSystem, project);
  return new ChangePlan(storageTools({ fileSystem }), found, findChange(nodeFileSystem, found, 'add-login'));
}

/** Chooses as callers do; a missing task is an error of their own. */
const byId = (taskId: string) => (stories: readonly Story[]) => {
  const task = stories.flatMap(({ tasks }) => tasks).find(({ id }) => id === taskId);
  if (task === undefined) throw new TaskNotFoundError(taskId, 'add-login');
  return task;
};

describe('the files of a change', () => {
  it('are read with everything that OpenSpec may have put there', async () => {
    await using world = await changeWorld();
    world.write('specs/auth/tokens/spec.md', '### Requirement: R\n#### Scenario: S\n- **THEN** t\n');
    world.write('proposal.md', '# Why');
    const plan = planIn(world.project);
    expect(plan.stories().map(({ id }) => id)).toEqual(['1', '2', 'unnumbered']);
    expect(plan.read('proposal.md')).toBe('# Why');
    expect(plan.read('design.md')).toBeUndefined();
    expect(plan.scenarios().map(({ capability, name }) => [capability, name])).toEqual([
      ['auth', 'Right password'],
      ['auth/tokens', 'S'],
    ]);
  });

  it('keep their mode when a task is ticked', async () => {
    await using world = await changeWorld();
    chmodSync(world.file('tasks.md'), 0o664);
    planIn(world.project).tick(byId('1.1'));
    expect(world.read('tasks.md')).toBe(TASKS.replace('[ ] 1.1 ', '[x] 1.1 '));
    expect(statSync(world.file('tasks.md')).mode & 0o777).toBe(0o664);
  });

  it('keep an edit that was made while a task was being ticked', async () => {
    await using world = await changeWorld();
    let edits = 0;
    const edited = TASKS.replace('## 2. Finish', '## 2. Finish\n\n- [ ] 2.0 Added meanwhile');
    // The last moment before the tick takes effect: its new file has just been synced.
    const fileSystem = {
      ...nodeFileSystem,
      sync(descriptor: number) {
        nodeFileSystem.sync(descriptor);
        if (edits++ === 0) writeFileSync(world.file('tasks.md'), edited);
      },
    };
    planIn(world.project, fileSystem).tick(byId('2.1'));
    expect(world.read('tasks.md')).toBe(edited.replace('[ ] 2.1 ', '[x] 2.1 '));
    expect(readdirSync(world.file('.')).sort()).toEqual(['specs', 'tasks.md']);
  });

  it('are left alone if the task has disappeared meanwhile', async () => {
    await using world = await changeWorld();
    let edits = 0;
    const edited = TASKS.replace('- [ ] 2.1 Write the page\n', '');
    const fileSystem = {
      ...nodeFileSystem,
      sync(descriptor: number) {
        nodeFileSystem.sync(descriptor);
        if (edits++ === 0) writeFileSync(world.file('tasks.md'), edited);
      },
    };
    expect(() => planIn(world.project, fileSystem).tick(byId('2.1'))).toThrow(
      expect.objectContaining({ code: 'TASK_NOT_FOUND' }),
    );
    expect(world.read('tasks.md')).toBe(edited);
    expect(readdirSync(world.file('.')).sort()).toEqual(['specs', 'tasks.md']);
  });

  it('get a design.md that is as open as their directory', async () => {
    await using world = await changeWorld();
    chmodSync(world.file('.'), 0o755);
    planIn(world.project).updateDesign(() => Buffer.from('x'));
    expect(statSync(world.file('design.md')).mode & 0o777).toBe(0o644);
  });

  it('lose what a killed writer left behind, and nothing else', async () => {
    await using world = await changeWorld();
    const token = 'a'.repeat(32);
    for (const name of [`.tasks.md.${token}.tmp`, `.design.md.${token}.tmp`, '.tasks.md.swp'])
      world.write(name, '');
    planIn(world.project).sweep();
    expect(readdirSync(world.file('.')).sort()).toEqual(['.tasks.md.swp', 'specs', 'tasks.md']);
    expect(readFileSync(world.file('tasks.md'), 'utf8')).toBe(TASKS);
  });
});
