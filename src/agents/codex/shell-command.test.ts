import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { shellWord } from '../../foundation/index.js';
import { withoutShell } from './shell-command.js';

describe('withoutShell', () => {
  it.each([
    ["/bin/bash -lc 'npm test'", 'npm test'],
    ['/bin/bash -lc ls', 'ls'],
    ["/usr/bin/zsh -c 'a; b'", 'a; b'],
    [`/bin/bash -lc "echo 'it is' \\"so\\" \\$HOME \\\\"`, `echo 'it is' "so" $HOME \\`],
    [`/bin/bash -lc 'it'"'"'s'`, "it's"],
    ["/bin/bash -lc 'one\ntwo'", 'one\ntwo'],
  ])('strips the shell and its quotes from %j', (written, command) => {
    expect(withoutShell(written)).toBe(command);
  });

  it.each([
    'npm test',
    "/bin/bash -lc 'npm test' && rm -rf /",
    "/bin/bash -lc 'npm test' extra",
    '/bin/bash -lc "echo $(rm -rf /)"',
    '/bin/bash -lc echo;rm',
    "/bin/bash -lc 'not closed",
    "/bin/bash -x 'npm test'",
    "sudo /bin/bash -lc 'npm test'",
    '/bin/bash -lc ',
  ])('leaves %j unchanged, because it is more than one command for a shell', (written) => {
    expect(withoutShell(written)).toBe(written);
  });

  it('recovers whatever was quoted', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, unit: 'grapheme' }), (command) => {
        fc.pre(!command.includes('\0'));
        expect(withoutShell(`/bin/bash -lc ${shellWord(command)}`)).toBe(command);
      }),
    );
  });
});
