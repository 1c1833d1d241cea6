import { existsSync, mkdirSync, readdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'vitest';
import { agentPaths } from '../../scripts/agents-cache.mjs';
import type { ModelTurn } from '../support/fake-model/server.mjs';
import { HOLDFAST, type Json, type Machine, machine } from '../support/holdfast-binary.js';
import { until } from '../support/processes.js';
import { Pane } from '../support/tmux.js';
import { prepare, REAL_AGENTS } from './real-agents.js';
import { type StandIn, standIn } from './stand-in.js';

/** A machine on which a person has set up the hooks of an agent that they start themselves. */
export interface HookGround extends AsyncDisposable {
  readonly pc: Machine;
  readonly model: StandIn;
  /** What the agent needs in its environment to reach the stand-in. */
  readonly environment: Readonly<Record<string, string>>;
  /** The settings that setup wrote to, and what they said before; undefined where there was no such file. */
  readonly settings: { readonly path: string; readonly before: string | undefined };
  readonly command: string;
  /** Waits for a card that was not there before, and returns it. */
  card(): Promise<Json>;
  /** The cards that wait now. */
  cards(): Promise<Json[]>;
  /** The agents that the hooks told of. */
  agents(): Json[];
  made(name: string): boolean;
  openPane(): Promise<Pane>;
}

export async function hookGround(name: 'claude' | 'codex', turns: readonly ModelTurn[]): Promise<HookGround> {
  const command = agentPaths()[name]?.command ?? '';
  const pc = await machine({ path: `${dirname(command)}:${process.env.PATH}` });
  const model = await standIn({ turns }, { cwd: pc.project });
  const home = pc.env.HOME ?? '';
  const agent = REAL_AGENTS[name];
  prepare(agent, { home, baseUrl: model.url });
  const project = realpathSync(pc.project);
  const path = name === 'claude' ? settleClaude(home, project) : settleCodex(home, project);
  const before = existsSync(path) ? readFileSync(path, 'utf8') : undefined;
  pc.configure({ hooks: { waitSeconds: 600 } });
  const written = await pc.run(['setup', name, '--hooks', '--write', '--command', HOLDFAST]);
  expect(written.code, written.stderr).toBe(0);
  const seen = new Set<string>();
  const cards = async () => (await pc.asideJson(['questions'])).data as Json[];
  const state = join(pc.env.HOLDFAST_HOME ?? '', 'state', 'agents');
  const permissions = join(pc.env.HOLDFAST_HOME ?? '', 'data', 'permissions');
  return {
    pc,
    model,
    command,
    environment: agent.environment(model.url),
    settings: { path, before },
    cards,
    async card() {
      let id: string | undefined;
      await until(() => {
        id = idsIn(permissions).find((one) => !seen.has(one));
        return id !== undefined;
      });
      seen.add(id ?? '');
      return (await pc.asideJson(['questions', 'show', id ?? ''])).data;
    },
    agents: () =>
      existsSync(state)
        ? readdirSync(state).map((file) => JSON.parse(readFileSync(join(state, file), 'utf8')))
        : [],
    made: (file) => existsSync(join(pc.project, file)),
    openPane: () => Pane.open(pc, { columns: 120, rows: 45, env: agent.environment(model.url) }),
    async [Symbol.asyncDispose]() {
      await model[Symbol.asyncDispose]();
      await pc[Symbol.asyncDispose]();
    },
  };
}

/** The cards that hooks made, by their directories. */
export function idsIn(directory: string): string[] {
  return existsSync(directory) ? readdirSync(directory).filter((name) => !name.startsWith('.')) : [];
}

/** What Claude Code asks at its first start is answered already; the user has a hook of their own. */
function settleClaude(home: string, project: string): string {
  const known = { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true };
  const state = {
    hasCompletedOnboarding: true,
    theme: 'dark',
    customApiKeyResponses: { approved: ['sk-fake'], rejected: [] },
    projects: { [project]: known },
  };
  writeFileSync(join(home, '.claude.json'), JSON.stringify(state));
  const path = join(home, '.claude', 'settings.json');
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(
    path,
    '{\n   "includeCoAuthoredBy": false,\n  "hooks": { "Stop": [{ "hooks": [{ "type": "command", "command": "true" }] }] }\n}\n',
  );
  return path;
}

/** Codex asks before everything, and trusts the project. */
export function settleCodex(home: string, project: string): string {
  const config = join(home, '.codex', 'config.toml');
  const trust = `[projects.${JSON.stringify(project)}]\ntrust_level = "trusted"\n`;
  writeFileSync(
    config,
    `approval_policy = "on-request"\nsandbox_mode = "read-only"\n${readFileSync(config, 'utf8')}\n${trust}`,
  );
  return join(home, '.codex', 'hooks.json');
}

/** The hooks of a permission that run for this machine now. */
export function permissionHooks({ dir }: Machine): number[] {
  return readdirSync('/proc')
    .filter((pid) => /^\d+$/.test(pid))
    .filter((pid) => {
      const words = read(pid, 'cmdline').split('\0');
      const isHook = words.includes('hook') && words.includes('PermissionRequest');
      return isHook && read(pid, 'environ').includes(dir.path);
    })
    .map(Number);
}

function read(pid: string, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}
