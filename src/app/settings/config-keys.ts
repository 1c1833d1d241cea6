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
/** Up to a hundred years: later than that no calendar of four digits goes. */
const Seconds = z
  .number()
  .nonnegative()
  .max(100 * 365 * 24 * 60 * 60);

/** What a model costs, in dollars per million tokens; the cache as input where nothing is said. */
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
  'question.maxQuestions': setting(Count(OUTER_LIMITS.maxQuestions), 5, 'Questions in one set at most'),
  'question.maxOptions': setting(
    z.int().min(2).max(OUTER_LIMITS.maxOptions),
    5,
    'Options of one question at most',
  ),
  'question.timeoutSeconds': setting(Seconds, 0, 'When a new set times out; 0 = never'),
  'question.retentionDays': setting(z.number().positive(), 7, 'How long sets that are not pending are kept'),
  'mcp.handBackSeconds.claude': setting(Seconds, 0, 'When a call of Claude gets a pending handle; 0 = never'),
  'mcp.handBackSeconds.gemini': setting(Seconds, 580, 'The same for Gemini CLI'),
  'mcp.handBackSeconds.codex': setting(Seconds, 280, 'The same for Codex'),
  'mcp.handBackSeconds.opencode': setting(Seconds, 50, 'The same for opencode'),
  'mcp.handBackSeconds.other': setting(Seconds, 50, 'The same for every other client'),
  'hooks.waitSeconds': setting(
    Seconds,
    20,
    'How long a hook keeps an agent from its own dialog while a card waits; 0 = no cards, only told',
  ),
  agent: setting(AgentName.optional(), undefined, 'The agent to use when none is named'),
  'conversation.dir': setting(Directory.optional(), undefined, 'Where conversations are kept'),
  'conversation.maxTokens': setting(
    z.int().min(1_000).optional(),
    undefined,
    'How many tokens may be used to tell an agent again what was said; default 100,000',
  ),
  'conversation.expiryDays': setting(
    z.number().positive().optional(),
    undefined,
    'Conversations without activity for this many days are cleaned automatically; absent = never',
  ),
  'conversation.rawProjects': setting(
    z.array(Directory),
    [],
    'Projects in which conversations are kept without redaction',
  ),
  'loop.dir': setting(Directory.optional(), undefined, 'Where the loop of a project is kept'),
  'loop.callsPerHour': setting(Count(100_000), 100, 'Calls of the agent within an hour at most'),
  'loop.maxIterations': setting(z.int().nonnegative(), 100, 'Iterations of one loop at most; 0 = no limit'),
  'loop.maxMinutes': setting(
    z.number().nonnegative(),
    0,
    'Minutes of work of one loop at most; 0 = no limit',
  ),
  'loop.maxTokens': setting(z.int().nonnegative(), 0, 'Tokens of one loop at most; 0 = no limit'),
  'loop.maxCostUsd': setting(z.number().nonnegative(), 0, 'Dollars of one loop at most; 0 = no limit'),
  'budget.perDay.costUsd': setting(
    z.number().nonnegative(),
    0,
    'Dollars of all runs within a local day at most; 0 = no limit',
  ),
  'budget.perDay.tokens': setting(
    z.int().nonnegative(),
    0,
    'Tokens of all runs within a local day at most; 0 = no limit',
  ),
  'loop.idleMinutes': setting(
    z.number().nonnegative(),
    30,
    'Minutes without a sign of life after which an agent is ended; 0 = never',
  ),
  'loop.preset': setting(
    z.enum(PLAN_PRESETS).optional(),
    undefined,
    'The phases of a plan that asks for none: work, tdd (default) or tdd-strict; a plan may ask for stricter ones only',
  ),
  'loop.prompts': setting(
    z.record(PhaseSetting.shape.name, z.string().max(20_000)),
    {},
    'Your own words to the agent for each phase, by the name of the phase; added to the prompt',
  ),
  'loop.phases': setting(
    z.array(PhaseSetting).min(1).optional(),
    undefined,
    'The phases of a loop: in this order, only these, with these limits',
  ),
  'worktree.dir': setting(
    Directory.optional(),
    undefined,
    'Where the worktrees of runs are made; below the state of Holdfast if absent',
  ),
  'worktree.setup': setting(
    z.string().max(20_000).optional(),
    undefined,
    'A command for `sh -c` in each new worktree, before an agent works in it, such as npm ci',
  ),
  'queue.agentSlots': setting(
    z.record(AgentName, Count(1_000)),
    {},
    'How many runs of the queue an agent may have at once, by its name; absent = as many as workers have slots',
  ),
  'top.open': setting(
    z.array(z.string().min(1).max(4_096)).min(1).max(100).optional(),
    undefined,
    'What `o` in holdfast top runs: a program and its arguments, {directory} stands for the project; absent = show the way',
  ),
  'change.tempDir': setting(
    Directory.optional(),
    undefined,
    'Where change sessions keep their published file',
  ),
  'notices.channels': setting(
    ChannelMap,
    {},
    'How you are told what waits or ended, by a name of your own; see docs/notices.md',
  ),
  'notices.push': setting(
    PushMap,
    {},
    'What devices that asked for it on the page are told, and how; see docs/notices.md',
  ),
  'notices.bell': setting(
    z.boolean(),
    true,
    'Whether run and chat ring the bell of their terminal; a channel of type terminal does it by itself',
  ),
  'notices.quietHours': setting(
    QuietHoursText.optional(),
    undefined,
    'When nothing is sent, in local time, such as 22:00-07:00; it is told together afterwards',
  ),
  'notices.fleet': setting(
    z.boolean(),
    false,
    'Whether you are told here what waits on other machines of the fleet; their own channels tell it already',
  ),
  'web.writesPerMinute': setting(
    Count(1_000_000),
    60,
    'What one browser may change on the page within a minute',
  ),
  'web.streams': setting(Count(1_000), 8, 'How often one browser may have the page open'),
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
    'What other machines of the fleet see of the runs here: how they stand, and nothing that was said',
  ),
  'fleet.trust': setting(
    z.array(z.string().min(1).max(63)).max(1_000),
    [],
    'Logins of the fleet, beside your own, whose entries workers of this machine run: they run code here',
  ),
  'fleet.repositories': setting(
    z.array(z.string().min(1).max(2_000)).min(1).max(1_000).optional(),
    undefined,
    'Repositories that workers of this machine take entries of, * for any part; absent = every one that trusted people queue',
  ),
  'fleet.bypass': setting(
    z.boolean(),
    false,
    'Whether entries of the fleet may run with --permissions bypass on this machine',
  ),
  'fleet.ref': setting(
    z.enum(['refs', 'branch']),
    'refs',
    'Where snapshots of runs go at the git server: refs/holdfast/…, or branches holdfast/… where it takes only those',
  ),
  'fleet.leaseSeconds': setting(
    z.int().min(2).max(3_600),
    300,
    'After how long without a sign of this machine another one may take over its runs of the fleet',
  ),
  'notices.digestSeconds': setting(
    Seconds,
    60,
    'What follows a message this soon is told together: 3 wait; 0 = each by itself',
  ),
} as const satisfies Record<string, Setting>;

export const Agents = z.record(AgentName, AgentSettings);
export const Accounts = z.record(AgentName, accountSettings(Directory));
export const Prices = z.record(z.string().min(1), PriceSettings);

export type SettingKey = keyof typeof SETTINGS;
export type SettingValue<Key extends SettingKey> = z.output<(typeof SETTINGS)[Key]['schema']>;
