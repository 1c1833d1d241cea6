import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { programTools } from '../../test/support/program-world.js';
import { RecordingLog } from '../../test/support/recording-log.js';
import { tempDir } from '../../test/support/temp-dir.js';
import { nodeFileSystem } from '../storage/index.js';
import { AgentChoice, type AgentChoiceOptions } from './choose-agent.js';
import type { AgentDefinition } from './definitions.js';

const SCRIPTED = own('scripted');

function own(name: string, more: Partial<AgentDefinition> = {}): AgentDefinition {
  return { name, driver: 'line', command: name, args: [], environment: {}, source: 'here', ...more };
}

/** A user with these programs on the path, and no agent files unless given. */
async function user({
  programs = [] as string[],
  ...more
}: Partial<AgentChoiceOptions> & { programs?: string[] } = {}) {
  const dir = await tempDir();
  const log = new RecordingLog();
  for (const name of programs)
    put(join('bin', name), '#!/bin/sh\n[ "$1" = --version ] && echo "$0 1.2.3" | sed "s#.*/##"\n');
  return {
    log,
    put,
    choice: new AgentChoice({
      fileSystem: nodeFileSystem,
      log,
      environment: { PATH: `${dir.at('bin')}:/usr/bin:/bin` },
      own: [],
      scripted: SCRIPTED,
      usual: undefined,
      places: { project: dir.at('project'), home: dir.at('home') },
      versions: { tools: programTools(dir.at('programs')), directory: dir.path },
      ...more,
    }),
    [Symbol.asyncDispose]: () => dir[Symbol.asyncDispose](),
  };

  function put(path: string, text: string): void {
    mkdirSync(dirname(dir.at(path)), { recursive: true });
    writeFileSync(dir.at(path), text, { mode: 0o755 });
  }
}

const AGENT_FILE = '---\nname: reviewer\nmodel: small\ntools: Read\n---\nYou review.\n';

describe('the agent to use', () => {
  it('is the named one, otherwise the configured one, otherwise the first of the usual ones that is installed', async () => {
    await using one = await user({ programs: ['gemini', 'codex'] });
    expect(one.choice.choose('opencode').name).toBe('opencode');
    expect(one.choice.choose(undefined).name).toBe('codex');
    await using other = await user({ programs: ['codex'], usual: 'gemini' });
    expect(other.choice.choose(undefined).name).toBe('gemini');
  });

  it("is the user's own before a built-in one of the same name", async () => {
    await using one = await user({ own: [own('claude', { command: 'my-claude' })] });
    expect(one.choice.choose('claude').command).toBe('my-claude');
    expect(one.choice.list().filter(({ name }) => name === 'claude')).toHaveLength(1);
  });

  it('is unknown, missing, or not installed: each is a separate error', async () => {
    await using one = await user();
    const refused = (code: string) => expect.objectContaining({ code });
    expect(() => one.choice.choose('nobody')).toThrow(refused('AGENT_UNKNOWN'));
    expect(() => one.choice.choose(undefined)).toThrow(refused('NO_AGENT'));
    expect(one.choice.choose('claude').name).toBe('claude');
    expect(() => one.choice.chooseInstalled('claude')).toThrow(refused('PROGRAM_NOT_STARTED'));
  });
});

describe('an agent that a file describes', () => {
  it('is the usual one with another prompt and model, and reports the keys that are ignored', async () => {
    await using one = await user({ programs: ['claude'] });
    one.put('project/.claude/agents/reviewer.md', AGENT_FILE);
    const { name, command, model, systemPrompt } = one.choice.choose('reviewer');
    expect({ name, command, model, systemPrompt }).toEqual({
      name: 'reviewer',
      command: 'claude',
      model: 'small',
      systemPrompt: 'You review.',
    });
    expect(one.log.named('agent.file-keys-ignored').map(({ fields }) => fields.keys)).toEqual([['tools']]);
    expect(one.choice.describedNames()).toEqual(['reviewer']);
  });

  it('cannot be used if no usual agent is installed', async () => {
    await using one = await user();
    one.put('home/.claude/agents/reviewer.md', AGENT_FILE);
    expect(one.choice.described()).toEqual([]);
    expect(() => one.choice.choose('reviewer')).toThrow(expect.objectContaining({ code: 'NO_AGENT' }));
  });
});

describe('the version of an agent', () => {
  it('is the first thing its program says, and unknown if that fails', async () => {
    await using one = await user({ programs: ['codex'] });
    expect(await one.choice.versionOf(one.choice.choose('codex'))).toBe('codex 1.2.3');
    expect(await one.choice.versionOf(one.choice.choose('claude'))).toBeNull();
    expect(await one.choice.versionOf(own('false'))).toBeNull();
  });
});
