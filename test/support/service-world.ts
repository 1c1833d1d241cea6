import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isGone } from './detached-world.js';
import type { Json, Outcome } from './holdfast-binary.js';
import { killQuietly, living, until } from './processes.js';
import { type ProjectsWorld, projectsWorld } from './projects-world.js';

/** The PATH systemd gives to user services: nothing from any shell. */
const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** Several projects of a user who installed the service. */
export interface ServiceWorld extends ProjectsWorld {
  readonly unitPath: string;
  /** Starts what the unit says in a clean environment, as systemd would. */
  startUnit(more?: Readonly<Record<string, string>>): ChildProcess;
  /** The same, to its end. */
  boot(more?: Readonly<Record<string, string>>): Promise<Outcome>;
  /** Kills all runs and their agents without warning, as a power cut does. */
  cutPower(): Promise<void>;
  /** Makes what a run left behind look as if it came from an earlier boot of the machine. */
  forgetBoot(project: string): void;
  /** Makes the agent's service have said that its limit is used up for another hour. */
  limit(project: string): void;
  /** How often the agent of a project was prompted. */
  prompts(project: string): number;
  /** The runs of `service status --json`, by the name of their project. */
  planned(): Promise<Record<string, Json>>;
  /** The arguments of all calls of systemctl and loginctl. */
  calls(): string[][];
}

export async function serviceWorld(others?: Parameters<typeof projectsWorld>[0]): Promise<ServiceWorld> {
  const world = await projectsWorld(others);
  const home = world.env.HOME ?? '';
  const unitPath = join(home, '.config', 'systemd', 'user', 'holdfast.service');
  const record = world.dir.at('calls');
  const programs = world.dir.at('programs');
  mkdirSync(programs);
  // They accept any arguments and record them.
  for (const name of ['systemctl', 'loginctl'])
    writeFileSync(
      join(programs, name),
      `#!/bin/sh\n{ printf '%s\\037' ${name} "$@"; echo; } >> '${record}'\n[ "$2" = is-enabled ] && echo enabled\n[ "$1" = show-user ] && echo Linger=no\nexit 0\n`,
      { mode: 0o755 },
    );
  const env = { ...world.env, PATH: `${programs}:${world.env.PATH}` };
  const startUnit = (more = {}) => {
    const { command, environment } = readUnit(readFileSync(unitPath, 'utf8'));
    const [program = '', ...args] = command;
    // As from a user manager: started in the home directory, with hardly anything.
    const fresh = { HOME: home, PATH, USER: 'somebody', XDG_RUNTIME_DIR: world.dir.at('run') };
    return spawn(program, args, { cwd: home, env: { ...fresh, ...environment, ...more } });
  };
  return {
    ...world,
    env,
    unitPath,
    run: (args, options = {}) => world.run(args, { ...options, env: { ...env, ...options.env } }),
    startUnit,
    async boot(more) {
      const child = startUnit(more);
      let [stdout, stderr] = ['', ''];
      child.stdout?.on('data', (text) => (stdout += text));
      child.stderr?.on('data', (text) => (stderr += text));
      return new Promise((resolve) => {
        child.on('close', (code, signal) => resolve({ code, signal, stdout, stderr }));
      });
    },
    async cutPower() {
      const pids = living(world.dir.path);
      for (const pid of pids) killQuietly(pid);
      await until(() => pids.every(isGone));
    },
    forgetBoot(project) {
      const path = join(world.at(project), '.prp-session', 'loop-state.json');
      const state = JSON.parse(readFileSync(path, 'utf8'));
      if (state.suspended_by != null) state.suspended_by.boot_id = '00000000-0000-4000-8000-000000000000';
      writeFileSync(path, JSON.stringify(state));
    },
    limit(project) {
      const path = join(world.at(project), '.prp-session', 'rate-limit.json');
      const limit = JSON.parse(readFileSync(path, 'utf8'));
      const at = new Date();
      const resumeAt = new Date(at.getTime() + 3_600_000).toISOString();
      limit.anthropic_5h = {
        detected: true,
        detected_at: at.toISOString(),
        resume_at: resumeAt,
        waiting: true,
      };
      writeFileSync(path, JSON.stringify(limit));
    },
    prompts(project) {
      const path = join(world.at(project), '.prp-session', 'rate-limit.json');
      return JSON.parse(readFileSync(path, 'utf8')).hourly.calls_made;
    },
    async planned() {
      const { data } = await world.json(['service', 'status']);
      const name = (path: string) => path.split('/').at(-1) ?? '';
      return Object.fromEntries(data.runs.map((run: Json) => [name(run.project), run]));
    },
    calls() {
      if (!existsSync(record)) return [];
      return readFileSync(record, 'utf8')
        .split('\n')
        .slice(0, -1)
        .map((line) => line.split('\x1f').slice(0, -1));
    },
  };
}

/** What a unit starts, parsed as by systemd: words in quotes, escapes, `%%` and `$$`. */
export function readUnit(text: string): { command: string[]; environment: Record<string, string> } {
  const lines = text.split('\n');
  const valuesOf = (key: string) =>
    lines.filter((line) => line.startsWith(`${key}=`)).map((line) => line.slice(key.length + 1));
  const [program = '', ...args] = valuesOf('ExecStart').flatMap(wordsOf);
  const settings = valuesOf('Environment').flatMap(wordsOf);
  return {
    command: [program, ...args.map((word) => word.replaceAll('$$', () => '$'))],
    environment: Object.fromEntries(
      settings.map((word) => [word.slice(0, word.indexOf('=')), word.slice(word.indexOf('=') + 1)]),
    ),
  };
}

function wordsOf(line: string): string[] {
  const words = [...line.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(([, inner = '']) => inner);
  if (words.map((word) => `"${word}"`).join(' ') !== line) throw new Error(`not words in quotes: ${line}`);
  return words.map(unescaped);
}

function unescaped(word: string): string {
  const bytes = word.replaceAll(/\\x([0-9a-f]{2})|\\(.)/g, (_, hex?: string, plain?: string) =>
    hex === undefined ? (plain ?? '') : String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return bytes.replaceAll('%%', '%');
}
