import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { createServices, type Services } from '../../src/app/base.js';
import { holdFleetLink, openFleet, openFleetQuestions } from '../../src/app/fleet/open-fleet.js';
import type { LinkState } from '../../src/fleet/index.js';
import type { Clock, Logger } from '../../src/foundation/index.js';
import { parseAddress } from '../../src/hub/index.js';
import type { QuestionView } from '../../src/sessions/question/index.js';
import { HOLDFAST, Running } from './holdfast-binary.js';
import { type Cluster, cluster } from './postgres.js';
import { endAll, until } from './processes.js';
import { type TempDir, tempDir } from './temp-dir.js';

export const QUESTIONS = [
  { title: 'Store', prompt: 'Which?', options: [{ label: 'A' }, { label: 'B' }, { label: 'C' }] },
];
export const choosing = (label: string) => [{ questionIndex: 0, selectedOption: label }];

/** A machine of a fleet with its own home, used by this process and by programs. */
export interface Member {
  readonly name: string;
  /** Its id in the fleet. */
  readonly id: string;
  readonly services: Services;
  readonly env: Readonly<Record<string, string>>;
  /** Starts the program on it, over another route to the database if one is given. */
  start(args: readonly string[], options?: StartOptions): Running;
  /** Puts a question before people. */
  ask(): Promise<QuestionView>;
  /** One sync in both directions, as the next command would do it. */
  pass(): Promise<void>;
}

export interface StartOptions {
  readonly url?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** What comes before the program, such as faketime. */
  readonly before?: readonly string[];
}

export interface MemberOptions {
  readonly url?: string;
  readonly clock?: Clock;
  readonly log?: Logger;
}

export interface FleetWorld extends AsyncDisposable {
  readonly db: Cluster;
  readonly dir: TempDir;
  member(name: string, options?: MemberOptions): Promise<Member>;
  services(name: string, options?: MemberOptions): Services;
  /** The requests for a session, according to the hub. */
  requestsOf(session: string): Promise<Record<string, unknown>[]>;
}

const CODE_CACHE = fileURLToPath(new URL('../../node_modules/.cache/holdfast-code', import.meta.url));

export async function fleetWorld(settings: Readonly<Record<string, string>> = {}): Promise<FleetWorld> {
  const [db, dir] = await Promise.all([cluster(settings), tempDir()]);
  const running = new Set<Running>();
  const envOf = (name: string, url = db.url) => ({
    PATH: process.env.PATH ?? '',
    HOLDFAST_CODE_CACHE: CODE_CACHE,
    HOLDFAST_HOME: dir.at(name),
    HOME: dir.at(`${name}-user`),
    LANG: 'C.UTF-8',
    HOLDFAST_FLEET_URL: url,
  });
  const services = (name: string, { url, clock, log }: MemberOptions = {}) => {
    mkdirSync(dir.at(`${name}-user`), { recursive: true });
    mkdirSync(dir.at(name, 'config'), { recursive: true, mode: 0o700 });
    writeFileSync(
      dir.at(name, 'config', 'config.json'),
      JSON.stringify({ question: { maxSessions: 10_000 } }),
    );
    return createServices({
      environment: envOf(name, url),
      workingDirectory: dir.path,
      command: 'test',
      clock,
      log,
    });
  };
  const start = (name: string, args: readonly string[], { url, env, before = [] }: StartOptions = {}) => {
    const [command = '', ...rest] = [...before, process.execPath, HOLDFAST, ...args];
    const child = spawn(command, rest, { cwd: dir.path, env: { ...envOf(name, url), ...env } });
    const started = new Running(child);
    child.stdin.end();
    running.add(started);
    void started.ended.finally(() => running.delete(started));
    return started;
  };
  let isMade = false;
  const member = async (name: string, options: MemberOptions = {}): Promise<Member> => {
    const own = services(name, options);
    const desk = openFleet(services(name));
    await (isMade ? desk.join(parseAddress(db.url), name) : desk.init(parseAddress(db.url), name));
    isMade = true;
    const [row] = await db.sql('select id from holdfast.machine where name = $1 and left_at is null', [name]);
    return {
      name,
      id: String(row?.id),
      services: own,
      env: envOf(name),
      start: (args, startOptions) => start(name, args, startOptions),
      ask: () => own.questions.create(QUESTIONS),
      pass: async () => (await openFleetQuestions(services(name)))?.[Symbol.asyncDispose](),
    };
  };
  return {
    db,
    dir,
    member,
    services,
    requestsOf: (session) =>
      db.sql(
        'select id, state, reply, by::text as by from holdfast.request where session = $1 order by seq',
        [session],
      ),
    async [Symbol.asyncDispose]() {
      for (const one of running) one.child.kill('SIGKILL');
      await Promise.all([...running].map(({ ended }) => ended));
      await endAll(dir.path);
      await db[Symbol.asyncDispose]();
      await dir[Symbol.asyncDispose]();
    },
  };
}

export interface HeldLink extends AsyncDisposable {
  readonly states: readonly LinkState[];
}

/** Holds a machine's link in this process; the facts it reports about itself are kept. */
export async function linked({ services }: Pick<Member, 'services'>): Promise<HeldLink> {
  const states: LinkState[] = [];
  const link = holdFleetLink(services, (state) => states.push(state));
  if (link === undefined) throw new Error('not joined');
  await until(() => states.length > 0);
  return { states, [Symbol.asyncDispose]: () => link[Symbol.asyncDispose]() };
}

/** The questions of every machine, as a person sees them on one of them. */
export async function inboxOf({ services }: Pick<Member, 'services'>) {
  const open = await openFleetQuestions(services);
  if (open === undefined) throw new Error('not joined');
  return open;
}
