import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type GitWorld, gitWorld } from '../../test/support/git-world.js';
import { countChangedLines, takeSnapshot } from './index.js';

/** Whatever a repository names as a program, measuring it must run none. Each entry plants one and makes git want to look. */
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
  'a filter of a file that is included on a condition': (world, program) => {
    world.write('.git/more', `[filter "x"]\n\tclean = ${program}\n\tsmudge = ${program}\n`);
    world.git(['config', `includeIf.gitdir:${world.project}/.path`, 'more']);
    world.write('.gitattributes', '*.txt filter=x\n');
  },
  'a filter and a monitor of an included file outside of the repository': (world, program) => {
    writeFileSync(
      `${world.home}/more`,
      `[filter "x"]\n\tclean = ${program}\n[core]\n\tfsmonitor = ${program}\n`,
    );
    world.git(['config', 'include.path', `${world.home}/more`]);
    world.write('.gitattributes', '*.txt filter=x\n');
  },
  'a file of attributes of its own choice': (world, program) => {
    world.write('.git/own-attributes', '*.txt filter=x diff=x merge=x\n');
    world.git(['config', 'core.attributesFile', world.at('.git/own-attributes')]);
    for (const key of ['clean', 'smudge', 'process']) world.git(['config', `filter.x.${key}`, program]);
    for (const key of ['command', 'textconv']) world.git(['config', `diff.x.${key}`, program]);
    world.git(['config', 'merge.x.driver', program]);
  },
  'a smudge filter that is required': (world, program) => {
    world.git(['config', 'filter.x.smudge', program]);
    world.git(['config', 'filter.x.required', 'true']);
    world.write('.gitattributes', '*.txt filter=x\n');
  },
  'a submodule whose configuration names programs': (world, program) => {
    const other = `${world.home}/other`;
    mkdirSync(other);
    world.git(['init', '-q', other]);
    writeFileSync(`${other}/b.txt`, 'hi\n');
    world.git(['-C', other, 'add', '.']);
    world.git(['-C', other, 'commit', '-qm', 'x']);
    world.git(['submodule', '--quiet', 'add', other, 'sub']);
    world.commitAll('with a submodule');
    for (const key of ['filter.x.clean', 'core.fsmonitor', 'diff.external'])
      world.git(['config', key, program], 'sub');
    world.git(['config', 'submodule.sub.update', `!${program}`]);
    world.write('.git/modules/sub/info/attributes', '*.txt filter=x\n');
    world.write('sub/b.txt', 'ho\n');
  },
  'every hook there is': (world, program) => {
    const names = [
      'post-index-change',
      'post-checkout',
      'pre-commit',
      'fsmonitor-watchman',
      'query-watchman',
    ];
    for (const name of [...names, 'reference-transaction', 'pre-auto-gc', 'post-rewrite']) {
      world.write(`.git/hooks/${name}`, `#!/bin/sh\n${program}\n`);
      chmodSync(world.at(`.git/hooks/${name}`), 0o755);
    }
  },
  'a trace, an askpass and a proxy of the configuration': (world, program) => {
    for (const key of [
      'core.askPass',
      'core.gitProxy',
      'core.alternateRefsCommand',
      'uploadpack.packObjectsHook',
    ])
      world.git(['config', key, program]);
    for (const key of ['gpg.ssh.program', 'gpg.x509.program', 'sequence.editor', 'trailer.x.command'])
      world.git(['config', key, program]);
    for (const key of ['pager.status', 'pager.diff', 'pager.log', 'interactive.diffFilter'])
      world.git(['config', key, program]);
    for (const name of ['status', 'diff', 'ls-files', 'log', 'rev-list'])
      world.git(['config', `alias.${name}`, `!${program}`]);
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
    // The same size, so git has to look at the content.
    world.write('a.txt', 'ho\n');
    const changes = await world.changesOf(() => appendFileSync(world.at('a.txt'), 'more\n'));
    expect(changes.modified).toEqual(['a.txt']);
    await countChangedLines(world.tools, world.project, 'HEAD');
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
    // Written again: git trusts a file that is older than its index, which a slow machine can cause.
    world.write('a.txt', 'small\n');
    const { files } = await takeSnapshot(world.tools, world.project);
    expect([...files].map(([name, { isUnjudged }]) => [name, isUnjudged])).toEqual([['a.txt', true]]);
    expect(await world.changesOf(() => {})).toMatchObject({ hasChanges: false });
    expect(await world.changesOf(() => world.write('a.txt', 'SMALL\n'))).toMatchObject({
      modified: ['a.txt'],
    });
  });

  it('are run if the user has named them, as with large files', async () => {
    await using world = await gitWorld();
    writeFileSync(`${world.home}/.gitconfig`, '[filter "lfs"]\n\tclean = tr a-z A-Z\n\tsmudge = cat\n');
    world.write('.gitattributes', '*.txt filter=lfs\n');
    world.repository('', { 'a.txt': 'small\n' });
    // The repository's own definition of the same filter does not count.
    world.git(['config', 'filter.lfs.clean', `touch '${world.home}/RAN'; cat`]);
    appendFileSync(world.at('.gitattributes'), '');
    world.write('a.txt', 'small\n');
    const { files } = await takeSnapshot(world.tools, world.project);
    expect([...files.keys()]).toEqual([]);
    expect(existsSync(`${world.home}/RAN`)).toBe(false);
  });

  it('do not make every file dirty if a filter of the user handles large files', async () => {
    await using world = await gitWorld();
    // As `git lfs install` sets it up: for the user, with all keys, and required.
    writeFileSync(
      `${world.home}/.gitconfig`,
      '[filter "lfs"]\n\tclean = tr a-z A-Z\n\tsmudge = tr A-Z a-z\n\trequired = true\n',
    );
    world.write('.gitattributes', '*.bin filter=lfs diff=lfs merge=lfs -text\n');
    world.repository('', { 'a.bin': 'one\n', 'b.bin': 'two\n', 'c.txt': 'three\n' });
    for (const name of ['a.bin', 'b.bin']) utimesSync(world.at(name), 1_000, 1_000);
    expect([...(await takeSnapshot(world.tools, world.project)).files.keys()]).toEqual([]);
    const changes = await world.changesOf(() => world.write('a.bin', 'own\n'));
    expect(changes).toMatchObject({ modified: ['a.bin'], hasChanges: true });
  });

  it('get nothing of our environment', async () => {
    await using world = await gitWorld();
    const seen = `${world.home}/seen`;
    writeFileSync(`${world.home}/.gitconfig`, `[filter "own"]\n\tclean = "env > '${seen}'; cat"\n`);
    world.write('.gitattributes', '*.txt filter=own\n');
    world.repository('', { 'a.txt': 'hi\n' });
    world.write('a.txt', 'ho\n');
    const environment = {
      ...world.tools.environment,
      SECRET_TOKEN: 'abc123',
      GIT_EXTERNAL_DIFF: 'touch',
      GIT_CONFIG_COUNT: '1',
      GIT_CONFIG_KEY_0: 'filter.own.clean',
      GIT_CONFIG_VALUE_0: 'false',
      LD_PRELOAD: '',
      XDG_CONFIG_HOME: `${world.home}/.config`,
    };
    await takeSnapshot({ ...world.tools, environment }, world.project);
    const text = readFileSync(seen, 'utf8');
    expect(text).not.toContain('abc123');
    const names = text.split('\n').flatMap((line) => /^(\w+)=/.exec(line)?.[1] ?? []);
    // What git and its shell set themselves are not secrets of ours.
    const ofTheirs = /^(GIT_|PWD$|OLDPWD$|SHLVL$|_$|HOLDFAST_MARKER$)/;
    expect(names.filter((name) => !ofTheirs.test(name)).sort()).toEqual([
      'HOME',
      'LC_ALL',
      'PATH',
      'XDG_CONFIG_HOME',
    ]);
    expect(names).not.toContain('GIT_EXTERNAL_DIFF');
    expect(names).not.toContain('GIT_CONFIG_COUNT');
  });
});
