import type * as z from 'zod';
import type { OperationContext, OperationFacts } from '../../../foundation/index.js';
import type { DeviceCapability } from '../../contract/index.js';
import type { AuditEntry } from '../files/audit.js';
import type { Device } from '../files/devices.js';
import type { OwnOrigin } from '../gate/own-origins.js';
import type { WebParts } from '../parts.js';

/** A request that has passed every check. */
export interface Call {
  readonly parts: WebParts;
  readonly device: Device;
  readonly own: OwnOrigin;
  /** Where it came from, as far as known. */
  readonly address: string;
  /** The value of `:id` in the address. */
  readonly id: string;
  readonly query: URLSearchParams;
  /** The parsed JSON body; undefined for a read. */
  readonly body: unknown;
  readonly context: OperationContext;
  /** Calls back when the client is gone. */
  readonly onLeft: (leave: () => void) => void;
}

/** One address of the API, made of one or more operations. Calling it takes the highest capability any of them takes. */
export interface Route {
  readonly method: 'get' | 'post' | 'put';
  readonly path: string;
  readonly operations: readonly (OperationFacts & { readonly output: z.ZodType })[];
  /** The schema of the body, for a write. */
  readonly body?: z.ZodType;
  /** What its line in the audit says, for writes that are audited. */
  readonly audit?: AuditEntry['what'];
  /** Answers with JSON, or with a whole response. */
  answer(call: Call): Promise<unknown>;
}

const ORDER = ['view', 'answer', 'steer', 'admin'] as const;

/** The capability a device needs for a route. */
export function capabilityOf({ operations }: Pick<Route, 'operations'>): (typeof ORDER)[number] {
  const levels = operations.map(({ capability }) => ORDER.indexOf(capability));
  return ORDER[Math.max(0, ...levels)] ?? 'admin';
}

export function isAllowed(can: DeviceCapability, needed: (typeof ORDER)[number]): boolean {
  return ORDER.indexOf(can) >= ORDER.indexOf(needed);
}
