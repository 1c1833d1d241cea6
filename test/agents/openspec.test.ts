import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { CHANGE_SCENARIOS, ralphWorld, writeChange } from '../support/change-scenarios.js';
import { type Json, type Machine, machine } from '../support/holdfast-binary.js';
import { variedTaskFiles } from '../support/task-files.js';
import { type TempDir, tempDir } from '../support/temp-dir.js';
import { itTries } from './it-tries.js';
import { openspec } from './openspec.js';
import { whyNotInstalled } from './real-agents.js';

/** A project with one change, made by the real program once and copied for each test. */
let template: TempDir;

async function realProject(): Promise<Machine> {
  const made = await machine();
  cpSync(template.at('project'), made.project, { recursive: true });
  return made;
}

const clausesOf = (name: string, prove: () => Promise<void>) => itTries(['openspec'], name, prove);

describe('in a project that the real openspec made', () => {
  beforeAll(async () => {
    template = await tempDir();
    if (whyNotInstalled('openspec') !== undefined) return;
    mkdirSync(template.at('project'));
    openspec(template.path, template.at('project'), 'init', '--tools', 'none', '.');
    openspec(template.path, template.at('project'), 'new', 'change', 'add-login');
    writeChange(template.at('project'));
  });
  afterAll(() => template[Symbol.asyncDispose]());

  for (const { id, clause, prove } of CHANGE_SCENARIOS) {
    clausesOf(`${id}: ${clause}`, async () => {
      await using made = await realProject();
      await prove(ralphWorld(made));
    });
  }

  clausesOf('S11: 30 varied task files are counted as openspec list --json counts them', async () => {
    await using made = await realProject();
    for (const [name, text] of Object.entries(variedTaskFiles())) {
      openspec(template.path, made.project, 'new', 'change', name);
      writeFileSync(join(made.project, 'openspec', 'changes', name, 'tasks.md'), text);
    }
    const { changes } = JSON.parse(openspec(template.path, made.project, 'list', '--json')) as Json;
    const { data } = await made.json(['change', 'list']);
    const theirs = changes.map((one: Json) => [one.name, one.completedTasks, one.totalTasks, one.status]);
    const ours = data.map((one: Json) => [one.name, one.tasks_done, one.tasks_total, one.status]);
    expect(ours.sort()).toEqual(theirs.sort());
    expect(ours).toHaveLength(31);
  });

  clausesOf(
    'openspec sees the ticks, is not disturbed by our files, and archives what we have finished',
    async () => {
      await using made = await realProject();
      const { agent } = ralphWorld(made);
      const list = () =>
        JSON.parse(openspec(template.path, made.project, 'list', '--json')).changes as Json[];
      await agent(['session', 'init', '--change', 'add-login']);
      await agent(['session', 'next-story']);
      await agent(['task', 'done', '1.1']);
      expect(list()).toMatchObject([{ name: 'add-login', completedTasks: 2, totalTasks: 6 }]);
      expect(() => openspec(template.path, made.project, 'validate', 'add-login', '--json')).not.toThrow();
      await agent(['learn', 'kept']);
      await agent(['session', 'flush']);
      openspec(template.path, made.project, 'archive', 'add-login', '--yes');
      expect((await made.json(['change', 'list'])).data).toEqual([]);
      expect((await made.json(['change', 'list', '--all'])).data).toMatchObject([
        { name: expect.stringMatching(/^\d{4}-\d\d-\d\d-add-login$/), status: 'archived' },
      ]);
      expect(await agent(['session', 'init', '--change', 'add-login'])).toMatchObject({
        code: 4,
        data: { code: 'CHANGE_NOT_FOUND', error: expect.stringContaining('archived') },
      });
    },
  );
});
