import {
  AmbiguousIdError,
  type Ids,
  isHoldfastError,
  messageOf,
  startOfDay,
  timestamp,
  visibleExcerpt,
} from '../../foundation/index.js';
import type { Hub, SessionRow } from '../../hub/index.js';
import type { OverviewRow } from '../../overview/index.js';
import type { LoopRequestInput } from '../../sessions/loop/index.js';
import type { Door } from '../door.js';
import { RemoteRefusedError } from '../errors.js';
import { QUIET_SECONDS, type SenderParts, sendRequest } from '../link/send-request.js';
import { runOfRow } from './mirrored-run.js';

export interface RemoteRunsOptions extends SenderParts {
  readonly door: Door;
  readonly ids: Ids;
  /** How long a host may take to answer. */
  readonly timeoutMs?: number | undefined;
}

/** A run of another machine, and where it is. */
export interface RemoteRun {
  readonly row: OverviewRow;
  readonly machine: string;
  readonly home: string;
  /** How long its machine had been silent when this was read, in seconds. */
  readonly quietSeconds: number;
}

/** What became of a request to a run of another machine; a refusal is thrown. */
export interface SteeredElsewhere {
  readonly is: 'arrived' | 'on its way';
  readonly machine: string;
  readonly request: string;
  readonly run: string;
  /** For a person to read. */
  readonly words: string;
}

/** What can be asked of a run on another machine. */
export type RemoteRequest = Exclude<LoopRequestInput, { kind: 'reset' }>;

interface Known {
  readonly runs: readonly RemoteRun[];
  readonly at: Date;
}

const PREFIX = /^[0-9a-f-]{4,36}$/;
const MINUTE_MS = 60_000;

/** The runs of the other machines, as the hub mirrors them; requests to a run go to its home. */
export class RemoteRuns {
  readonly #options: RemoteRunsOptions;
  #known: Known | undefined;
  #trouble: string | undefined;

  constructor(options: RemoteRunsOptions) {
    this.#options = options;
  }

  /** Why the list is not up to date, and how old it is; undefined if it is. */
  get trouble(): { readonly reason: string; readonly at: Date | undefined } | undefined {
    return this.#trouble === undefined ? undefined : { reason: this.#trouble, at: this.#known?.at };
  }

  /** Reads what is open and what ended today. If the hub is unreachable, that is kept as `trouble`, and the last list stays. */
  async refresh(): Promise<void> {
    const { clock, machine } = this.#options;
    try {
      const hub = await this.#hub();
      const since = startOfDay(clock.now()).toISOString();
      const { rows } = await hub.sessions(machine.id, 'run', { since });
      this.#known = { runs: runsOf(rows), at: clock.now() };
      this.#trouble = undefined;
    } catch (error) {
      if (!isHoldfastError(error)) throw error;
      this.#trouble = messageOf(error);
    }
  }

  /** The runs as last known, each with its age if that is old. */
  rows(): OverviewRow[] {
    const { runs = [], at = new Date(0) } = this.#known ?? {};
    return runs.map(({ row, quietSeconds }) => {
      const isQuiet = quietSeconds > QUIET_SECONDS;
      if (!isQuiet && this.#trouble === undefined) return row;
      const ms = at.getTime() - (isQuiet ? quietSeconds * 1_000 : 0);
      // In minutes: an unchanged list is not drawn again.
      return { ...row, asOf: new Date(ms - (ms % MINUTE_MS)).toISOString() };
    });
  }

  /**
   * The run that was meant, by its id or 4 or more characters of it, however long ago it ended; undefined if no other
   * machine has one. Throws AMBIGUOUS_ID, REMOTE_REFUSED, and as the hub.
   */
  async find(typed: string): Promise<RemoteRun | undefined> {
    const prefix = typed.toLowerCase();
    if (!PREFIX.test(prefix)) return undefined;
    const hub = await this.#hub();
    const { rows } = await hub.sessions(this.#options.machine.id, 'run', { prefix });
    const found = runsOf(rows);
    const ids = [...new Set(found.map(({ row }) => row.id))];
    if (ids.length > 1)
      throw new AmbiguousIdError(typed, ids, {
        describe: (index) => ` on ${machineOf(found, ids[index])}`,
      });
    // A machine may claim another's run as its own: no request goes to the first one found.
    if (found.length > 1)
      throw new RemoteRefusedError(
        found.map(({ machine }) => machine).join(' and '),
        'both say that this run is theirs',
      );
    return found[0];
  }

  /**
   * Asks something of a run at its home, and waits a moment for the reply. Throws REMOTE_REFUSED with the reason, RULE
   * and as the hub: then nothing was stored.
   */
  async steer(
    { row, machine, home, quietSeconds }: RemoteRun,
    asked: RemoteRequest,
  ): Promise<SteeredElsewhere> {
    const { clock, ids } = this.#options;
    const { kind, ...body } = asked;
    const request = {
      id: ids.uuid(),
      home,
      machine,
      sessionKind: 'run',
      session: row.id,
      kind,
      body,
      at: timestamp(clock),
    } as const;
    const settled = await sendRequest(this.#options, await this.#hub(), request, quietSeconds);
    const about = { machine, request: request.id, run: row.id };
    if (settled === undefined) return { is: 'on its way', ...about, words: onItsWayWords(machine) };
    const { message } = (settled.reply ?? {}) as { readonly message?: unknown };
    const said = typeof message === 'string' ? visibleExcerpt(message, 400) : '';
    if (settled.state === 'refused')
      throw new RemoteRefusedError(machine, said === '' ? 'no reason was given' : said);
    return { is: 'arrived', ...about, words: `Arrived on ${visibleExcerpt(machine, 63)}. ${said}`.trim() };
  }

  #hub(): Promise<Hub> {
    const { door, timeoutMs } = this.#options;
    return door.open({ timeoutMs });
  }
}

export function onItsWayWords(machine: string): string {
  return `On its way to ${visibleExcerpt(machine, 63)}, which has not taken it yet.`;
}

function runsOf(rows: readonly SessionRow[]): RemoteRun[] {
  return rows.flatMap((found) => {
    const row = runOfRow(found);
    const { machine, home, quiet_seconds: quietSeconds } = found;
    return row === undefined ? [] : [{ row, machine, home, quietSeconds }];
  });
}

function machineOf(found: readonly RemoteRun[], id: string | undefined): string {
  return visibleExcerpt(found.find(({ row }) => row.id === id)?.machine ?? '', 63);
}
