import { isAbsolute } from 'node:path';
import * as z from 'zod';
import { PhaseSetting, PLAN_PRESETS } from '../../sessions/loop/policies/presets.js';
import { OUTER_LIMITS } from '../../sessions/question/index.js';
import { accountSettings } from './account-settings.js';
import { AgentName, AgentSettings } from './agent-settings.js';
import { ChannelMap, PushMap, QuietHoursText } from './notice-settings.js';

const Directory = z
  .string()
  .refine((path) => isAbsolute(path) || path.startsWith('~/'), 'must be an absolute path or start with ~/');
const Count = (max: number) => z.int().min(1).max(max);
/** Up to a hundred years, which keeps dates within four-digit years. */
const Seconds = z
  .number()
  .nonnegative()
  .max(100 * 365 * 24 * 60 * 60);

/** What a model costs, in dollars per million tokens; the cache costs as much as input by default. */
const PriceSettings = z.strictObject({
  input: z.number().nonnegative(),
  output: z.number().nonnegative(),
  cacheRead: z.number().nonnegative().optional(),
  cacheWrite: z.number().nonnegative().optional(),
});
export type PriceSettings = z.infer<typeof PriceSettings>;

interface Setting<Schema extends z.ZodType = z.ZodType> {
  readonly schema: Schema;
  readonly default: z.output<Schema>;
  readonly about: string;
}

function setting<Schema extends z.ZodType>(
  schema: Schema,
  initial: z.output<Schema>,
  about: string,
): Setting<Schema> {
  return { schema, default: initial, about };
}

/** Every setting there is, by its dotted key in `config.json`. */
export const SETTINGS = {
  'question.dir': setting(Directory.optional(), undefined, 'Where question sets are kept'),
  'question.maxSessions': setting(Count(10_000), 100, 'How many sets may be pending'),
  'question.maxQuestions': setting(Count(OUTER_LIMITS.maxQuestions), 5, 'Maximum questions in one set'),
  'question.maxOptions': setting(
    z.int().min(2).max(OUTER_LIMITS.maxOptions),
    5,
    'Maximum options of one question',
  ),
  'question.timeoutSeconds': setting(Seconds, 0, 'When a new set times out; 0 = never'),
  'question.retentionDays': setting(
    z.number().positive(),
    7,
    'How many days sets are kept once they are no longer pending',
  ),
  'mcp.handBackSeconds.claude': setting(
    Seconds,
    0,
    'When a call from Claude gets a pending handle; 0 = never',
  ),
  'mcp.handBackSeconds.gemini': setting(Seconds, 580, 'The same for Gemini CLI'),
  'mcp.handBackSeconds.codex': setting(Seconds, 280, 'The same for Codex'),
  'mcp.handBackSeconds.opencode': setting(Seconds, 50, 'The same for opencode'),
  'mcp.handBackSeconds.other': setting(Seconds, 50, 'The same for every other client'),
  'hooks.waitSeconds': setting(
    Seconds,
    20,
    'How long a hook holds back the agent’s own dialog while a card waits; 0 = no cards, only notices',
  ),
  agent: setting(AgentName.optional(), undefined, 'The agent to use when none is named'),
  'conversation.dir': setting(Directory.optional(), undefined, 'Where conversations are kept'),
  'conversation.maxTokens': setting(
    z.int().min(1_000).optional(),
    undefined,
    'How many tokens may be spent on repeating to an agent what was said; default 100,000',
  ),
  'conversation.expiryDays': setting(
    z.number().positive().optional(),
    undefined,
    'Conversations without activity for this many days are cleaned automatically; absent = never',
  ),
  'conversation.rawProjects': setting(
    z.array(Directory),
    [],
    'Projects whose conversations are kept without redaction',
  ),
  'loop.dir': setting(Directory.optional(), undefined, 'Where the loop of a project is kept'),
  'loop.callsPerHour': setting(Count(100_000), 100, 'Maximum calls of the agent per hour'),
  'loop.maxIterations': setting(z.int().nonnegative(), 100, 'Maximum iterations of one loop; 0 = no limit'),
  'loop.maxMinutes': setting(
    z.number().nonnegative(),
    0,
    'Maximum working minutes of one loop; 0 = no limit',
  ),
  'loop.maxTokens': setting(z.int().nonnegative(), 0, 'Maximum tokens of one loop; 0 = no limit'),
  'loop.maxCostUsd': setting(
    z.number().nonnegative(),
    0,
    'Maximum cost of one loop in dollars; 0 = no limit',
  ),
  'budget.perDay.costUsd': setting(
    z.number().nonnegative(),
    0,
    'Maximum cost of all runs in a local day, in dollars; 0 = no limit',
  ),
  'budget.perDay.tokens': setting(
    z.int().nonnegative(),
    0,
    'Maximum tokens of all runs in a local day; 0 = no limit',
  ),
  'loop.idleMinutes': setting(
    z.number().nonnegative(),
    30,
    'After how many minutes without a sign of life an agent is ended; 0 = never',
  ),
  'loop.preset': setting(
    z.enum(PLAN_PRESETS).optional(),
    undefined,
    'The phases of a plan that names none: work, tdd (default) or tdd-strict; a plan may only ask for stricter ones',
  ),
  'loop.prompts': setting(
    z.record(PhaseSetting.shape.name, z.string().max(20_000)),
    {},
    'Your own words to the agent for each phase, by phase name; added to the prompt',
  ),
  'loop.phases': setting(
    z.array(PhaseSetting).min(1).optional(),
    undefined,
    'The phases of a loop: in this order, only these, with these limits',
  ),
  'worktree.dir': setting(
    Directory.optional(),
    undefined,
    'Where the worktrees of runs are made; in the state directory of Holdfast if absent',
  ),
  'worktree.setup': setting(
    z.string().max(20_000).optional(),
    undefined,
    'A command for `sh -c` in each new worktree, before an agent works in it, such as npm ci',
  ),
  'queue.agentSlots': setting(
    z.record(AgentName, Count(1_000)),
    {},
    'How many queued runs an agent may have at once, by agent name; absent = as many as the workers have slots',
  ),
  'top.open': setting(
    z.array(z.string().min(1).max(4_096)).min(1).max(100).optional(),
    undefined,
    'What `o` in holdfast top runs: a program and its arguments, {directory} stands for the project; absent = show the directory',
  ),
  'change.tempDir': setting(
    Directory.optional(),
    undefined,
    'Where change sessions keep their published file',
  ),
  'notices.channels': setting(
    ChannelMap,
    {},
    'Channels that tell you what is waiting or has ended, under names of your own; see docs/notices.md',
  ),
  'notices.push': setting(
    PushMap,
    {},
    'What is sent to devices that asked for notices on the page, and how; see docs/notices.md',
  ),
  'notices.bell': setting(
    z.boolean(),
    true,
    'Whether run and chat ring the bell of their terminal; a channel of type terminal does it by itself',
  ),
  'notices.quietHours': setting(
    QuietHoursText.optional(),
    undefined,
    'When nothing is sent, in local time, such as 22:00-07:00; what was held back is sent as one message afterwards',
  ),
  'notices.fleet': setting(
    z.boolean(),
    false,
    'Whether this machine also notifies you of what is waiting on other machines of the fleet; their own channels already do',
  ),
  'web.writesPerMinute': setting(
    Count(1_000_000),
    60,
    'How many changes one browser may make on the page per minute',
  ),
  'web.streams': setting(Count(1_000), 8, 'How many times one browser may have the page open at once'),
  'fleet.url': setting(
    z
      .string()
      .max(4_096)
      .regex(/^postgres(ql)?:\/\//, 'must look like postgres://you@db.lan/holdfast')
      .refine(
        (url) => !/^[^@/]*:\/\/[^@/]*:[^@]*@/.test(url),
        'holds a password: put the address into a file of mode 600 and name that with fleet.urlFile',
      )
      .optional(),
    undefined,
    "Where the fleet's database is, without a password; see docs/fleet.md",
  ),
  'fleet.urlFile': setting(
    Directory.optional(),
    undefined,
    "A file of mode 600 with the address of the fleet's database, password and all",
  ),
  'fleet.machine': setting(
    z
      .string()
      .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/, 'must be letters, digits, dots, dashes and underscores')
      .optional(),
    undefined,
    'What this machine is called when it joins a fleet; its host name if absent',
  ),
  'fleet.share': setting(
    z.enum(['progress']),
    'progress',
    'What other machines of the fleet see of the runs here: their state, and nothing that was said',
  ),
  'fleet.trust': setting(
    z.array(z.string().min(1).max(63)).max(1_000),
    [],
    'Logins of the fleet, besides your own, whose entries workers on this machine run: they run code here',
  ),
  'fleet.repositories': setting(
    z.array(z.string().min(1).max(2_000)).min(1).max(1_000).optional(),
    undefined,
    'Repositories whose entries workers on this machine take, * for any part; absent = all that trusted people queue',
  ),
  'fleet.bypass': setting(
    z.boolean(),
    false,
    'Whether entries of the fleet may run with --permissions bypass on this machine',
  ),
  'fleet.ref': setting(
    z.enum(['refs', 'branch']),
    'refs',
    'Where snapshots of runs go on the git server: refs/holdfast/…, or branches holdfast/… if it accepts only branches',
  ),
  'fleet.leaseSeconds': setting(
    z.int().min(2).max(3_600),
    300,
    'How long this machine may be silent before another one may take over its runs of the fleet',
  ),
  'notices.digestSeconds': setting(
    Seconds,
    60,
    'Notices that follow each other this quickly are sent as one ("3 waiting"); 0 = one message each',
  ),
} as const satisfies Record<string, Setting>;

export const Agents = z.record(AgentName, AgentSettings);
export const Accounts = z.record(AgentName, accountSettings(Directory));
export const Prices = z.record(z.string().min(1), PriceSettings);

export type SettingKey = keyof typeof SETTINGS;
export type SettingValue<Key extends SettingKey> = z.output<(typeof SETTINGS)[Key]['schema']>;
