import {
  type CallToolResult,
  CLIENT_INFO_META_KEY,
  McpServer,
  type ServerContext,
} from '@modelcontextprotocol/server';
import * as z from 'zod';
import type { Config, Services } from '../app/base.js';
import {
  checkInput,
  isHoldfastError,
  mcpActor,
  messageOf,
  type OperationContext,
  type OperationFacts,
} from '../foundation/index.js';
import { OPERATIONS, operationsOn } from '../operations/index.js';
import {
  collectQuestions,
  createQuestions,
  type Delivery,
  QuestionInput,
} from '../sessions/question/index.js';
import { handBackAfterMs } from './client-limits.js';
import { AnswersOutput, toolReply } from './replies.js';
import { toolError } from './tool-errors.js';
import { checkedByUs } from './tool-input.js';
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

/** A tool call: who calls, over which server, and what the protocol knows about it. */
interface ToolCall extends ToolSurroundings {
  readonly server: McpServer;
  readonly context: ServerContext;
}

/** An operation as a tool: its published name, input and wording. */
interface Tool {
  readonly name: string;
  readonly title: string;
  describe(config: Config): string;
  readonly input: z.ZodType;
  /** Whether calling it again changes nothing. */
  readonly isIdempotent: boolean;
  call(call: ToolCall, input: unknown): Promise<CallToolResult>;
}

/** The server with a tool for each operation that agents may call; one instance serves one connection, of either protocol era. */
export function createMcpServer(
  surroundings: ToolSurroundings,
  operations: readonly OperationFacts[] = OPERATIONS,
): McpServer {
  const { services, version, track } = surroundings;
  const server = new McpServer(
    { name: 'holdfast', title: 'Holdfast', version },
    {
      instructions:
        'Asks the person structured questions. Use ask_user_questions to clarify requirements, learn preferences or ' +
        'have a decision made; the question stays answerable even if the call ends without an answer.',
    },
  );
  for (const operation of operationsOn('mcp', operations)) {
    const { name, title, describe, input: schema, isIdempotent, call } = toolOf(operation);
    server.registerTool(
      name,
      {
        title,
        description: describe(services.config),
        inputSchema: checkedByUs(schema),
        outputSchema: AnswersOutput,
        annotations: {
          readOnlyHint: false,
          destructiveHint: false,
          idempotentHint: isIdempotent,
          openWorldHint: true,
        },
      },
      (input, context) =>
        track(
          guard(context, () =>
            call({ ...surroundings, server, context }, checkInput({ input: schema }, input)),
          ),
        ),
    );
  }
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

const askTool = defineTool({
  name: 'ask_user_questions',
  title: 'Ask the person',
  describe: (config) =>
    `Ask the person 1 to ${config.get('question.maxQuestions')} questions with 2 to ${config.get('question.maxOptions')} options each and wait for the answers. ` +
    'An "Other" choice with free text is always offered. If you recommend an option, put it first and append ' +
    '"(Recommended)" to its label. Not for asking whether a plan is ready. If no answer came in time you get a ' +
    'pending session: go on and fetch the answer later with get_answered_questions.',
  input: AskInput,
  isIdempotent: false,
  async call(call, input) {
    const { services } = call;
    const client = clientOf(call);
    const isWaiting = input.nonBlocking !== true;
    const { HOLDFAST_ASKER_SESSION: session, HOLDFAST_ASKER_AGENT: agent = client?.name } =
      services.environment;
    const set = {
      questions: input.questions,
      callId: services.tools.ids.uuid(),
      workingDirectory: services.workingDirectory,
      asker: {
        ...(agent === undefined ? {} : { agent }),
        ...(client?.version === undefined ? {} : { version: client.version }),
        ...(session === undefined ? {} : { session }),
      },
      requestId: input.requestId,
      isWaiting,
    };
    const { sessionId, status } = await createQuestions.run(services, set, callerOf(call));
    if (isWaiting) {
      // A retried request finds its existing set, whose server may be gone: now we are the ones who wait.
      if (input.requestId !== undefined) await noteAsker(services, sessionId, 'waiting');
      await waitForPerson(call, sessionId, status);
    }
    return deliver(call, { session: sessionId });
  },
});

const FetchInput = z.object({
  session_id: z.string().optional().describe('The session id, or its first characters.'),
  blocking: z.boolean().optional().describe('With an id: wait for the outcome. Default: false.'),
});

const fetchTool = defineTool({
  name: 'get_answered_questions',
  title: 'Fetch answers',
  describe: () =>
    'Fetch the outcome of an earlier question set by its session id (first 4 or more characters). Without an id: ' +
    'every outcome for this project that has not been delivered yet.',
  input: FetchInput,
  isIdempotent: true,
  async call(call, input) {
    const { questions, workingDirectory } = call.services;
    if (input.session_id === undefined) return deliver(call, { workingDirectory });
    const session = questions.resolve(input.session_id);
    if (input.blocking === true) {
      await noteAsker(call.services, session, 'waiting');
      await waitForPerson(call, session, (await questions.get(session)).outcome.status);
    }
    return deliver(call, { session });
  },
});

/** The tool for each operation that agents may call: asking, and collecting their own answers. */
const TOOLS: Readonly<Record<string, Tool>> = {
  [createQuestions.name]: askTool,
  [collectQuestions.name]: fetchTool,
};

function toolOf({ name }: OperationFacts): Tool {
  const tool = Object.hasOwn(TOOLS, name) ? TOOLS[name] : undefined;
  if (tool === undefined) throw new Error(`${name} is meant for agents, and there is no tool for it`);
  return tool;
}

function defineTool<Input extends z.ZodType>(
  tool: Omit<Tool, 'input' | 'call'> & {
    readonly input: Input;
    call(call: ToolCall, input: z.output<Input>): Promise<CallToolResult>;
  },
): Tool {
  return tool as Tool;
}

/** Who calls an operation over MCP, and until when. */
function callerOf(call: ToolCall): OperationContext {
  const signal = AbortSignal.any([call.context.mcpReq.signal, call.closing]);
  return { actor: mcpActor(clientOf(call)?.name), signal };
}

/** Waits as long as the client allows. If the client goes away we note that; its question stays. */
async function waitForPerson(call: ToolCall, sessionId: string, status: string): Promise<void> {
  const { services, context } = call;
  if (status !== 'pending') return;
  const patienceMs = handBackAfterMs(services.config, clientOf(call)?.name);
  const { signal } = callerOf(call);
  const stopProgress = reportProgress(context, sessionId);
  try {
    await services.questions.wait(sessionId, { patienceMs, signal });
  } catch (error) {
    if (isHoldfastError(error, 'ABORTED')) await noteAsker(services, sessionId, 'gone');
    throw error;
  } finally {
    stopProgress();
  }
}

/** Useful to the person, but no reason to fail: a locked set or a full disk does not prevent waiting. */
async function noteAsker(services: Services, sessionId: string, state: 'gone' | 'waiting'): Promise<void> {
  try {
    await services.questions.noteAsker(sessionId, state);
  } catch (error) {
    if (!isHoldfastError(error) || isHoldfastError(error, 'SESSION_NOT_FOUND')) throw error;
    services.log.warn('question.asker-not-noted', { sessionId, state, error: messageOf(error) });
  }
}

/** Takes the outcomes, and marks them as delivered once the response has been sent. */
async function deliver(
  call: ToolCall,
  which: { readonly session?: string; readonly workingDirectory?: string },
): Promise<CallToolResult> {
  const { services, transport, context } = call;
  const deliveries: Delivery[] = [];
  const letGo = () => {
    for (const delivery of deliveries) delivery[Symbol.dispose]();
  };
  let result: CallToolResult;
  try {
    for await (const delivery of await collectQuestions.run(services, which, callerOf(call)))
      deliveries.push(delivery);
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

/** Keeps clients from giving up after a long silence, if they gave us a token for that. */
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
      // The connection is closing; the call itself hears of it through its signal.
    });
  };
  tell();
  const timer = setInterval(tell, PROGRESS_EVERY_MS);
  return () => clearInterval(timer);
}

const ClientInfo = z.looseObject({ name: z.string(), version: z.string() });

/** How the client introduced itself: per request in the newer protocol, once in the older one. */
function clientOf({
  server,
  context,
}: Pick<ToolCall, 'server' | 'context'>): z.infer<typeof ClientInfo> | undefined {
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
