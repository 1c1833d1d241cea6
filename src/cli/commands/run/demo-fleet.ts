import { join } from 'node:path';
import { createServices, driverTools, withTemporaryHome } from '../../../app/index.js';
import { type AskedHere, findPostgres, runFleetDemo, startDatabase } from '../../../demo/index.js';
import type { AnswerInput } from '../../../sessions/question/index.js';
import type { CommandContext } from '../../command.js';
import { ExitCode } from '../../exit-codes.js';

export interface FleetDemoWishes {
  /** The given database; the demo makes its own if absent. */
  readonly url: string | undefined;
  readonly decide: (asked: AskedHere) => Promise<AnswerInput[] | undefined>;
}

/** Two machines on this one, from the first command to the pulled plug. */
export function playFleet(context: CommandContext, { url, decide }: FleetDemoWishes): Promise<ExitCode> {
  const { services, terminal, signal } = context;
  terminal.write(terminal.style.bold('Holdfast demo: two machines'));
  return withTemporaryHome(services, 'demo-fleet', async (own, project) => {
    const environment = { ...own, HOME: own.HOLDFAST_HOME ?? project };
    const demo = createServices({
      ...services,
      environment,
      workingDirectory: project,
      command: 'holdfast demo --fleet',
      log: terminal.log,
    });
    const programs = driverTools(demo);
    const { temporary } = demo.config.roots;
    // Outside our private directories: the server may run as another user.
    const directory = join(temporary, `holdfast-demo-db-${demo.tools.ids.token().slice(0, 8)}`);
    await using database =
      url === undefined
        ? await startDatabase(programs, { bin: findPostgres(programs, services.environment), directory })
        : undefined;
    const ending = await runFleetDemo({
      self: services.self,
      environment,
      directory: project,
      url: url ?? database?.url ?? '',
      storage: demo.tools,
      programs,
      decide,
      tell: (line) => terminal.write(line),
      signal,
    });
    if (ending === 'left') return ExitCode.interrupted;
    terminal.write(ending === 'completed' ? NEXT : '\nThe demo did not get to its end.');
    return ending === 'completed' ? ExitCode.done : ExitCode.failed;
  });
}

const NEXT =
  '\nAt most the iteration in flight was lost. Next: `holdfast fleet init postgres://you@host/holdfast`; docs/fleet.md has the rest.';
