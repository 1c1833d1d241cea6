import { createServices, driverTools, type Services, withTemporaryHome } from '../../../app/index.js';
import { runServices } from '../../../app/run/run-services.js';
import { runDemo } from '../../../demo/index.js';
import { readRunRecords, reportRun } from '../../../run/index.js';
import type { AnswerInput, QuestionView } from '../../../sessions/question/index.js';
import { type CommandContext, defineCommand, UsageError } from '../../command.js';
import { ExitCode } from '../../exit-codes.js';
import { renderReport } from '../../render/report.js';

const demo = defineCommand({
  usage: 'demo',
  summary: 'See it work in a minute, without an agent or an account',
  details:
    'A scripted agent works through a plan in four phases, asks a question, is killed in the middle and resumed; the tests\n' +
    'are real, and what you answer is what it makes. Everything happens in a temporary directory that is removed\n' +
    'afterwards. Take your time with the question; Ctrl+C leaves. Without a terminal it answers by itself.',
  options: {
    auto: { type: 'boolean', about: 'answer by itself, at a terminal too' },
    web: { type: 'boolean', about: 'show it on the page, and answer there' },
    fleet: { type: 'boolean', about: 'two machines: a plug is pulled, and the run continues elsewhere' },
    url: {
      type: 'string',
      value: '<url>',
      about: 'an empty PostgreSQL database for --fleet; one of its own',
    },
  },
  examples: ['holdfast demo', 'holdfast demo --auto', 'holdfast demo --web', 'holdfast demo --fleet'],
  async run(context, { values }) {
    const { services, terminal, signal } = context;
    if (values.fleet) {
      const { playFleet } = await import('./demo-fleet.js');
      return playFleet(context, { url: values.url, decide: deciderOf(context, values.auto) });
    }
    if (values.url !== undefined) throw new UsageError('--url goes with --fleet');
    const isAuto = values.auto || !terminal.isInteractive;
    terminal.write(terminal.style.bold('Holdfast demo'));
    if (isAuto) terminal.write('(No terminal to ask at, or --auto: the demo answers by itself.)');
    const tellOfLeaving = () => terminal.note('The demo stops here; run it again with holdfast demo.');
    signal.addEventListener('abort', tellOfLeaving, { once: true });
    return withTemporaryHome(services, 'demo', async (own, project) => {
      // Conversations live in the home directory, so the demo has its own.
      const directory = own.HOLDFAST_HOME ?? project;
      const environment = { ...own, HOME: directory };
      const demo = createServices({
        ...services,
        environment,
        workingDirectory: project,
        command: 'holdfast demo',
        log: terminal.log,
      });
      await using page = values.web ? await serveDemo(context, demo) : undefined;
      const ending = await runDemo({
        self: services.self,
        environment,
        project,
        directory,
        storage: demo.tools,
        programs: driverTools(demo),
        questions: demo.questions,
        decide: (view) => {
          if (isAuto) return decideAlone(context, view);
          return page === undefined ? decideTogether(context, view) : page.decide(view);
        },
        tell: (line) => terminal.write(line),
        signal,
      });
      if (ending === 'left') return ExitCode.interrupted;
      terminal.write('\n4. What it did:\n   $ holdfast report\n');
      terminal.write(renderReport(reportRun(await readRunRecords(runServices(demo))), terminal.style));
      terminal.write(ending === 'completed' ? NEXT : '\nThe demo did not get to its end.');
      signal.removeEventListener('abort', tellOfLeaving);
      if (!isAuto) await page?.untilLeft();
      return ending === 'completed' ? ExitCode.done : ExitCode.failed;
    });
  },
});

export const commands = [demo];

/** The one who answers: the demo itself, or the person. */
function deciderOf(context: CommandContext, isAuto: boolean | undefined) {
  const isAlone = isAuto === true || !context.terminal.isInteractive;
  return (view: Pick<QuestionView, 'questions'>) =>
    isAlone ? decideAlone(context, view) : decideTogether(context, view);
}

/** Serves the page of the demo until it is over. */
async function serveDemo(context: CommandContext, services: Services) {
  const { serveDemoPage } = await import('./demo-page.js');
  return serveDemoPage(context, services);
}

const NEXT = `
Nothing was lost. The same with an agent of yours:
   $ holdfast run <plan> --agent claude
   $ holdfast top                 # every run and question of all your projects
   $ holdfast setup claude        # lets a claude you start yourself ask you`;

const LEFT = 'You left the question. The demo stops here; run it again with holdfast demo.';

async function decideAlone(
  { terminal }: CommandContext,
  view: Pick<QuestionView, 'questions'>,
): Promise<AnswerInput[]> {
  return view.questions.map((question, questionIndex): AnswerInput => {
    const selectedOption = question.options[0]?.label ?? '';
    terminal.write(`   The demo answers for you: ${selectedOption}`);
    return { questionIndex, selectedOption };
  });
}

async function decideTogether(
  { signal }: CommandContext,
  view: Pick<QuestionView, 'questions'>,
): Promise<AnswerInput[] | undefined> {
  const { promptAnswers } = await import('../questions/prompt-answers.js');
  return promptAnswers(view.questions, signal, { onLeave: LEFT });
}
