import type { Services } from '../../../app/index.js';
import { isHoldfastError } from '../../../foundation/index.js';
import type { AnswerInput, QuestionView } from '../../../sessions/question/index.js';
import { serveWeb } from '../../../web/server/serve.js';
import type { CommandContext } from '../../command.js';
import { webLimits } from '../web/serve.js';
import { showLink } from '../web/show-link.js';
import { assertPerson, makeLink } from '../web/web-desk.js';

/** The page over the files of the demo, and the person who answers there. */
export interface DemoPage extends AsyncDisposable {
  /** Waits for the answer given on the page; undefined if the person rejects or leaves. */
  decide(view: QuestionView): Promise<AnswerInput[] | undefined>;
  /** Waits until the person has seen enough. */
  untilLeft(): Promise<void>;
}

export async function serveDemoPage(context: CommandContext, services: Services): Promise<DemoPage> {
  const { terminal, signal } = context;
  assertPerson(context.services, terminal.isInteractive);
  const server = await serveWeb(services, { behind: [], limits: webLimits(services) });
  terminal.write('The page of the demo:');
  showLink(context, await makeLink(services, server.origins, 'steer'));
  return {
    async decide({ id }) {
      terminal.write('   Answer it on the page.');
      try {
        const outcome = await services.questions.wait(id, { signal });
        if (outcome.status !== 'completed') return undefined;
        return outcome.answers.map(({ timestamp: _timestamp, ...answer }) => answer);
      } catch (error) {
        if (isHoldfastError(error, 'ABORTED')) return undefined;
        throw error;
      }
    },
    async untilLeft() {
      if (signal.aborted) return;
      terminal.write('The page stays until Ctrl+C: the report, the transcript and every session are there.');
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    },
    [Symbol.asyncDispose]: () => server.close(),
  };
}
