import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseAgentFile } from '../../src/agents/agent-files.js';
import { createServices } from '../../src/app/base.js';
import { interactiveSettings } from '../../src/app/settings/aurora-config.js';
import { keysNotTaken, PROJECT_KEYS } from '../../src/foundation/index.js';
import { guessVerifyCommands, parsePrp } from '../../src/plans/index.js';
import { nodeFileSystem } from '../../src/storage/index.js';
import { RecordingLog } from '../support/recording-log.js';
import { tempDir } from '../support/temp-dir.js';

/** Keys that a hostile project would like to decide, and some that nobody has thought of. */
const OTHER_KEYS = [
  'command',
  'args',
  'env',
  'tools',
  'permissionMode',
  'permissions',
  'hooks',
  'mcpServers',
  'verify',
  'checks',
  'agent',
  'notify',
  'webhook',
  'dir',
  'session_expiry_days',
  'max_tokens',
  'anything-else',
];

const agentFile = (fields: Readonly<Record<string, string>>) => {
  const matter = Object.entries(fields).map(([key, value]) => `${key}: ${value}`);
  return parseAgentFile('/p/own.md', 'own.md', `---\n${matter.join('\n')}\n---\nBe brief.\n`);
};
const plan = (fields: Readonly<Record<string, string>>) => {
  const matter = Object.entries(fields).map(([key, value]) => `${key}: ${value}`);
  return parsePrp(`---\n${matter.join('\n')}\n---\n## Success criteria\n\n- [ ] it works\n`);
};

async function checksOf(scripts: Readonly<Record<string, string>>) {
  await using dir = await tempDir();
  writeFileSync(dir.at('package.json'), JSON.stringify({ scripts }));
  return guessVerifyCommands(nodeFileSystem, dir.path);
}

async function settingsWith(place: 'home' | 'project', interactive: Readonly<Record<string, unknown>>) {
  await using dir = await tempDir();
  for (const name of ['home', 'project']) mkdirSync(dir.at(name, '.aurora'), { recursive: true });
  writeFileSync(dir.at(place, '.aurora', 'config.json'), JSON.stringify({ spawner: { interactive } }));
  const log = new RecordingLog();
  const services = createServices({
    environment: { HOME: dir.at('home'), TMPDIR: dir.path },
    workingDirectory: dir.at('project'),
    command: 'test',
    self: { command: 'node', args: [] },
    log,
  });
  return { settings: interactiveSettings(services), log, services };
}

describe('what the files of a project may decide', () => {
  it('is a closed table', () => {
    expect(PROJECT_KEYS).toEqual({
      agentFile: ['name', 'description', 'model'],
      plan: ['title', 'phases'],
      auroraConfig: [],
      packageScripts: ['lint', 'typecheck', 'check', 'test'],
    });
  });

  it('stands in docs/projects.md, key by key', () => {
    const table = readFileSync(join(import.meta.dirname, '../../docs/projects.md'), 'utf8');
    for (const key of Object.values(PROJECT_KEYS).flat()) expect(table).toContain(`\`${key}\``);
  });

  it.each([
    ['name', { name: 'other' }, { name: 'other' }],
    ['description', { description: 'x' }, { description: 'x' }],
    ['model', { model: 'sonnet' }, { model: 'sonnet' }],
  ])('an agent file: %s', (_key, fields, expected) => {
    expect(agentFile(fields)).toEqual({ ...agentFile({}), ...expected });
  });

  it.each([
    ['title', { title: 'Login' }, { title: 'Login' }],
    ['phases', { phases: 'work' }, { preset: 'work' }],
  ])('a plan: %s', (_key, fields, expected) => {
    expect(plan(fields)).toEqual({ ...plan({}), ...expected });
  });

  it.each([
    ['lint', { checks: ['npm run lint'], tests: '' }],
    ['typecheck', { checks: ['npm run typecheck'], tests: '' }],
    ['check', { checks: ['npm run check'], tests: '' }],
    ['test', { checks: [], tests: 'npm test' }],
  ])('package.json: the script %s', async (key, expected) => {
    expect(await checksOf({ [key]: 'rm -rf ~' })).toEqual(expected);
  });

  it.each(OTHER_KEYS)('and never %s, wherever it stands', async (key) => {
    const { notTaken, ...agent } = agentFile({ [key]: 'x' }) ?? {};
    const { notTaken: _, ...plain } = agentFile({}) ?? {};
    expect([agent, notTaken]).toEqual([plain, [key]]);
    expect(plan({ [key]: 'x' })).toEqual(plan({}));
    expect(await checksOf({ [key]: 'x' })).toEqual(key === 'check' ? expect.anything() : await checksOf({}));
    expect(keysNotTaken('auroraConfig', [key])).toEqual([key]);
    expect((await settingsWith('project', { [key]: 1 })).settings).toEqual({});
  });

  it('a setting in .aurora/config.json of the project is told once as not used; at home it counts', async () => {
    const { log, services } = await settingsWith('project', { session_expiry_days: 1e-9, max_tokens: 1 });
    interactiveSettings(services);
    expect(log.events.filter(({ event }) => event === 'config.project-keys-ignored')).toMatchObject([
      { fields: { keys: ['spawner.interactive.session_expiry_days', 'spawner.interactive.max_tokens'] } },
    ]);
    const atHome = await settingsWith('home', { session_expiry_days: 5, max_tokens: 7 });
    expect(atHome.settings).toEqual({ expiryDays: 5, maxTokens: 7 });
    expect(atHome.log.events).toEqual([]);
  });
});
