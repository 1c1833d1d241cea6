import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Browser, BrowserContext, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll } from 'vitest';
import {
  type CreateQuestionOptions,
  PERMISSION_CHOICES,
  permissionAsker,
  type QuestionInput,
} from '../../src/sessions/question/index.js';
import type { DeviceCapability } from '../../src/web/contract/index.js';
import type { RequirementId } from '../requirements.js';
import { launchBrowser } from './browser.js';
import { CHROMIUM } from './chromium.js';
import { WAIT_MS } from './deadlines.js';
import { DIST, type Json, type Machine, machine, type Running } from './holdfast-binary.js';
import { itNeeds } from './it-needs.js';
import { endAll, until } from './processes.js';
import { question } from './question-world.js';
import { type WebWorld, webWorld } from './web-world.js';

const PROGRAM = join(DIST, 'agents', 'scripted.cjs');

export const SIZES = {
  phone: { width: 390, height: 844 },
  desktop: { width: 1280, height: 800 },
  narrow: { width: 320, height: 640 },
} as const;
export type Size = keyof typeof SIZES;

export const IPHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 26_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 Mobile/15E148 Safari/604.1';

/** Limits have their own tests (web-security); here they must not get in the way. */
const UNLIMITED = { web: { writesPerMinute: 100_000, streams: 100 } };

export interface DeviceOptions {
  readonly size?: Size;
  readonly theme?: 'dark' | 'light';
  readonly can?: DeviceCapability;
  readonly path?: string;
  /** The browser's user agent; the name of the device is derived from it. */
  readonly userAgent?: string;
  /** Screen pixels for each pixel of the page. */
  readonly scale?: number;
}

/** A signed-in browser with its own profile, and everything it did that a good page does not do. */
export interface PageDevice extends AsyncDisposable {
  readonly context: BrowserContext;
  readonly page: Page;
  /** Every request of all tabs, as `GET /path`. */
  readonly requests: string[];
  /** Errors, violations of the policy, dialogs, and requests that leave the origin or have no reason. */
  trouble(): string[];
  /** Another tab of the same browser. */
  tab(path: string): Promise<Page>;
  /** A card that is waiting. */
  card(id: string, page?: Page): Locator;
}

export interface RunOptions {
  readonly args?: readonly string[];
  /** What it is checked by and which phases it goes through; one phase without a check if absent. */
  readonly way?: readonly string[];
  readonly plan?: string;
  readonly title?: string;
  /** Whether to wait until it is over; it runs in the background if absent. */
  readonly isToEnd?: boolean;
}

/** `holdfast web` on its own machine, with scripted agents, and browsers that look at it. */
export interface BrowserWorld extends AsyncDisposable {
  readonly machine: Machine;
  readonly web: WebWorld;
  readonly origin: string;
  readonly browser: Browser;
  link(can?: DeviceCapability): string;
  open(options?: DeviceOptions): Promise<PageDevice>;
  /** A browser that has never been here. */
  stranger(options?: DeviceOptions): Promise<PageDevice>;
  /** Asks as a waiting agent would. */
  ask(questions?: readonly QuestionInput[], options?: CreateQuestionOptions): Promise<string>;
  askPermission(prompt: string, options?: { readonly withAlways?: boolean }): Promise<string>;
  statusOf(id: string): Promise<string>;
  /** Sets what an agent does with each prompt. */
  play(agent: string, turns: readonly unknown[]): void;
  /** Starts a run of an agent in a project; returns its id. */
  run(project: string, agent: string, options?: RunOptions): Promise<string>;
  stateOf(project: string): Json;
  /** Every prompt an agent got. */
  promptsOf(agent: string): string[];
  /** Kills the server as the kernel does when memory runs out. */
  killServer(): Promise<void>;
  /** Starts another one on the same files. */
  startServer(): Promise<void>;
}

/** A test with a browser; skipped, loudly, if there is none. */
export function verifiesOnPage(requirement: RequirementId, clause: string, prove: () => Promise<void>): void {
  itNeeds({ chromium: true }, `${requirement}: ${clause}`, prove);
}

/** One browser and one server for all tests of a file; on a machine of its own unless one is given. */
export function browserStage(given?: () => Machine): () => BrowserWorld {
  let world: BrowserWorld | undefined;
  beforeAll(async () => {
    if (CHROMIUM !== undefined) world = await browserWorld(given?.());
  });
  afterAll(async () => {
    await world?.[Symbol.asyncDispose]();
  });
  return () => {
    if (world === undefined) throw new Error('no browser');
    return world;
  };
}

async function browserWorld(given?: Machine): Promise<BrowserWorld> {
  const box = given ?? (await machine());
  const agents: Record<string, unknown> = {};
  if (given === undefined) box.configure({ ...UNLIMITED, agents });
  const [web, browser] = await Promise.all([webWorld({ machine: box }), launchBrowser()]);
  const { origin } = web;
  let server: Running | undefined = web.running;
  const stranger = (options: DeviceOptions = {}) => openDevice(browser, origin, options);
  const at = (project: string) => box.dir.at(project);
  const stateOf = (project: string): Json =>
    JSON.parse(readFileSync(join(at(project), '.prp-session', 'loop-state.json'), 'utf8'));
  return {
    machine: box,
    web,
    origin,
    browser,
    link: (can = 'steer') => `${origin}/#code=${web.code(can)}`,
    stranger,
    async open(options = {}) {
      const device = await stranger(options);
      await device.page.goto(`${origin}${options.path ?? '/'}#code=${web.code(options.can ?? 'steer')}`);
      await isLive(device.page);
      return device;
    },
    async ask(questions = [question()], options = {}) {
      const asker = { agent: 'claude' };
      return (await web.services.questions.create([...questions], { asker, isWaiting: true, ...options })).id;
    },
    async askPermission(prompt, { withAlways = false } = {}) {
      const { allow, deny, always } = PERMISSION_CHOICES;
      const labels = withAlways ? [allow, deny, always] : [allow, deny];
      const asked = question({ title: 'Bash', prompt, options: labels.map((label) => ({ label })) });
      const asker = permissionAsker({ agent: 'claude' });
      return (await web.services.questions.create([asked], { asker, isWaiting: true })).id;
    },
    statusOf: async (id) => (await web.services.questions.get(id)).outcome.status,
    play(agent, turns) {
      const script = box.dir.at(`${agent}.json`);
      writeFileSync(script, JSON.stringify({ turns, onExhausted: 'repeat-last' }));
      const environment = {
        HOLDFAST_SCRIPTED_PROTOCOL: 'claude',
        HOLDFAST_SCRIPTED_SCRIPT: script,
        HOLDFAST_SCRIPTED_STATE: box.dir.at(`${agent}-state`),
        HOLDFAST_SCRIPTED_NOTES: box.dir.at(`${agent}-notes.jsonl`),
      };
      agents[agent] = { driver: 'claude', command: process.execPath, args: [PROGRAM], environment };
      box.configure({ ...UNLIMITED, agents });
    },
    async run(project, agent, options = {}) {
      const { args = [], plan = `docs/${project}.md`, title = project, isToEnd = false } = options;
      const { way = ['--verify', 'true', '--phases', 'work'] } = options;
      mkdirSync(dirname(join(at(project), plan)), { recursive: true, mode: 0o700 });
      writeFileSync(join(at(project), plan), `# PRP: ${title}\n\n### Success Criteria\n\n- [ ] done\n`);
      const how = ['--agent', agent, ...way, '--quiet', '--new', ...args, ...(isToEnd ? [] : ['--detach'])];
      const { code, stderr } = await box.run(['run', ...how, '--', plan], { cwd: at(project) });
      const hasBegun = () => existsSync(join(at(project), '.prp-session', 'loop-state.json'));
      if (code === 0) await until(hasBegun);
      if (!hasBegun()) throw new Error(`the run did not start: ${code} ${stderr}`);
      return stateOf(project).session_id;
    },
    stateOf,
    promptsOf(agent) {
      const path = box.dir.at(`${agent}-notes.jsonl`);
      if (!existsSync(path)) return [];
      const lines = readFileSync(path, 'utf8').split('\n').slice(0, -1);
      return lines.map((line) => JSON.parse(line).prompt);
    },
    async killServer() {
      server?.child.kill('SIGKILL');
      await server?.ended;
    },
    async startServer() {
      server = await web.startAgain();
    },
    async [Symbol.asyncDispose]() {
      await browser.close();
      await endAll(box.dir.path);
      await web[Symbol.asyncDispose]();
      await box[Symbol.asyncDispose]();
    },
  };
}

/** Waits until the page says it is live. */
export async function isLive(page: Page): Promise<void> {
  await page.locator('.connection.live').waitFor();
}

/** What a person reads there: unlike the text of the nodes, it has line breaks where the screen does. */
export function wordsOf(shown: Locator): Promise<string> {
  // biome-ignore lint/performance/useDomNodeTextContent: what is laid out is what is asked for
  return shown.innerText();
}

/** What the page loads: its routes, its files by their hashes, and its API. */
const KNOWN =
  /^\/(?:|q\/[^/]+|runs|r\/[^/]+(?:\/report)?|s|s\/[^/]+|devices|sign-in|worker\.js|manifest\.json|icon-\w+\.png|[\w-]+-[A-Z0-9]{8}\.(?:js|css)|api\/[\w/.-]+)$/;
const TELL_VIOLATIONS = `addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) =>
  console.error('policy: ' + violatedDirective + ' ' + blockedURI))`;

async function openDevice(
  browser: Browser,
  origin: string,
  { size = 'phone', theme = 'light', userAgent, scale = 1 }: DeviceOptions,
): Promise<PageDevice> {
  const context = await browser.newContext({
    viewport: SIZES[size],
    colorScheme: theme,
    hasTouch: size !== 'desktop',
    reducedMotion: 'reduce',
    locale: 'en-GB',
    deviceScaleFactor: scale,
    ...(userAgent === undefined ? {} : { userAgent }),
  });
  context.setDefaultTimeout(WAIT_MS);
  const trouble: string[] = [];
  const requests: string[] = [];
  context.on('request', (request) => {
    const url = new URL(request.url());
    requests.push(`${request.method()} ${url.pathname}${url.search}`);
    if (url.protocol === 'data:') return;
    if (url.origin !== origin) trouble.push(`left the origin: ${request.url()}`);
    else if (!KNOWN.test(url.pathname)) trouble.push(`no reason to ask for ${url.pathname}`);
  });
  context.on('dialog', (dialog) => {
    trouble.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  context.on('weberror', (error) => trouble.push(`thrown: ${error.error().message}`));
  context.on('console', (message) => {
    // The browser itself reports a refusal in the console; the test looks at the consequences. The same goes for a
    // check for a newer worker while no server is running.
    const words = ['Failed to load resource', 'An unknown error occurred when fetching the script'];
    if (message.type() === 'error' && !words.some((one) => message.text().startsWith(one)))
      trouble.push(`console: ${message.text()}`);
  });
  await context.addInitScript({ content: TELL_VIOLATIONS });
  const page = await context.newPage();
  return {
    context,
    page,
    requests,
    trouble: () => [...trouble],
    async tab(path) {
      const tab = await context.newPage();
      await tab.goto(`${origin}${path}`);
      return tab;
    },
    card: (id, on = page) => on.locator(`[data-card="${id}"]:not(.settled)`),
    [Symbol.asyncDispose]: () => context.close(),
  };
}
