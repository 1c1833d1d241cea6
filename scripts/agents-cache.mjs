// The real programs of others that `npm run test:agents` drives, in pinned versions and outside of the tree.
//   node scripts/agents-cache.mjs    installs what is missing and says what is there
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cacheDirectory, failureOf, installBeside } from './install-beside.mjs';

/** Each with its versions in the order of preference: the second is smaller, and for machines that cannot have the first. */
const AGENTS = [
  {
    name: 'claude',
    package: '@anthropic-ai/claude-code',
    versions: ['2.1.325', '2.1.112'],
    command: 'claude',
  },
  { name: 'codex', package: '@openai/codex', versions: ['0.166.0', '0.101.0'], command: 'codex' },
  { name: 'gemini', package: '@google/gemini-cli', versions: ['0.61.0'], command: 'gemini' },
  { name: 'opencode', package: 'opencode-ai', versions: ['1.18.33'], command: 'opencode' },
  // No agent, but the program whose plans change sessions work through.
  { name: 'openspec', package: '@fission-ai/openspec', versions: ['1.13.2'], command: 'openspec' },
  // A project that nobody here wrote, for agents to work in: its sources with its tests, and what runs them.
  { name: 'minimist', package: 'tape', versions: ['5.10.2'], command: 'tape', beside: ['minimist@1.2.8'] },
];

const PROGRAMS = cacheDirectory('agents');

/** Where each agent program is, and in which version; an agent that is not installed is missing. */
export function agentPaths() {
  return Object.fromEntries(
    AGENTS.flatMap((agent) => {
      const version = agent.versions.find((candidate) => existsSync(commandOf(agent, candidate)));
      return version === undefined ? [] : [[agent.name, { command: commandOf(agent, version), version }]];
    }),
  );
}

/** Installs what is not there; the names of those that could not be had. */
export function installAgents() {
  return AGENTS.filter((agent) => !agent.versions.some((version) => isInstalled(agent, version))).map(
    ({ name }) => name,
  );
}

function isInstalled(agent, version) {
  if (existsSync(commandOf(agent, version))) return true;
  const packages = [`${agent.package}@${version}`, ...(agent.beside ?? [])];
  const fault = (directory) => whyItDoesNotRun(agent, directory);
  return installBeside(placeOf(agent, version), packages, fault) === undefined;
}

/** A package whose native part is missing installs well and does not start. It is tried only where it can reach nobody. */
function whyItDoesNotRun(agent, directory) {
  const way = isolation();
  if (way === undefined) return undefined;
  const command = join(directory, 'node_modules', '.bin', agent.command);
  const home = join(directory, 'home');
  mkdirSync(home);
  const quiet = { DISABLE_AUTOUPDATER: '1', OPENSPEC_TELEMETRY: '0', DO_NOT_TRACK: '1' };
  const environment = { PATH: process.env.PATH, HOME: home, ...quiet };
  const [program, ...options] = [...way, command, '--version'];
  const result = spawnSync(program, options, { encoding: 'utf8', env: environment, timeout: 60_000 });
  rmSync(home, { recursive: true, force: true });
  return result.status === 0 ? undefined : failureOf(result);
}

/** What to put before a command so that loopback is all the network there is; undefined where that cannot be done. */
export function isolation() {
  const inside = ['sh', '-c', 'ip link set lo up && exec "$0" "$@"'];
  const ways = [
    ['unshare', '--net', ...inside],
    ['unshare', '--map-root-user', '--net', ...inside],
  ];
  return ways.find(([program, ...options]) => spawnSync(program, [...options, 'true']).status === 0);
}

function commandOf(agent, version) {
  return join(placeOf(agent, version), 'node_modules', '.bin', agent.command);
}

function placeOf(agent, version) {
  return join(PROGRAMS, `${agent.name}-${version}`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const missing = installAgents();
  const paths = agentPaths();
  for (const [name, { command, version }] of Object.entries(paths))
    console.log(`${name} ${version}  ${command}`);
  for (const name of missing) console.log(`MISSING: ${name} cannot be installed, so its tests are skipped`);
}
