import type { LockTools } from '../storage/index.js';
import type { DayLedger } from './day-ledger.js';
import { type AccountId, isDead, readWindow } from './quota-gate.js';

/** What a run will use: an agent, perhaps with one of the user's accounts. */
export interface AccountUse {
  readonly agent: string;
  readonly account?: string | undefined;
}

/** Whether accounts and the day's budget let a run begin now; if not, why and until when. */
export type AdmissionStanding =
  | { readonly may: true }
  | { readonly may: false; readonly reason: string; readonly until?: string };

/** The port to ask before a run is started. */
export interface AccountAdmission {
  /** Throws ACCOUNT_UNKNOWN, AGENT_UNKNOWN. */
  standing(use: AccountUse): AdmissionStanding;
}

export interface AdmissionOptions {
  /** `<state>/accounts`. */
  readonly directory: string;
  readonly accountOf: (use: AccountUse) => AccountId;
  /** Absent if no daily budget is configured. */
  readonly days?: Pick<DayLedger, 'standing'> | undefined;
}

/** Reads the state of accounts and of the day's budget. Changes nothing: a run that begins joins the line itself. */
export function openAdmission(
  tools: LockTools,
  { directory, accountOf, days }: AdmissionOptions,
): AccountAdmission {
  return {
    standing(use) {
      const account = accountOf(use);
      const day = days?.standing();
      if (day !== undefined)
        return {
          may: false,
          reason: `the daily budget is used up: ${day.reached.words}`,
          until: day.until,
        };
      const window = readWindow(tools, directory, account);
      if (window === undefined) return { may: true };
      const { until, scope, waiting, canary } = window;
      const name = scope === null ? 'limit' : `${scope} limit`;
      if (Date.parse(until) > tools.clock.now().getTime())
        return { may: false, reason: `the ${name} of the account ${account.name} is used up`, until };
      const isGone = isDead(tools);
      const isAhead = [...waiting, ...(canary === null ? [] : [canary])].some(
        ({ process }) => !isGone(process),
      );
      if (!isAhead) return { may: true };
      return { may: false, reason: `another run tries the account ${account.name} first after its reset` };
    },
  };
}
