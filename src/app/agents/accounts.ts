import { join, resolve } from 'node:path';
import {
  type AccountAdmission,
  type AccountId,
  AccountUnknownError,
  type AccountUse,
  DayLedger,
  openAdmission,
  QuotaGate,
} from '../../accounts/index.js';
import { type AgentDefinition, allowanceNameOf, settingsPlaceOf } from '../../agents/index.js';
import { InvalidInputError, uuidFrom } from '../../foundation/index.js';
import type { SharedLimits } from '../../run/index.js';
import type { Services } from '../services.js';
import type { AccountSettings } from '../settings/account-settings.js';
import { openAgents } from './open-agents.js';

/** The account of this name. Throws ACCOUNT_UNKNOWN. */
function accountNamed({ config }: Services, name: string): AccountSettings {
  const account = Object.hasOwn(config.accounts, name) ? config.accounts[name] : undefined;
  if (account === undefined) throw new AccountUnknownError(name, Object.keys(config.accounts));
  return account;
}

/**
 * An agent with one of the user's accounts: the named agent, or the account's own, set up to use the account's login.
 * `choose` finds an agent by its name. Throws ACCOUNT_UNKNOWN, INVALID_INPUT, and what `choose` throws.
 */
export function withAccount(
  services: Services,
  wanted: { readonly agent: string | undefined; readonly account: string | undefined },
  choose: (name: string | undefined) => AgentDefinition,
): AgentDefinition {
  if (wanted.account === undefined) return choose(wanted.agent);
  const { agent: own, settingsDirectory } = accountNamed(services, wanted.account);
  const agent = choose(wanted.agent ?? own);
  if (agent.name !== own && allowanceNameOf(agent) !== allowanceNameOf(choose(own)))
    throw new InvalidInputError(`The account ${wanted.account} is one of ${own}, not of ${agent.name}`, {
      hint: `Leave --agent out, or choose another --account.`,
    });
  if (settingsDirectory === undefined) return agent;
  const place = settingsPlaceOf(agent);
  if (place === undefined)
    throw new InvalidInputError(
      `accounts.${wanted.account}.settingsDirectory: there is no known way to give ${agent.name} another place for its settings`,
      { hint: `Define an agent of your own with the variables that it needs: agents.<name>.environment.` },
    );
  const directory = settingsDirectory.replace(/^~(?=\/)/, services.config.roots.home);
  return { ...agent, environment: { ...agent.environment, [place.variable]: directory } };
}

/** What a run shares with all others: its account and the day's budget. */
export function openSharedLimits(services: Services, agent: AgentDefinition, session: string): SharedLimits {
  const { tools, config } = services;
  const { account, stopAtPercent } = accountOf(services, agent);
  return {
    quota: new QuotaGate(tools, { directory: config.layout.accounts, account, session }),
    stopAtPercent,
    days: openDays(services),
  };
}

/** Says whether a run may be started; asked before each start. */
export function openRunAdmission(services: Services): AccountAdmission {
  return openAdmission(services.tools, {
    directory: services.config.layout.accounts,
    accountOf: (use: AccountUse) => accountOfUse(services, use),
    days: openDays(services),
  });
}

/** The account whose allowance is used. Throws ACCOUNT_UNKNOWN, AGENT_UNKNOWN, NO_AGENT, INVALID_INPUT. */
export function accountOfUse(
  services: Services,
  { agent, account }: { readonly agent?: string | undefined; readonly account?: string | undefined },
): AccountId {
  const chosen = withAccount(services, { agent, account }, (name) => openAgents(services).choose(name));
  return accountOf(services, chosen).account;
}

/** What all runs of a day may use; undefined if there is no limit. */
function openDays({ tools, config }: Services): DayLedger | undefined {
  const limits = dayLimits({ config });
  if (limits.costUsd === undefined && limits.tokens === undefined) return undefined;
  return new DayLedger(tools, { directory: join(config.layout.accounts, 'days'), limits });
}

export function dayLimits({ config }: Pick<Services, 'config'>) {
  const [costUsd, tokens] = [config.get('budget.perDay.costUsd'), config.get('budget.perDay.tokens')];
  return { costUsd: costUsd > 0 ? costUsd : undefined, tokens: tokens > 0 ? tokens : undefined };
}

/**
 * The account whose allowance an agent uses. Two names for one place are one account; its configuration applies to plain runs,
 * too.
 */
function accountOf(
  services: Services,
  agent: AgentDefinition,
): { readonly account: AccountId; readonly stopAtPercent: number | undefined } {
  const key = keyOf(services, agent);
  const found = Object.entries(services.config.accounts).find(
    ([name, { agent: own }]) => key === keyOfConfigured(services, name, own),
  );
  return { account: { key, name: found?.[0] ?? agent.name }, stopAtPercent: found?.[1].stopAtPercent };
}

/** The key of a configured account; undefined if its agent is not there. */
function keyOfConfigured(services: Services, account: string, agent: string): string | undefined {
  try {
    return keyOf(
      services,
      withAccount(services, { agent, account }, (name) => openAgents(services).choose(name)),
    );
  } catch {
    return undefined; // reported to whoever names this account
  }
}

/** A name for a file. It holds a short id of the settings directory, never a value from the environment itself. */
function keyOf({ environment, config }: Services, agent: AgentDefinition): string {
  const name = allowanceNameOf(agent);
  const place = settingsPlaceOf(agent);
  const told = place && (agent.environment[place.variable] ?? environment[place.variable]);
  if (place === undefined || told === undefined || told === '') return name;
  const directory = resolve(told);
  if (directory === join(config.roots.home, place.usual)) return name;
  return `${name}-${uuidFrom(directory).slice(0, 8)}`;
}
