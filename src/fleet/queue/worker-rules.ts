import { isHoldfastError } from '../../foundation/index.js';
import type { AccountRow, HubQueue, TakeRules, Use } from '../../hub/index.js';
import type { Taker } from '../../queue/index.js';

/** What this machine runs for others, and how: only the user's own config decides that. */
export interface WorkerRules {
  readonly slots: number;
  readonly labels: readonly string[];
  /** Logins whose entries run here. */
  readonly trusted: readonly string[];
  /** The repositories it accepts, `*` for any part; undefined accepts every one of trusted people. */
  readonly repositories: readonly string[] | undefined;
  readonly mayBypass: boolean;
  readonly leaseSeconds: number;
  /** Whether an agent is installed here; undefined means the usual one. */
  hasAgent(name: string | undefined): boolean;
  /** The agents installed here, for people who wonder why an entry waits. */
  agents(): readonly string[];
  readonly accounts: FleetAccounts;
}

/** The accounts and the day's budget of this machine, which all machines of a person share. */
export interface FleetAccounts {
  /** The limit known here; undefined if there is none. */
  windowOf(use: Use): { readonly until: string; readonly scope: string | null } | undefined;
  /** Adopts a limit that another machine met, so that the run here tries the account first and reports when it answers. */
  adoptWindow(use: Use, window: { readonly until: string; readonly scope: string | null }): Promise<void>;
  /** Undefined if no daily budget is configured. */
  readonly day: FleetDay | undefined;
}

export interface FleetDay {
  readonly limits: { readonly costUsd?: number | undefined; readonly tokens?: number | undefined };
  today(): string;
  /** What runs of this machine used. */
  used(): DayUse;
  /** Notes what runs of other machines used, so that runs here count it. */
  noteElsewhere(use: DayUse): void;
}

interface DayUse {
  readonly costUsd: number;
  readonly tokens: number;
}

/** The name under which a person's machines know an account: as `account_of` in the schema. */
export function accountKey({ agent, account }: Use, usualAgent: string): string {
  return account ?? `agent:${agent ?? usualAgent}`;
}

/** What `take_entry` is told about this worker right now. */
export function takeRules(
  rules: WorkerRules,
  taker: Taker,
  usualAgent: string,
  uses: readonly Use[],
): TakeRules {
  const canRun = (use: Use) => rules.hasAgent(use.agent ?? undefined);
  const { day } = rules.accounts;
  return {
    labels: rules.labels,
    trusted: rules.trusted,
    leaseSeconds: rules.leaseSeconds,
    limits: {
      agent: usualAgent,
      repositories: rules.repositories?.map(likePattern) ?? null,
      bypass: rules.mayBypass,
      own: [...taker.own],
      refused: uses.filter((use) => !canRun(use)),
      waiting: uses.filter((use) => canRun(use) && !mayBegin(taker, use, usualAgent)),
      agent_slots: taker.limits.perAgent,
      account_slots: taker.limits.perAccount,
      day:
        day === undefined
          ? null
          : {
              day: day.today(),
              ...(day.limits.costUsd === undefined ? {} : { cost_usd: day.limits.costUsd }),
              ...(day.limits.tokens === undefined ? {} : { tokens: day.limits.tokens }),
            },
    },
  };
}

function mayBegin({ admission }: Taker, { agent, account }: Use, usualAgent: string): boolean {
  try {
    return admission.standing({
      agent: agent ?? usualAgent,
      ...(account === null ? {} : { account }),
    }).may;
  } catch (error) {
    // An account that is not configured on this machine: another machine may have it.
    if (!isHoldfastError(error)) throw error;
    return false;
  }
}

/** `https://git.lan/team/*` as a LIKE pattern: only the star is special. */
export function likePattern(typed: string): string {
  return typed.replaceAll(/[\\%_]/g, '\\$&').replaceAll('*', '%');
}

/** Tells the hub what became of limits here, and learns what others used. Returns what the hub knows about accounts. */
export async function tellAccounts(
  hub: HubQueue,
  machine: string,
  { accounts }: WorkerRules,
  usualAgent: string,
  uses: readonly Use[],
): Promise<readonly AccountRow[]> {
  const { day } = accounts;
  if (day !== undefined) day.noteElsewhere(await hub.noteDay(machine, day.today(), day.used()));
  const known = await hub.accounts();
  const untils = new Map(known.map(({ name, until }) => [name, until]));
  for (const use of uses) {
    const key = accountKey(use, usualAgent);
    const window = accounts.windowOf(use);
    const until = untils.get(key);
    if (window !== undefined && (until === undefined || Date.parse(until) < Date.parse(window.until)))
      await hub.noteAccount(machine, key, window.until, window.scope);
  }
  for (const { name } of known)
    if (accounts.windowOf(usedBy(name)) === undefined) await hub.noteAccount(machine, name, null, null);
  return known;
}

function usedBy(key: string): Use {
  return key.startsWith('agent:') ? { agent: key.slice(6), account: null } : { agent: null, account: key };
}
