import {
  type CallToolResult,
  CLIENT_INFO_META_KEY,
  McpServer,
  type ServerContext,
} from '@modelcontextprotocol/server';
import * as z from 'zod';
import type { Services } from '../app/base.js';
import { isHoldfastError, messageOf } from '../foundation/index.js';
import { type Delivery, QuestionInput, type QuestionView } from '../sessions/question/index.js';
import { handBackAfterMs } from './client-limits.js';
import { AnswersOutput, toolReply } from './replies.js';
import { toolError } from './tool-errors.js';
import { checkedByUs, parseInput } from './tool-input.js';
import type { DeliveringTransport } from './transport.js';

export interface ToolSurroundings {
  readonly services: Services;
  readonly transport: DeliveringTransport;
  readonly version: string;
  /** Fires when the connection ends or the process is asked to stop. */
  readonly closing: AbortSignal;
  /** Work that must end before the process does. */
  readonly track: <Result>(work: Promise<Result>) => Promise<Result>;
}

const PROGRESS_EVERY_MS = 20_000;

/** The MCP server with its two tools; one instance serves one connection, of either protocol era. */
export function createMcpServer(surroundings: ToolSurroundings): McpServer {
  const { services, version } = surroundings;
  const server = new McpServer(
    { name: 'holdfast', title: 'Holdfast', version },
    {
      instructions:
        'Asks the person structured questions. Use ask_user_questions to clarify requirements, learn preferences or ' +
        'have a decision made; the question stays answerable even if the call ends without an answer.',
    },
  );
  const { maxQuestions, maxOptions } = {
    maxQuestions: services.config.get('question.maxQuestions'),
    maxOptions: services.config.get('question.maxOptions'),
  };
  server.registerTool(
    'ask_user_questions',
    {
      title: 'Ask the person',
      description:
        `Ask the person 1 to ${maxQuestions} questions with 2 to ${maxOptions} options each and wait for the answers. ` +
        'An "Other" choice with free text is always offered. If you recommend an option, put it first and append ' +
        '"(Recommended)" to its label. Not for asking whether a plan is ready. If no answer came in time you get a ' +
        'pending session: go on and fetch the answer later with get_answered_questions.',
      inputSchema: checkedByUs(AskInput),
      outputSchema: AnswersOutput,
      annotations: {
        readOnlyHint: false,
        destructiveHint: false,
        idempotentHint: false,
        openWorldHint: true,
      },
    },
    (input, context) =>
      surroundings.track(
        guard(context, () => ask(surroundings, server, parseInput(AskInput, input), context)),
      ),
  );
  server.registerTool(
    'get_answered_questions',
    {
      title: 'Fetch answers',
      description:
        'Fetch the outcome of an earlier question set by its session id (first 4 or more characters). Without an id: ' +
        'every outcome for this project that has not been delivered yet.',
      inputSchema: checkedByUs(FetchInput),
      outputSchema: AnswersOutput,
      annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: true },
    },
    (input, context) =>
      surroundings.track(
        guard(context, () => fetch(surroundings, server, parseInput(FetchInput, input), context)),
      ),
  );
  return server;
}

const AskInput = z.object({
  questions: z.array(QuestionInput).describe('The questions, all answered together.'),
  nonBlocking: z.boolean().optional().describe('Return at once with a session id. Default: false.'),
  requestId: z
    .string()
    .optional()
    .describe('Your own id for this request: calling again with it is the same question, not a new one.'),
});
type AskInput = z.infer<typeof AskInput>;

async function ask(
  surroundings: ToolSurroundings,
  server: McpServer,
  input: AskInput,
  context: ServerContext,
): Promise<CallToolResult> {
  const { services } = surroundings;
  const client = clientOf(server, context);
  const isWaiting = input.nonBlocking !== true;
  const { HOLDFAST_ASKER_SESSION: session, HOLDFAST_ASKER_AGENT: agent = client?.name } =
    services.environment;
  const view = await services.questions.create(input.questions, {
    callId: services.tools.ids.uuid(),
    workingDirectory: services.workingDirectory,
    asker: {
      ...(agent === undefined ? {} : { agent }),
      ...(client?.version === undefined ? {} : { version: client.version }),
      ...(session === undefined ? {} : { session }),
    },
    requestId: input.requestId,
    isWaiting,
  });
  if (isWaiting) {
    // A retried request finds the set of a server that may be gone: now it is we who wait.
    if (input.requestId !== undefined) await noteAsker(services, view.id, 'waiting');
    await waitForPerson(surroundings, server, view, context);
  }
  return deliver(surroundings, context, [view.id]);
}

const FetchInput = z.object({
  session_id: z.string().optional().describe('The session id, or its first characters.'),
  blocking: z.boolean().optional().describe('With an id: wait for the outcome. Default: false.'),
});
type FetchInput = z.infer<typeof FetchInput>;

async function fetch(
  surroundings: ToolSurroundings,
  server: McpServer,
  input: FetchInput,
  context: ServerContext,
): Promise<CallToolResult> {
  const { questions, workingDirectory } = surroundings.services;
  if (input.session_id === undefined) {
    const views = await questions.list();
    const isNews = (view: QuestionView) =>
      view.outcome.status !== 'pending' &&
      view.collectedAt === null &&
      view.workingDirectory === workingDirectory;
    return deliver(
      surroundings,
      context,
      views.filter(isNews).map((view) => view.id),
      { onlyNew: true },
    );
  }
  const id = questions.resolve(input.session_id);
  if (input.blocking === true) {
    await noteAsker(surroundings.services, id, 'waiting');
    await waitForPerson(surroundings, server, await questions.get(id), context);
  }
  return deliver(surroundings, context, [id]);
}

/** Waits as long as the client allows. A client that goes away is written down; its question stays. */
async function waitForPerson(
  surroundings: ToolSurroundings,
  server: McpServer,
  view: QuestionView,
  context: ServerContext,
): Promise<void> {
  const { services, closing } = surroundings;
  if (view.outcome.status !== 'pending') return;
  const patienceMs = handBackAfterMs(services.config, clientOf(server, context)?.name);
  const signal = AbortSignal.any([context.mcpReq.signal, closing]);
  const stopProgress = reportProgress(context, view.id);
  try {
    await services.questions.wait(view.id, { patienceMs, signal });
  } catch (error) {
    if (isHoldfastError(error, 'ABORTED')) await noteAsker(services, view.id, 'gone');
    throw error;
  } finally {
    stopProgress();
  }
}

/** Good to know for the person, and no reason to fail: a set that is locked or a full disk can still be waited for. */
async function noteAsker(services: Services, sessionId: string, state: 'gone' | 'waiting'): Promise<void> {
  try {
    await services.questions.noteAsker(sessionId, state);
  } catch (error) {
    if (!isHoldfastError(error) || isHoldfastError(error, 'SESSION_NOT_FOUND')) throw error;
    services.log.warn('question.asker-not-noted', { sessionId, state, error: messageOf(error) });
  }
}

/** Takes the outcomes and marks them as delivered once the response has left. */
async function deliver(
  { services, transport }: ToolSurroundings,
  context: ServerContext,
  ids: readonly string[],
  options: { onlyNew?: boolean } = {},
): Promise<CallToolResult> {
  const deliveries: Delivery[] = [];
  const letGo = () => {
    for (const delivery of deliveries) delivery[Symbol.dispose]();
  };
  let result: CallToolResult;
  try {
    for (const id of ids) {
      const delivery = await collect(services, id, options);
      if (delivery !== undefined) deliveries.push(delivery);
    }
    result = toolReply(deliveries);
  } catch (error) {
    letGo();
    throw error;
  }
  transport.whenSent(context.mcpReq.id, context.mcpReq.signal, (isSent) => {
    if (isSent) for (const delivery of deliveries) delivery.confirm();
    letGo();
  });
  return result;
}

/** Where only news are asked for, a set that is none or went away meanwhile is left out. */
async function collect(
  { questions }: Services,
  id: string,
  { onlyNew }: { onlyNew?: boolean },
): Promise<Delivery | undefined> {
  if (!onlyNew) return questions.collect(id);
  try {
    const delivery = await questions.collect(id);
    if (delivery.isNew) return delivery;
    delivery[Symbol.dispose]();
    return undefined;
  } catch (error) {
    if (isHoldfastError(error, 'SESSION_NOT_FOUND')) return undefined;
    throw error;
  }
}

/** Keeps clients that count the silence from giving up, where they gave us a token for it. */
function reportProgress(context: ServerContext, sessionId: string): () => void {
  const progressToken = context.mcpReq._meta?.progressToken;
  if (progressToken === undefined) return () => {};
  let progress = 0;
  const tell = () => {
    progress += 1;
    const message = `Waiting for the person (session ${sessionId.slice(0, 8)})`;
    const sent = context.mcpReq.notify({
      method: 'notifications/progress',
      params: { progressToken, progress, message },
    });
    sent.catch(() => {
      // The connection is closing; the call itself learns of it through its signal.
    });
  };
  tell();
  const timer = setInterval(tell, PROGRESS_EVERY_MS);
  return () => clearInterval(timer);
}

const ClientInfo = z.looseObject({ name: z.string(), version: z.string() });

/** The client as it introduced itself: per request in the newer protocol, once in the older one. */
function clientOf(server: McpServer, context: ServerContext): z.infer<typeof ClientInfo> | undefined {
  const envelope: Readonly<Record<string, unknown>> = { ...context.mcpReq.envelope };
  const perRequest = ClientInfo.safeParse(envelope[CLIENT_INFO_META_KEY]);
  return perRequest.success ? perRequest.data : server.server.getClientVersion();
}

async function guard(context: ServerContext, action: () => Promise<CallToolResult>): Promise<CallToolResult> {
  try {
    return await action();
  } catch (error) {
    if (context.mcpReq.signal.aborted) throw error; // nobody waits for this response any more
    return toolError(error);
  }
}
