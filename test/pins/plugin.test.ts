import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { CLIENTS, SERVER_NAME, TOOL_NAMES } from '../../src/client-settings/client.js';
import { checkCommandLine, quotedCommands } from '../support/command-lines.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const PLUGIN = join(ROOT, 'integrations', 'claude-code');

const read = (path: string) => readFileSync(join(PLUGIN, path), 'utf8');
const json = (path: string) => JSON.parse(read(path));

const DOCUMENTS = readdirSync(PLUGIN, { recursive: true, encoding: 'utf8' }).filter((path) =>
  path.endsWith('.md'),
);

describe('the plugin for Claude Code', () => {
  it('is called bp, so that its command is /bp:autonomous, and has the version of the package', () => {
    const { version, license } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
    expect(json('.claude-plugin/plugin.json')).toMatchObject({ name: 'bp', version, license });
    expect(DOCUMENTS.sort()).toEqual(['README.md', 'commands/autonomous.md', 'skills/holdfast/SKILL.md']);
  });

  it('can be installed from its own directory as bp@holdfast', () => {
    expect(json('.claude-plugin/marketplace.json')).toMatchObject({
      name: 'holdfast',
      plugins: [{ name: 'bp', source: './' }],
    });
  });

  it('gives the client the same MCP entry as `holdfast setup claude`', () => {
    const entry = CLIENTS.claude.describe({ command: 'holdfast', args: ['mcp'] });
    expect(json('.mcp.json')).toEqual({ mcpServers: { [SERVER_NAME]: entry } });
  });

  it('allows exactly the two tools of the server, by their full names', () => {
    const [request] = json('hooks/hooks.json').hooks.PermissionRequest;
    expect(Object.keys(json('hooks/hooks.json').hooks)).toEqual(['PermissionRequest']);
    const matcher = new RegExp(request.matcher);
    const full = (tool: string) => `mcp__plugin_bp_${SERVER_NAME}__${tool}`;
    expect(TOOL_NAMES.filter((tool) => !matcher.test(full(tool)))).toEqual([]);
    for (const other of [
      'Bash',
      full('recall'),
      full(''),
      `x${full('ask_user_questions')}`,
      `${full('ask_user_questions')}s`,
    ])
      expect([other, matcher.test(other)]).toEqual([other, false]);
    const { decision } = JSON.parse(
      /^echo '(.*)'$/.exec(request.hooks[0].command)?.[1] ?? '',
    ).hookSpecificOutput;
    expect(decision).toEqual({ behavior: 'allow' });
  });

  it('names the tools that the server registers', () => {
    expect(TOOL_NAMES).toEqual(['ask_user_questions', 'get_answered_questions']);
  });

  it('allows the command nothing but to start a plan, and only a person may call it', () => {
    const fields = frontMatter(read('commands/autonomous.md'));
    expect(fields).toEqual({
      description: expect.stringMatching(/^\S.{20,}$/),
      'argument-hint': '<path of a PRP>',
      'allowed-tools': 'Bash(holdfast --version), Bash(holdfast run --detach --json -- *)',
      'disable-model-invocation': 'true',
    });
  });

  it('puts the arguments of the command into no command line', () => {
    const text = read('commands/autonomous.md');
    const shellLines = [...text.matchAll(/!`([^`]*)`/g)].map(([, line]) => line);
    expect(shellLines).toEqual(['holdfast --version']);
    expect(text.match(/\$(?:ARGUMENTS|\d)/g)).toEqual(['$ARGUMENTS']);
    expect(text).toContain('\n<plan>\n$ARGUMENTS\n</plan>\n');
  });

  it('has a skill whose name is that of its directory', () => {
    const { name, description = '' } = frontMatter(read('skills/holdfast/SKILL.md'));
    expect(name).toBe('holdfast');
    // What Claude Code reads of it in every session.
    expect(description.length).toBeLessThan(1_024);
    for (const word of ['ask_user_questions', 'get_answered_questions', 'ralphtool agent'])
      expect(description).toContain(word);
  });

  it.each(DOCUMENTS.flatMap((path) => quotedCommands(read(path))))(
    'names a command that exists: %s',
    async (line) => {
      await expect(checkCommandLine(line)).resolves.toBeUndefined();
    },
  );

  it('would notice a command or an option that does not exist', async () => {
    await expect(checkCommandLine('holdfast fly')).rejects.toThrow('no such command');
    await expect(checkCommandLine('holdfast run x.md --fast')).rejects.toThrow('unknown option');
    await expect(checkCommandLine('ralphtool agent task forget 1')).rejects.toThrow('no such command');
  });
});

/** Plain `key: value` lines; anything else in front matter of ours is a mistake. */
function frontMatter(text: string): Record<string, string> {
  const [, block = ''] = /^---\n([\s\S]*?)\n---\n/.exec(text) ?? [];
  return Object.fromEntries(
    block.split('\n').map((line) => {
      const [, key, value] = /^([a-z-]+): (\S.*)$/.exec(line) ?? [];
      if (key === undefined || value === undefined) throw new Error(`not a field: ${line}`);
      return [key, value];
    }),
  );
}
