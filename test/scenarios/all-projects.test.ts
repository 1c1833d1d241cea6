import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { writeChange } from '../support/change-scenarios.js';
import { type Machine, machine } from '../support/holdfast-binary.js';

/** A project with a change that is held by a session of this name, started by the agent's own command. */
async function startedIn(world: Machine, name: string): Promise<string> {
  const directory = world.dir.at(name);
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  writeChange(directory);
  const args = ['agent', 'session', 'init', '--change', 'add-login', '--session', `of-${name}`];
  const { code, stderr } = await world.run(args, { cwd: directory, program: 'ralphtool' });
  expect(code, stderr).toBe(0);
  return directory;
}

const remembered = (world: Machine) => join(world.env.HOLDFAST_HOME ?? '', 'state', 'projects');

describe('holdfast sessions list --all-projects', () => {
  it('lists the sessions of other projects with their project, and says which projects are gone', async () => {
    await using world = await machine();
    const [shop, blog] = [await startedIn(world, 'shop'), await startedIn(world, 'blog')];
    // Released, it is only in the files of its project: nothing but the memory of that leads there.
    await world.run(['change', 'release', 'add-login', '--reason', 'over'], { cwd: shop });
    const from = { cwd: world.project };
    const alone = (await world.json(['sessions', 'list', '--all'], from)).data as { id: string }[];
    expect(alone.map(({ id }) => id)).toEqual(['of-blog']);
    const { code, data } = await world.json(['sessions', 'list', '--all', '--all-projects'], from);
    expect(code).toBe(0);
    expect(data).toHaveLength(2);
    expect(data).toContainEqual(expect.objectContaining({ kind: 'change', id: 'of-shop', project: shop }));
    expect(data).toContainEqual(expect.objectContaining({ kind: 'change', id: 'of-blog', project: blog }));

    rmSync(shop, { recursive: true });
    const { stdout, stderr } = await world.run(['sessions', 'list', '--all', '--all-projects'], from);
    expect(stdout).toMatch(/^KIND +ID +STATUS +ACTIVE +AGENT +PROJECT +ABOUT$/m);
    expect(stdout).toMatch(new RegExp(`^change +of-blog +active .*${blog.slice(-20)} +add-login$`, 'm'));
    expect(stdout).not.toContain('of-shop');
    expect(stderr).toContain(`Gone: ${shop}. To forget it, delete ${remembered(world)}`);
  });

  it('sets a damaged record aside and says so, and lists the rest', async () => {
    await using world = await machine();
    await startedIn(world, 'shop');
    const [name = ''] = readdirSync(remembered(world));
    writeFileSync(join(remembered(world), name), '{');
    const { code, stderr } = await world.run(['sessions', 'list', '--all-projects'], { cwd: world.project });
    expect(code).toBe(0);
    expect(stderr).toContain('The record of a project was damaged; it is kept as ');
    expect(readdirSync(remembered(world))).toEqual([expect.stringMatching(/\.json\.damaged-/)]);
  });
});
