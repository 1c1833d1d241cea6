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

/** Limits are tested by themselves (web-security): here they are in nobody's way. */
const UNLIMITED = { web: { writesPerMinute: 100_000, streams: 100 } };

export interface DeviceOptions {
  readonly size?: Size;
  readonly theme?: 'dark' | 'light';
  readonly can?: DeviceCapability;
  readonly path?: string;
  /** What the browser calls itself; the name of the device is made of it. */
  readonly userAgent?: string;
  /** Points of the screen for each pixel of the page. */
  readonly scale?: number;
}

/** A browser with a profile of its own, signed in, and everything that it did which a good page does not do. */
export interface PageDevice extends AsyncDisposable {
  readonly context: BrowserContext;
  readonly page: Page;
  /** Every request of all tabs, as `GET /path`. */
  readonly requests: string[];
  /** Errors, violations of the policy, dialogs, and requests that leave the origin or that the page has no reason for. */
  trouble(): string[];
  /** Another tab of the same browser. */
  tab(path: string): Promise<Page>;
  /** A card that waits. */
  card(id: string, page?: Page): Locator;
}

export interface RunOptions {
  readonly args?: readonly string[];
  /** What it is checked by and which way it goes; one phase without a check if absent. */
  readonly way?: readonly string[];
  readonly plan?: string;
  readonly title?: string;
  /** Waits until it is over; in the background if absent. */
  readonly isToEnd?: boolean;
}

/** `holdfast web` on a machine of its own, with agents that play, and browsers that look at it. */
export interface BrowserWorld extends AsyncDisposable {
  readonly machine: Machine;
  readonly web: WebWorld;
  readonly origin: string;
  readonly browser: Browser;
  link(can?: DeviceCapability): string;
  open(options?: DeviceOptions): Promise<PageDevice>;
  /** A browser that has never been here. */
  stranger(options?: DeviceOptions): Promise<PageDevice>;
  /** Asks as an agent that waits would. */
  ask(questions?: readonly QuestionInput[], options?: CreateQuestionOptions): Promise<string>;
  askPermission(prompt: string, options?: { readonly withAlways?: boolean }): Promise<string>;
  statusOf(id: string): Promise<string>;
  /** What an agent does with each prompt. */
  play(agent: string, turns: readonly unknown[]): void;
  /** Starts a run of an agent in a project; its id. */
  run(project: string, agent: string, options?: RunOptions): Promise<string>;
  stateOf(project: string): Json;
  /** Every prompt that an agent got. */
  promptsOf(agent: string): string[];
  /** Kills the server as the kernel does when it has no memory left. */
  killServer(): Promise<void>;
  /** Starts another one on the same files. */
  startServer(): Promise<void>;
}

/** A test with a browser; it is skipped, loudly, where there is none. */
export function verifiesOnPage(requirement: RequirementId, clause: string, prove: () => Promise<void>): void {
  itNeeds({ chromium: true }, `${requirement}: ${clause}`, prove);
}

/** One browser and one server for all tests of a file; on a machine of its own, unless one is given. */
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

/** Waits until the page says that it is live. */
export async function isLive(page: Page): Promise<void> {
  await page.locator('.connection.live').waitFor();
}

/** What a person reads there: other than the text of the nodes, it has line breaks where the screen has them. */
export function wordsOf(shown: Locator): Promise<string> {
  // biome-ignore lint/performance/useDomNodeTextContent: what is laid out is what is asked for
  return shown.innerText();
}

/** What the page loads: its places, its files by their hashes, and its API. */
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
    // A refusal is told in the console by the browser itself; what comes of it is for the test to see.
    // So is a look for a newer worker while nobody serves.
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
