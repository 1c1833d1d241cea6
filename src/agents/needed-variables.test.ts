import { describe, expect, it } from 'vitest';
import type { AgentDefinition } from './definitions.js';
import { missingVariables, neededVariables } from './needed-variables.js';

const agent = (more: Partial<AgentDefinition> = {}): AgentDefinition => ({
  name: 'agent',
  driver: 'claude',
  command: 'agent',
  args: [],
  environment: {},
  source: 'built in',
  ...more,
});

const SHELL = {
  ANTHROPIC_API_KEY: 'a',
  ANTHROPIC_BASE_URL: 'b',
  CLAUDE_CODE_OAUTH_TOKEN: 'c',
  CLAUDE_CODE_USE_BEDROCK: '1',
  CLAUDE_CODE_ENTRYPOINT: 'cli',
  CLAUDECODE: '1',
  AWS_PROFILE: 'p',
  OPENAI_API_KEY: 'o',
  GEMINI_API_KEY: 'g',
  HTTPS_PROXY: 'h',
  GITHUB_TOKEN: 't',
  ANTHROPIC_AUTH_TOKEN: '',
  TERM: 'xterm',
  SSH_AUTH_SOCK: '/tmp/x',
};

describe('neededVariables', () => {
  it("names the variables that the agent's service needs, and leaves out other families", () => {
    expect(neededVariables(agent(), SHELL)).toEqual([
      'ANTHROPIC_API_KEY',
      'ANTHROPIC_BASE_URL',
      'AWS_PROFILE',
      'CLAUDE_CODE_OAUTH_TOKEN',
      'CLAUDE_CODE_USE_BEDROCK',
      'HTTPS_PROXY',
    ]);
    const ofCodex = neededVariables(agent({ driver: 'codex' }), { ...SHELL, MY_GATEWAY_API_KEY: 'm' });
    expect(ofCodex).toEqual(['HTTPS_PROXY', 'MY_GATEWAY_API_KEY', 'OPENAI_API_KEY']);
    expect(neededVariables(agent({ driver: 'acp', preset: 'gemini' }), SHELL)).toEqual([
      'GEMINI_API_KEY',
      'HTTPS_PROXY',
    ]);
    expect(neededVariables(agent({ driver: 'acp', preset: 'claude-acp' }), SHELL)).toContain(
      'ANTHROPIC_API_KEY',
    );
  });

  it('includes those of every service for an agent that may use any', () => {
    const names = neededVariables(agent({ driver: 'acp', preset: 'opencode' }), SHELL);
    expect(names).toEqual(expect.arrayContaining(['ANTHROPIC_API_KEY', 'OPENAI_API_KEY', 'GEMINI_API_KEY']));
    expect(names).not.toContain('GITHUB_TOKEN');
  });

  it("leaves out what the agent's configuration sets", () => {
    const own = agent({ environment: { ANTHROPIC_API_KEY: 'own' } });
    expect(neededVariables(own, { ANTHROPIC_API_KEY: 'a' })).toEqual([]);
    expect(missingVariables(['ANTHROPIC_API_KEY'], own, {})).toEqual([]);
  });

  it('reports variables that are gone or empty as missing', () => {
    expect(missingVariables(['A', 'B', 'C'], agent(), { A: '1', B: '' })).toEqual(['B', 'C']);
  });
});
