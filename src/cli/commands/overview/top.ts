import { overviewReader } from '../../../app/overview/open-overview.js';
import { visibleJson } from '../../../foundation/index.js';
import { inOrder } from '../../../models/top/index.js';
import { listOverview } from '../../../overview/index.js';
import { type CommandContext, defineCommand } from '../../command.js';
import { perform } from '../../command-of.js';
import { ExitCode } from '../../exit-codes.js';
import { openQuestions } from '../../fleet.js';
import { renderOverview } from '../../render/overview.js';

const top = defineCommand({
  operation: listOverview,
  usage: 'top',
  details:
    'What is waiting for you comes first, then what is working, then what ended today. In a terminal it stays up to date; ? shows\n' +
    'its keys: answer, attach, pause, resume, stop, go to the directory, filter. Leaving it changes nothing.',
  options: {
    once: { type: 'boolean', about: 'print it once as plain text, as it does without a terminal' },
    noBell: { type: 'boolean', about: 'no terminal bell when something new is waiting' },
  },
  examples: ['holdfast top', 'holdfast top --once', 'holdfast top --json'],
  async run(context, { values }) {
    const { services, terminal, isJson } = context;
    const isScreen = terminal.isInteractive && services.environment.TERM !== 'dumb';
    if (isJson || values.once || !isScreen) return print(context);
    const { showTop } = await import('./top-screen.js');
    return showTop(context, { hasBell: !values.noBell });
  },
});

export const commands = [top];

async function print(context: CommandContext): Promise<ExitCode> {
  const { services, terminal, isJson } = context;
  await using open = await openQuestions(context);
  await open.elsewhere?.refresh();
  const parts = { overview: overviewReader(services, open.elsewhere) };
  const rows = await perform(context, listOverview, parts, {});
  if (isJson) terminal.write(visibleJson(inOrder(rows)));
  else terminal.write(renderOverview(rows, services.clock.now(), terminal.style));
  open.tellTrouble();
  return ExitCode.done;
}
