import * as z from 'zod';
import { defineOperation } from '../foundation/index.js';
import type { RestartPlan } from '../run/index.js';
import type { InstalledService, ServiceChange, UnitStatus } from './service.js';

/** The unit, and what it would do at its next start. */
export interface ServiceReport extends UnitStatus {
  readonly runs: readonly RestartPlan[];
}

export interface InstallReport extends InstalledService {
  readonly runs: readonly RestartPlan[];
}

/** The service, as the composition opens it. */
export interface ServiceDesk {
  /** The text of the unit, and its path. */
  print(): { readonly path: string; readonly text: string };
  /** Throws UNIT_NOT_OURS. */
  install(): Promise<InstallReport>;
  /** Throws UNIT_NOT_OURS. */
  remove(): Promise<ServiceChange>;
  status(): Promise<ServiceReport>;
}

export interface ServiceParts {
  readonly service: ServiceDesk;
}

export const installService = defineOperation({
  name: 'service.install',
  summary: 'Let runs that were working continue after a reboot, with a systemd user unit',
  effect: 'write',
  capability: 'admin',
  surfaces: ['cli'],
  input: z.strictObject({}),
  output: z.custom<InstallReport>(),
  async run({ service }: ServiceParts) {
    return service.install();
  },
});

export const removeService = defineOperation({
  name: 'service.remove',
  summary: 'Remove the systemd user unit that `service install` wrote',
  effect: 'write',
  capability: 'admin',
  surfaces: ['cli'],
  input: z.strictObject({}),
  output: z.custom<ServiceChange>(),
  async run({ service }: ServiceParts) {
    return service.remove();
  },
});

export const showService = defineOperation({
  name: 'service.status',
  summary: 'Show whether the unit is installed, and which runs it would start now',
  effect: 'read',
  capability: 'view',
  surfaces: ['cli'],
  input: z.strictObject({}),
  output: z.custom<ServiceReport>(),
  async run({ service }: ServiceParts) {
    return service.status();
  },
});

/** Every action on the service, for the registry. What its unit starts is a command, not an operation. */
export const serviceOperations = [installService, removeService, showService] as const;
