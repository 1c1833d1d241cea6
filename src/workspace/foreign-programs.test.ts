import { appendFileSync, chmodSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type GitWorld, gitWorld } from '../../test/support/git-world.js';
import { takeSnapshot } from './index.js';

/** Whatever a repository names as a program, measuring it runs none. Each plants one and makes git want to look. */
const PLANTS: Readonly<Record<string, (world: GitWorld, program: string) => void>> = {
  'a clean filter': (world, program) => {
    world.git(['config', 'filter.x.clean', program]);
    world.write('.gitattributes', '*.txt filter=x\n');
  },
  'a filter process that is required': (world, program) => {
    world.git(['config', 'filter.x.process', program]);
    world.git(['config', 'filter.x.required', 'true']);
    world.write('.gitattributes', '*.txt filter=x\n');
  },
  'a filter with an odd name': (world, program) => {
    world.git(['config', 'filter.a=b.clean', program]);
    world.write('.gitattributes', '*.txt filter=a=b\n');
  },
  'a filter of an included file': (world, program) => {
    world.write('.git/more', `[filter "x"]\n\tclean = ${program}\n`);
    world.git(['config', 'include.path', 'more']);
    world.write('.git/info/attributes', '*.txt filter=x\n');
  },
  'a filter of a worktree configuration': (world, program) => {
    world.git(['config', 'extensions.worktreeConfig', 'true']);
    world.write('.git/config.worktree', `[filter "x"]\n\tclean = ${program}\n`);
    world.write('.gitattributes', '*.txt filter=x\n');
  },
  'a filter of a repository inside': (world, program) => {
    world.repository('vendor/lib', { 'b.txt': 'hi\n' });
    world.git(['config', 'filter.x.clean', program], 'vendor/lib');
    world.write('vendor/lib/.git/info/attributes', '*.txt filter=x\n');
    world.write('vendor/lib/b.txt', 'ho\n');
  },
  'a file system monitor': (world, program) => world.git(['config', 'core.fsmonitor', program]),
  'a hook': (world, program) => {
    world.write('.git/hooks/post-index-change', `#!/bin/sh\n${program}\n`);
    chmodSync(world.at('.git/hooks/post-index-change'), 0o755);
  },
  'a path of hooks': (world, program) => {
    world.write('hooks/post-index-change', `#!/bin/sh\n${program}\n`);
    chmodSync(world.at('hooks/post-index-change'), 0o755);
    world.git(['config', 'core.hooksPath', world.at('hooks')]);
  },
  'an external diff and a text conversion': (world, program) => {
    world.git(['config', 'diff.external', program]);
    world.git(['config', 'diff.x.textconv', program]);
    world.git(['config', 'diff.x.command', program]);
    world.write('.gitattributes', '*.txt diff=x\n');
  },
  'a merge driver, a pager, an editor, an alias, a helper and a signing program': (world, program) => {
    for (const key of ['core.pager', 'core.editor', 'core.sshCommand', 'credential.helper', 'gpg.program'])
      world.git(['config', key, program]);
    world.git(['config', 'merge.x.driver', program]);
    world.git(['config', 'alias.status', `!${program}`]);
    world.git(['config', 'log.showSignature', 'true']);
    world.write('.gitattributes', '*.txt merge=x\n');
  },
  'a remote that lacking objects are fetched from': (world, program) => {
    world.git(['config', 'extensions.partialClone', 'origin']);
    world.git(['config', 'remote.origin.promisor', 'true']);
    world.git(['config', 'remote.origin.url', `ext::sh -c ${program}`]);
    world.git(['config', 'protocol.ext.allow', 'always']);
    const tree = world.git(['rev-parse', 'HEAD^{tree}']).trim();
    rmSync(world.at(`.git/objects/${tree.slice(0, 2)}/${tree.slice(2)}`));
  },
};

describe('programs that a repository names', () => {
  it.each(Object.entries(PLANTS))('are not run by measuring: %s', async (_what, plant) => {
    await using world = await gitWorld();
    world.repository('', { 'a.txt': 'hi\n' });
    const mark = `${world.home}/RAN`;
    const program = `${world.home}/program.sh`;
    writeFileSync(program, `#!/bin/sh\ntouch '${mark}'\ncat\n`, { mode: 0o755 });
    plant(world, program);
    // Of the same size, so that git has to look into it.
    world.write('a.txt', 'ho\n');
    const changes = await world.changesOf(() => appendFileSync(world.at('a.txt'), 'more\n'));
    expect(changes.modified).toEqual(['a.txt']);
    expect(existsSync(mark)).toBe(false);
  });

  it('leave files undecided, which count as changed only by their bytes', async () => {
    await using world = await gitWorld();
    world.git(['init', '-q']);
    world.git(['config', 'filter.up.clean', 'tr a-z A-Z']);
    world.write('.gitattributes', '*.txt filter=up\n');
    world.write('a.txt', 'small\n');
    world.write('b.md', 'b\n');
    world.commitAll('with a filter of its own');
    // Written again: git trusts a file that is older than its index, and a slow machine makes it so.
    world.write('a.txt', 'small\n');
    const { files } = await takeSnapshot(world.tools, world.project);
    expect([...files].map(([name, { isUnjudged }]) => [name, isUnjudged])).toEqual([['a.txt', true]]);
    expect(await world.changesOf(() => {})).toMatchObject({ hasChanges: false });
    expect(await world.changesOf(() => world.write('a.txt', 'SMALL\n'))).toMatchObject({
      modified: ['a.txt'],
    });
  });

  it('are run where the user has named them, as with large files', async () => {
    await using world = await gitWorld();
    writeFileSync(`${world.home}/.gitconfig`, '[filter "lfs"]\n\tclean = tr a-z A-Z\n\tsmudge = cat\n');
    world.write('.gitattributes', '*.txt filter=lfs\n');
    world.repository('', { 'a.txt': 'small\n' });
    // The repository's own idea of the same filter does not count.
    world.git(['config', 'filter.lfs.clean', `touch '${world.home}/RAN'; cat`]);
    appendFileSync(world.at('.gitattributes'), '');
    world.write('a.txt', 'small\n');
    const { files } = await takeSnapshot(world.tools, world.project);
    expect([...files.keys()]).toEqual([]);
    expect(existsSync(`${world.home}/RAN`)).toBe(false);
  });

  it('get nothing of our environment', async () => {
    await using world = await gitWorld();
    const seen = `${world.home}/seen`;
    writeFileSync(`${world.home}/.gitconfig`, `[filter "own"]\n\tclean = "env > '${seen}'; cat"\n`);
    world.write('.gitattributes', '*.txt filter=own\n');
    world.repository('', { 'a.txt': 'hi\n' });
    world.write('a.txt', 'ho\n');
    const environment = { ...world.tools.environment, SECRET_TOKEN: 'abc123' };
    await takeSnapshot({ ...world.tools, environment }, world.project);
    const text = readFileSync(seen, 'utf8');
    expect(text).not.toContain('abc123');
  });
});
