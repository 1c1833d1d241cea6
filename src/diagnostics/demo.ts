import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { visibleBlock } from '../foundation/index.js';
import type {
  AnswerInput,
  QuestionInput,
  QuestionSessions,
  QuestionView,
} from '../sessions/question/index.js';

export interface DemoOptions {
  /** How the agent starts its server. */
  readonly server: {
    readonly command: string;
    readonly args: string[];
    readonly env: Record<string, string>;
  };
  /** The same question sessions that the server keeps, as the person's side sees them. */
  readonly questions: QuestionSessions;
  /** The person: gets a pending set and decides. */
  readonly decide: (view: QuestionView) => Promise<AnswerInput[] | undefined>;
  readonly tell: (line: string) => void;
  readonly signal: AbortSignal;
}

const FIRST: QuestionInput = {
  title: 'Storage',
  prompt: 'The plan says "keep sessions". Where should I keep them?',
  options: [
    { label: 'Files (Recommended)', description: 'nothing to install, easy to look into' },
    { label: 'PostgreSQL', description: 'for many machines at once' },
  ],
};

const SECOND: QuestionInput = {
  title: 'Scope',
  prompt: 'Which of these belong into the first version?',
  options: [
    { label: 'Command line' },
    { label: 'MCP server' },
    { label: 'Web page', description: 'could come later' },
  ],
  multiSelect: true,
};

/** Shows, with the real server and a real client, that a question arrives, is answered, and outlives its asker. */
export async function runDemo(options: DemoOptions): Promise<void> {
  const { tell } = options;
  tell('1. An agent starts `holdfast mcp` and asks a question.');
  const first = await askAs(options, FIRST);
  tell('   The agent called ask_user_questions and waits.');
  await answer(options, first.view);
  tell('   What the agent got:');
  tell(quote(await first.reply));
  await first.client.close();

  tell('');
  tell('2. The agent asks again, and its server is killed with SIGKILL while it waits.');
  const second = await askAs(options, SECOND);
  const lost = second.reply.then(
    () => 'an answer',
    () => 'an error: the connection is gone',
  );
  second.kill();
  tell(`   The agent got ${await lost}. The question is still there:`);
  await answer(options, second.view);

  tell('3. A new server starts, and the agent collects the answer.');
  const third = await connect(options);
  const collected = await third.client.callTool({
    name: 'get_answered_questions',
    arguments: { session_id: second.view.id },
  });
  tell(quote(textOf(collected)));
  await third.client.close();
  tell('');
  tell('Nothing was lost. Next: `holdfast setup claude` (or codex, gemini, opencode).');
}

async function answer({ questions, decide, tell }: DemoOptions, view: QuestionView): Promise<void> {
  const answers = await decide(view);
  if (answers === undefined) {
    await questions.reject(view.id, 'left the demo');
    tell('   (You left the question, so it is rejected: the agent is told that, too.)');
    return;
  }
  await questions.answer(view.id, answers);
}

/** Asks through a server of its own and returns once the question stands in the inbox. */
async function askAs(options: DemoOptions, question: QuestionInput) {
  const { client, kill } = await connect(options);
  const reply = client
    .callTool({ name: 'ask_user_questions', arguments: { questions: [question] } })
    .then(textOf);
  // The failure is looked at by whoever awaits `reply`; until then it must not count as unhandled.
  reply.catch(() => {});
  const view = await findPending(options, reply);
  return { client, kill, reply, view };
}

async function connect({ server }: DemoOptions): Promise<{ client: Client; kill: () => void }> {
  const client = new Client({ name: 'claude-demo', version: '1.0.0' });
  const transport = new StdioClientTransport({ ...server, stderr: 'ignore' });
  await client.connect(transport);
  const kill = () => {
    if (transport.pid !== null) process.kill(transport.pid, 'SIGKILL');
  };
  return { client, kill };
}

async function findPending(
  { questions, signal }: DemoOptions,
  reply: Promise<string>,
): Promise<QuestionView> {
  const failed = reply.then(
    (text) => Promise.reject(new Error(`The question ended before anybody saw it: ${text}`)),
    (error: unknown) => Promise.reject(error),
  );
  failed.catch(() => {});
  for (;;) {
    const pending = (await questions.list()).find((view) => view.outcome.status === 'pending');
    if (pending !== undefined) return pending;
    await Promise.race([new Promise((resolve) => setTimeout(resolve, 20)), failed]);
    signal.throwIfAborted();
  }
}

function textOf(result: unknown): string {
  const { content } = result as { content?: { type: string; text?: string }[] };
  return (content ?? []).map((item) => item.text ?? '').join('\n');
}

function quote(text: string): string {
  return visibleBlock(text)
    .split('\n')
    .map((line) => `   │ ${line}`)
    .join('\n');
}
