import { createServices, withTemporaryHome } from '../../app/base.js';
import { runDemo } from '../../diagnostics/index.js';
import type { AnswerInput, QuestionView } from '../../sessions/question/index.js';
import { type CommandContext, defineCommand } from '../command.js';
import { ExitCode } from '../exit-codes.js';

export default defineCommand({
  usage: 'demo',
  summary: 'See it work in a minute, without an agent or an account',
  details:
    'A real MCP client plays the agent, a real `holdfast mcp` serves it, you are the person. Everything happens in a\n' +
    'temporary directory that is removed afterwards. Without a terminal it answers by itself.',
  options: { auto: { type: 'boolean', about: 'answer by itself, at a terminal too' } },
  examples: ['holdfast demo', 'holdfast demo --auto'],
  async run(context, { values }) {
    const { services, terminal, signal } = context;
    const isAuto = values.auto || !terminal.isInteractive;
    terminal.write(terminal.style.bold('Holdfast demo'));
    if (isAuto) terminal.write('(No terminal to ask at, or --auto: the demo answers by itself.)');
    await withTemporaryHome(services, 'demo', async (environment) => {
      const demo = createServices({ ...services, environment, command: 'holdfast demo', log: terminal.log });
      await runDemo({
        server: serverCommand(environment),
        questions: demo.questions,
        decide: (view) => (isAuto ? decideAlone(context, view) : decideTogether(context, view)),
        tell: (line) => terminal.write(line),
        signal,
      });
    });
    return ExitCode.done;
  },
});

/** The server is this very program, started the way an agent would start it. */
function serverCommand(environment: Readonly<Record<string, string | undefined>>) {
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(environment)) if (value !== undefined) env[name] = value;
  return { command: process.execPath, args: [process.argv[1] ?? '', 'mcp'], env };
}

async function decideAlone({ terminal }: CommandContext, view: QuestionView): Promise<AnswerInput[]> {
  const answers = view.questions.map((question, questionIndex): AnswerInput => {
    const [first = '', second = ''] = question.options.map((option) => option.label);
    return question.multiSelect === true
      ? { questionIndex, selectedOptions: [first, second], customText: "and please don't forget the docs" }
      : { questionIndex, selectedOption: first };
  });
  for (const answer of answers) {
    terminal.write(
      `   The demo answers for you: ${[answer.selectedOption ?? answer.selectedOptions ?? []].flat().join(', ')}`,
    );
  }
  return answers;
}

async function decideTogether(
  { signal }: CommandContext,
  view: QuestionView,
): Promise<AnswerInput[] | undefined> {
  const { promptAnswers } = await import('../prompt-answers.js');
  return promptAnswers(view.questions, signal);
}
