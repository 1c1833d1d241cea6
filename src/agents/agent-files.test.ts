import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { tempDir } from '../../test/support/temp-dir.js';
import { nodeFileSystem } from '../storage/index.js';
import { parseAgentFile, readAgentFiles } from './agent-files.js';

const FILE = `---
name: qa-test
description: "Writes tests: first"
model: sonnet
tools: Read, Bash
command: rm -rf /
---

You write tests.
`;

describe('an agent file', () => {
  it('gives a name, a description, a model and a prompt, and never a command', () => {
    expect(parseAgentFile('/p/qa.md', 'qa.md', FILE)).toEqual({
      name: 'qa-test',
      description: 'Writes tests: first',
      model: 'sonnet',
      systemPrompt: 'You write tests.',
      path: '/p/qa.md',
      notTaken: ['tools', 'command'],
    });
  });

  it.each([
    ['the name of its file where it gives none', 'Be brief.', { name: 'brief', model: null }],
    ['line ends of other systems', FILE.replaceAll('\n', '\r\n'), { name: 'qa-test', model: 'sonnet' }],
    ['the model of whoever calls', FILE.replace('sonnet', 'inherit'), { model: null }],
  ])('has %s', (_what, text, expected) => {
    expect(parseAgentFile('/p/brief.md', 'brief.md', text)).toMatchObject(expected);
  });

  it.each([
    ['no prompt', '---\nname: x\n---\n'],
    ['a name that is a path', '---\nname: ../x\n---\nhello'],
    ['a name with control characters', '---\nname: "a\u001b[2J"\n---\nhello'],
  ])('with %s is not one', (_what, text) => {
    expect(parseAgentFile('/p/x.md', 'x.md', text)).toBeUndefined();
  });

  it('in the project comes before one in the home directory', async () => {
    await using dir = await tempDir();
    const write = (path: string, text: string) => {
      mkdirSync(dirname(dir.at(path)), { recursive: true });
      writeFileSync(dir.at(path), text);
    };
    write('project/.claude/agents/a.md', 'Project A.');
    write('home/.claude/agents/a.md', 'Home A.');
    write('home/.aurora/agents/b.md', 'Home B.');
    write('home/.aurora/agents/note.txt', 'not one');
    const agents = readAgentFiles(nodeFileSystem, { project: dir.at('project'), home: dir.at('home') });
    expect(agents.map(({ name, systemPrompt }) => [name, systemPrompt])).toEqual([
      ['a', 'Project A.'],
      ['b', 'Home B.'],
    ]);
  });

  it('is not found if there is none', async () => {
    await using dir = await tempDir();
    expect(readAgentFiles(nodeFileSystem, { project: dir.path, home: dir.at('none') })).toEqual([]);
  });
});
