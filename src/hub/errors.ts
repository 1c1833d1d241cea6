import { HoldfastError } from '../foundation/index.js';

/** The address of the fleet's database cannot be used. The input is never repeated: it may contain a password. */
export class FleetAddressError extends HoldfastError<'FLEET_ADDRESS_INVALID'> {
  readonly code = 'FLEET_ADDRESS_INVALID';

  constructor(reason: string, hint = ADDRESS_HINT) {
    super(`The address of the fleet's database: ${reason}`, { hint });
  }
}

const ADDRESS_HINT = 'It looks like postgres://ann@db.lan/holdfast; docs/fleet.md has every part of it.';

/** No server of the fleet can be used now: unreachable, read-only, full, or cut off in the middle. */
export class FleetUnreachableError extends HoldfastError<'FLEET_UNREACHABLE'> {
  readonly code = 'FLEET_UNREACHABLE';
  readonly reason: string;
  /** Whether the server itself said no, so nothing can have been stored. After a cut in the middle this is unknown. */
  readonly isCertain: boolean;

  constructor(reason: string, { isCertain = false } = {}) {
    super(`The fleet's database cannot be reached: ${reason}`, {
      hint: 'Work on this machine continues without it. `holdfast fleet doctor` says what is wrong.',
    });
    this.reason = reason;
    this.isCertain = isCertain;
  }
}

/** The server can be reached and says no: a password, a certificate, a right. */
export class FleetRefusedError extends HoldfastError<'FLEET_REFUSED'> {
  readonly code = 'FLEET_REFUSED';

  constructor(reason: string, hint: string) {
    super(`The fleet's database refused: ${reason}`, { hint });
  }
}

/** The schema in the database and this program do not fit together. */
export class FleetSchemaError extends HoldfastError<'FLEET_SCHEMA'> {
  readonly code = 'FLEET_SCHEMA';

  constructor(reason: string, hint: string) {
    super(`The fleet's schema: ${reason}`, { hint });
  }
}

/** The fleet's own rules say no: a name is taken, the machine is somebody else's, a request is settled. */
export class FleetRuleError extends HoldfastError<'FLEET_RULE'> {
  readonly code = 'FLEET_RULE';
  /** The rule, by its word in the schema. */
  readonly rule: string;
  /** What it is about, in the words of the schema. */
  readonly detail: string;

  constructor(rule: string, reason: string, hint: string, detail = '') {
    super(reason, { hint });
    this.rule = rule;
    this.detail = detail;
  }
}
