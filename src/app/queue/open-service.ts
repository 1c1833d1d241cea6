import { userInfo } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { isHoldfastError } from '../../foundation/index.js';
import type { RestartOutcome } from '../../run/index.js';
import {
  installUnit,
  planStart,
  removeUnit,
  type ServiceDesk,
  type ServiceProject,
  type ServiceTools,
  type StartReport,
  startRuns,
  unitPath,
  unitStatus,
  unitText,
  workerUnitText,
} from '../../service/index.js';
import { driverTools, PLACES } from '../agents/open-agents.js';
import { projectsOf } from '../overview/open-overview.js';
import { runServices } from '../run/run-services.js';
import { type Services, servicesAt } from '../services.js';
import { openLoops } from '../sessions/open-loops.js';

/** The service of this user: its unit, and what the unit does. */
export function openService(services: Services): ServiceDesk {
  const tools = serviceTools(services);
  const runs = () => planStart(projectsIn(services));
  return {
    print: () => ({ path: unitPath(tools), text: unitText(tools.unit) }),
    install: async () => ({ ...(await installUnit(tools)), runs: await runs() }),
    remove: () => removeUnit(tools),
    status: async () => ({ ...(await unitStatus(tools)), runs: await runs() }),
  };
}

/** A unit that keeps a worker of this user running; it finds agents the way this process does. */
export function printWorkerUnit(services: Services, args: readonly string[]): string {
  const { self, environment } = services;
  const { unit } = serviceTools(services);
  const PATH = environment.PATH ?? '';
  return workerUnitText({
    command: [self.command, ...self.args, ...args],
    environment: { ...unit.environment, ...(PATH === '' ? {} : { PATH }) },
  });
}

/** What the unit does when the machine or the user's session has started. */
export function startServiceRuns(
  services: Services,
  options: { readonly signal: AbortSignal; onRun(outcome: RestartOutcome): void },
): Promise<StartReport> {
  const { tools, config } = services;
  return startRuns({ tools, directory: config.layout.service, projects: projectsIn(services), ...options });
}

function serviceTools(services: Services): ServiceTools {
  const { environment, workingDirectory, self, config, tools } = services;
  // Without these variables the unit would look for our files elsewhere. systemd sets HOME.
  const places = PLACES.filter((name) => name !== 'HOME').flatMap((name) => {
    const value = environment[name] ?? '';
    return value === '' ? [] : [[name, value]];
  });
  const given = environment.XDG_CONFIG_HOME ?? '';
  const configHome = isAbsolute(given) ? given : join(config.roots.home, '.config');
  return {
    ...driverTools(services),
    ids: tools.ids,
    environment,
    workingDirectory,
    unitDirectory: join(configHome, 'systemd', 'user'),
    unit: {
      command: [self.command, ...self.args, 'service', 'run'],
      environment: Object.fromEntries(places),
    },
    userName: userInfo().username,
  };
}

/** Each loop once, even if several directories of its project are remembered. */
function projectsIn(services: Services): ServiceProject[] {
  const own = runServices(services);
  const seen = new Set<string>();
  return projectsOf(services).flatMap((path) => {
    const place = loopPlace(services, path);
    if (seen.has(place)) return [];
    seen.add(place);
    return [{ path, open: () => own.at(path) }];
  });
}

/** A project that cannot be opened counts as one of its own; opening it reports why. */
function loopPlace(services: Services, path: string): string {
  try {
    return openLoops(servicesAt(services, path)).directory;
  } catch (error) {
    if (!isHoldfastError(error)) throw error;
    return path;
  }
}
