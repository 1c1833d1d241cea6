import { type ProbeStep, probeAgent } from '../../../agents/index.js';
import { createServices, openAgents, startAgent, withTemporaryHome } from '../../../app/index.js';
import { visibleExcerpt, visibleJson } from '../../../foundation/index.js';
import type { QuestionSessions } from '../../../sessions/question/index.js';
import { defineCommand } from '../../command.js';
import { parseDuration } from '../../duration.js';
import { ExitCode } from '../../exit-codes.js';

export const probe = defineCommand({
  usage: 'agents probe [name]',
  summary: 'Test what an agent can really do',
  details:
    'Starts it and tries a prompt, cancel, a question through `holdfast mcp`, and resuming after kill -9, in an empty\n' +
    'directory. It sends about five short prompts to the agent, on your account.',
  options: {
    model: { type: 'string', value: '<name>', about: 'which model, as the agent calls it' },
    timeout: { type: 'string', value: '<duration>', about: 'how long one step may take (default 2m)' },
  },
  examples: ['holdfast agents probe claude', 'holdfast agents probe scripted --json'],
  async run({ services, terminal, signal, isJson }, { positionals: [name], values }) {
    const agent = openAgents(services).choose(name);
    const stepTimeoutMs = parseDuration(values.timeout ?? '2m');
    terminal.note(`Probing ${agent.name}: about five short prompts.`);
    const steps: ProbeStep[] = [];
    await withTemporaryHome(services, 'probe', async (environment, workingDirectory) => {
      const probe = createServices({
        ...services,
        environment,
        workingDirectory,
        command: 'holdfast agents probe',
      });
      // Built-in agents may keep files below our home, and the probe has a home of its own.
      const inside = agent.source === 'built in' ? openAgents(probe).choose(agent.name) : agent;
      const options = { permissions: 'edits', workingDirectory, model: values.model, signal } as const;
      const found = probeAgent({
        start: (resume) => startAgent(probe, inside, { ...options, resume }),
        answerFirst: (stepSignal) => answerFirst(probe.questions, stepSignal),
        secretWord: `kelp-${services.tools.ids.token().slice(0, 6)}`,
        stepTimeoutMs,
        signal,
      });
      for await (const step of found) {
        steps.push(step);
        if (!isJson)
          terminal.write(`${MARKS[step.outcome]} ${step.name.padEnd(22)}${visibleExcerpt(step.detail, 160)}`);
      }
    });
    if (isJson) terminal.write(visibleJson({ agent: agent.name, steps }));
    return steps.some((step) => step.outcome === 'fails') ? ExitCode.failed : ExitCode.done;
  },
});

const MARKS: Readonly<Record<ProbeStep['outcome'], string>> = { works: '✓', fails: '✗', skipped: '-' };

/** Plays the person of the probe: answers the first question with its second option. */
async function answerFirst(questions: QuestionSessions, signal: AbortSignal): Promise<boolean> {
  while (!signal.aborted) {
    const pending = (await questions.list()).find((view) => view.outcome.status === 'pending');
    const label = pending?.questions[0]?.options[1]?.label;
    if (pending !== undefined && label !== undefined) {
      await questions.answer(pending.id, [{ questionIndex: 0, selectedOption: label }]);
      return true;
    }
    await nextHint(questions, signal);
  }
  return false;
}

function nextHint(questions: QuestionSessions, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const watch = questions.watch(() => settle());
    const settle = () => {
      watch.close();
      signal.removeEventListener('abort', settle);
      resolve();
    };
    signal.addEventListener('abort', settle, { once: true });
    if (signal.aborted) settle();
  });
}
